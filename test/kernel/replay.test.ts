import { describe, expect, it } from 'vitest';
import { emit, fromPromise, setup } from 'xstate';

import { createKernel } from '../../src/kernel/kernel.js';
import type { KernelInput } from '../../src/kernel/kernel.types.js';
import { replay } from '../../src/kernel/replay.js';

/** A chart that makes one call; the later build makes another one first, which takes its number. */
const chartWith = (calls: readonly string[]) =>
  setup({
    actors: { call: fromPromise(async () => 'unused') },
    actions: { announce: emit({ type: 'answered' }) },
  }).createMachine({
    id: 'root',
    initial: 'waiting',
    invoke: calls.map((id) => ({ id, src: 'call' as const })),
    states: {
      waiting: {
        invoke: { id: 'call', src: 'call', onDone: { target: 'done', actions: 'announce' } },
      },
      done: {},
    },
  });

const kernelOf = (calls: readonly string[]) =>
  createKernel({ root: 'root', machines: { root: chartWith(calls) }, constants: {} });

const STARTED: KernelInput = { kind: 'started', input: {} };

describe('replay', () => {
  it('finds the answered call though another build gives it another number', () => {
    const before = kernelOf([]);
    const { effects } = before.step(before.initialState, STARTED);
    const [call] = effects;
    if (call?.kind !== 'startCall') throw new Error('There is no call');
    const { address, generation } = call;
    const journal = [
      { event: STARTED },
      { event: { kind: 'answered', address, generation, output: 'x' } as const },
    ];
    const after = kernelOf(['other']);
    const numbers = after
      .step(after.initialState, STARTED)
      .effects.flatMap((effect) =>
        effect.kind === 'startCall' && effect.address === address ? [effect.generation] : [],
      );
    expect(numbers).toHaveLength(1);
    expect(numbers).not.toEqual([generation]);
    const told: string[] = [];
    const { state } = replay(after, journal, (_, { emitted }) => {
      told.push(...emitted.map(({ type }) => type));
    });
    expect(told).toEqual(['answered']);
    expect(state.calls.has(address)).toBe(false);
  });
});
