import { describe, expect, it } from 'vitest';
import { assign, emit, enqueueActions, setup } from 'xstate';

import { createKernel } from '../../src/kernel/kernel.js';
import type {
  Kernel,
  KernelInput,
  KernelState,
  KernelStep,
} from '../../src/kernel/kernel.types.js';
import { checkingRunner, comparisons } from './checking-runner.js';

/** Raises the events it is told to, with or without a delay; other transitions handle them. */
const echo = setup({
  types: {
    context: {} as { heard: string[] },
    events: {} as { type: string; raises?: string[]; delayMs?: number; name?: string },
  },
  guards: { isNamed: ({ event }) => event.name !== undefined },
  actions: {
    raiseAll: enqueueActions(({ event, enqueue }) => {
      for (const type of event.raises ?? []) {
        if (event.delayMs === undefined) enqueue.raise({ type, name: type });
        else enqueue.raise({ type, name: type }, { id: type, delay: event.delayMs });
      }
    }),
    note: assign(({ context, event }) => ({ heard: [...context.heard, event.type] })),
    tell: emit(({ event }) => ({ type: 'told', name: event.name })),
    forget: enqueueActions(({ enqueue }) => enqueue.cancel('high')),
  },
}).createMachine({
  id: 'echo',
  context: { heard: [] },
  initial: 'low',
  output: ({ context }) => context.heard,
  on: { raise: { actions: 'raiseAll' }, forget: { actions: 'forget' } },
  states: {
    low: {
      on: {
        high: [{ guard: 'isNamed', target: 'high', actions: ['note', 'tell'] }],
        again: { actions: 'note' },
      },
    },
    high: {
      entry: 'tell',
      on: { low: 'low', over: { target: 'over', actions: 'note' } },
    },
    over: { type: 'final' },
  },
});

const raise = (raises: readonly string[], delayMs?: number): KernelInput => ({
  kind: 'commanded',
  event: { type: 'raise', raises, ...(delayMs === undefined ? {} : { delayMs }) } as never,
});

const started: KernelInput = { kind: 'started', input: undefined };

const runWith = (kernel: Kernel, ...inputs: readonly KernelInput[]): KernelStep[] => {
  let state: KernelState = kernel.initialState;
  return [started, ...inputs].map((input) => {
    const step = kernel.step(state, input);
    ({ state } = step);
    return step;
  });
};

describe('an event that a chart raises', () => {
  const newKernel = () => createKernel({ root: 'echo', machines: { echo } }, checkingRunner);

  it('is repeated as XState does it, whichever event it is', () => {
    const kernel = newKernel();
    const lists = [
      ['high', 'over'],
      ['again', 'again'],
      ['again', 'high'],
    ];
    for (const list of lists) runWith(kernel, raise(list));
    const before = comparisons.count;
    for (const list of lists) runWith(kernel, raise(list));
    // The start and what follows from it.
    expect(comparisons.count - before).toBe(2 * lists.length);
    expect(runWith(kernel, raise(['high', 'over'])).at(-1)).toMatchObject({
      status: 'done',
      output: ['high', 'over'],
      emitted: [
        { type: 'told', name: 'high' },
        { type: 'told', name: 'high' },
      ],
    });
  });

  it('is computed by XState where a transition does not always raise it', () => {
    const kernel = newKernel();
    const lists = [['high'], [], ['unknown'], ['low', 'high'], ['high', 'over']];
    for (const list of [...lists, ...lists]) runWith(kernel, raise(list), raise(list));
    expect(runWith(kernel, raise([])).at(-1)?.emitted).toEqual([]);
    expect(runWith(kernel, raise(['high'])).at(-1)?.emitted).toHaveLength(2);
  });

  it('is a timer when it has a delay, and can be cancelled', () => {
    const kernel = newKernel();
    const forget: KernelInput = { kind: 'commanded', event: { type: 'forget' } };
    for (const delayMs of [10, 20, 30]) {
      const [, armed, cancelled] = runWith(kernel, raise(['high'], delayMs), forget);
      expect(armed?.effects).toMatchObject([{ kind: 'armTimer', timer: '#high', delayMs }]);
      expect(cancelled?.effects).toMatchObject([{ kind: 'cancelTimer', timer: '#high' }]);
    }
  });
});
