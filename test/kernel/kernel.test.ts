import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { assign, emit, enqueueActions, fromPromise, sendTo, setup } from 'xstate';

import { plainRunner } from '../../src/kernel/chart-runner.js';
import { createKernel } from '../../src/kernel/kernel.js';
import type {
  Kernel,
  KernelInput,
  KernelState,
  KernelStep,
} from '../../src/kernel/kernel.types.js';
import { replay, unfinishedIn } from '../../src/kernel/replay.js';
import { tracingRunner } from '../../src/kernel/tracing/tracing-runner.js';
import { parentOf } from '../../src/machines/send-up.js';
import { checkingRunner, comparisons } from './checking-runner.js';

/** A parent that starts workers on demand; a worker makes one call, reports to its parent and ends. */
const worker = setup({
  types: { input: {} as { name: string }, context: {} as { name: string } },
  actors: { call: fromPromise(async () => 'unused') },
  delays: { patience: 100 },
  actions: {
    announce: emit(({ context }) => ({ type: 'worker.started', name: context.name })),
    report: sendTo(parentOf, ({ context }) => ({ type: 'worker.reported', name: context.name })),
  },
}).createMachine({
  id: 'worker',
  context: ({ input }) => ({ name: input.name }),
  initial: 'working',
  output: ({ context }) => context.name,
  states: {
    working: {
      entry: 'announce',
      invoke: {
        id: 'call',
        src: 'call',
        onDone: { target: 'done', actions: 'report' },
        onError: 'done',
      },
      after: { patience: 'done' },
    },
    done: { type: 'final' },
  },
});

const parent = setup({
  types: {
    context: {} as { reported: string[]; ended: string[] },
    events: {} as
      | { type: 'start'; name: string }
      | { type: 'stop'; name: string }
      | { type: 'worker.reported'; name: string }
      | { type: `xstate.done.actor.${string}`; output: string }
      | { type: 'finish' },
  },
  actors: { worker },
  actions: {
    start: enqueueActions(({ event, enqueue }) => {
      if (event.type === 'start')
        enqueue.spawnChild('worker', { id: event.name, input: { name: event.name } });
    }),
    stop: enqueueActions(({ event, enqueue }) => {
      if (event.type === 'stop') enqueue.stopChild(event.name);
    }),
    hear: assign({
      reported: ({ context, event }) =>
        event.type === 'worker.reported' ? [...context.reported, event.name] : context.reported,
    }),
    settle: assign({
      ended: ({ context, event }) =>
        'output' in event ? [...context.ended, event.output] : context.ended,
    }),
    tell: emit(({ context }) => ({
      type: 'parent.knows',
      reported: [...context.reported],
      ended: [...context.ended],
    })),
  },
}).createMachine({
  id: 'parent',
  context: { reported: [], ended: [] },
  initial: 'active',
  output: ({ context }) => context.ended,
  states: {
    active: {
      on: {
        start: { actions: 'start' },
        stop: { actions: 'stop' },
        'worker.reported': { actions: ['hear', 'tell'] },
        'xstate.done.actor.*': { actions: ['settle', 'tell'] },
        finish: 'finished',
      },
    },
    finished: { type: 'final' },
  },
});

const charts = { root: 'parent', machines: { parent, worker } as Record<string, AnyStateMachine> };

const drive = (kernel: Kernel, inputs: readonly KernelInput[]): KernelStep[] => {
  let state: KernelState = kernel.initialState;
  return inputs.map((input) => {
    const step = kernel.step(state, input);
    ({ state } = step);
    return step;
  });
};

const started: KernelInput = { kind: 'started', input: undefined };
const command = (event: { type: string; name?: string }): KernelInput => ({
  kind: 'commanded',
  event,
});

describe('the kernel', () => {
  for (const [name, runner] of Object.entries({ plainRunner, tracingRunner, checkingRunner })) {
    describe(`with the ${name}`, () => {
      const kernel = createKernel(charts, (machine) => runner(machine));

      it('gives the same step for the same state and input, and leaves the state unchanged', () => {
        const [first] = drive(kernel, [started]);
        const before = [...first!.state.nodes.keys()];
        const one = kernel.step(first!.state, command({ type: 'start', name: 'a' }));
        const two = kernel.step(first!.state, command({ type: 'start', name: 'a' }));
        expect(two.effects).toEqual(one.effects);
        expect(two.emitted).toEqual(one.emitted);
        expect([...first!.state.nodes.keys()]).toEqual(before);
      });

      it('requests calls and timers, and never makes them', () => {
        const [, step] = drive(kernel, [started, command({ type: 'start', name: 'a' })]);
        expect(step!.emitted).toEqual([{ type: 'worker.started', name: 'a' }]);
        expect(step!.effects).toEqual([
          { kind: 'startCall', address: '/a/call', generation: 1, actor: 'call', input: undefined },
          {
            kind: 'armTimer',
            timer: '/a#xstate.after.patience.worker.working',
            generation: 2,
            delayMs: 100,
          },
        ]);
      });

      it('receives a report before the end of the child that sent it', () => {
        const steps = drive(kernel, [
          started,
          command({ type: 'start', name: 'a' }),
          { kind: 'answered', address: '/a/call', generation: 1, output: 'x' },
        ]);
        expect(steps[2]!.emitted).toEqual([
          { type: 'parent.knows', reported: ['a'], ended: [] },
          { type: 'parent.knows', reported: ['a'], ended: ['a'] },
        ]);
        expect(steps[2]!.effects).toEqual([
          { kind: 'cancelTimer', timer: '/a#xstate.after.patience.worker.working', generation: 2 },
        ]);
        expect(steps[2]!.state.nodes.has('/a')).toBe(false);
      });

      it('ignores answers and timers of a child that was stopped or replaced', () => {
        const steps = drive(kernel, [
          started,
          command({ type: 'start', name: 'a' }),
          command({ type: 'stop', name: 'a' }),
          { kind: 'answered', address: '/a/call', generation: 1, output: 'late' },
          command({ type: 'start', name: 'a' }),
          { kind: 'answered', address: '/a/call', generation: 1, output: 'late' },
          { kind: 'elapsed', timer: '/a#xstate.after.patience.worker.working', generation: 2 },
        ]);
        expect(steps[2]!.effects.map(({ kind }) => kind)).toEqual(['cancelTimer', 'stopCall']);
        expect(steps[3]!.emitted).toEqual([]);
        expect(steps[5]!.emitted).toEqual([]);
        expect(steps[6]!.emitted).toEqual([]);
        expect(steps[6]!.state.nodes.has('/a')).toBe(true);
      });

      it('stops everything when the root ends', () => {
        const steps = drive(kernel, [
          started,
          command({ type: 'start', name: 'a' }),
          command({ type: 'start', name: 'b' }),
          command({ type: 'finish' }),
        ]);
        expect(steps[3]).toMatchObject({ status: 'done', output: [] });
        expect(
          steps[3]!.state.nodes.size + steps[3]!.state.calls.size + steps[3]!.state.timers.size,
        ).toBe(0);
        expect(steps[3]!.effects.filter(({ kind }) => kind === 'stopCall')).toHaveLength(2);
      });

      it('replays a journal to the same state, and knows what is still open', () => {
        const inputs = [
          started,
          command({ type: 'start', name: 'a' }),
          command({ type: 'start', name: 'b' }),
        ];
        const entries = inputs.map((event, at) => ({ at, event }));
        const replayed = replay(kernel, entries, () => undefined);
        expect(replayed.status).toBe('active');
        const { calls, timers } = unfinishedIn(replayed.state, (step) => entries[step]?.at ?? 0);
        expect(calls.map(({ address, actor }) => [address, actor])).toEqual([
          ['/a/call', 'call'],
          ['/b/call', 'call'],
        ]);
        expect(timers.map(({ dueAtMs }) => dueAtMs)).toEqual([101, 102]);
      });
    });
  }

  it('really compared traced transitions with XState', () => {
    expect(comparisons.count).toBeGreaterThan(5);
  });

  it('ends with the error when a chart throws, and does not throw itself', () => {
    const broken = setup({
      guards: {
        throws: () => {
          throw new Error('guard bug');
        },
      },
    }).createMachine({
      id: 'broken',
      initial: 'waiting',
      states: { waiting: { on: { go: { guard: 'throws', target: 'gone' } } }, gone: {} },
    });
    const kernel = createKernel({ root: 'broken', machines: { broken } });
    const steps = drive(kernel, [started, command({ type: 'go' })]);
    expect(steps[1]!.status).toBe('error');
    expect(String(steps[1]!.error)).toContain('guard bug');
  });

  it('keeps the traces of a chart apart from those of a similar chart', () => {
    const open = setup({ guards: { isOpen: () => true } }).createMachine({
      id: 'door',
      initial: 'outside',
      states: {
        outside: { on: { enter: { guard: 'isOpen', target: 'inside' } } },
        inside: { type: 'final' },
      },
    });
    const shut = open.provide({ guards: { isOpen: () => false } });
    const statusOf = (door: typeof open): string | undefined =>
      drive(createKernel({ root: 'door', machines: { door } }), [
        started,
        command({ type: 'enter' }),
      ]).at(-1)?.status;
    expect([open, shut, open, shut].map(statusOf)).toEqual(['done', 'active', 'done', 'active']);
  });

  it('keeps no reference to a run in its traces', async () => {
    const noting = setup({
      actions: {
        note: assign((_, params: { readonly noted: unknown }) => ({ noted: params.noted })),
      },
    }).createMachine({
      id: 'noting',
      context: { noted: null },
      on: {
        say: {
          actions: { type: 'note', params: ({ event }) => ({ noted: event['said'] as unknown }) },
        },
      },
    });
    const kernel = createKernel({ root: 'noting', machines: { noting } });
    const sayOnce = (): WeakRef<object> => {
      const said = { secret: 'of the run' };
      drive(kernel, [started, { kind: 'commanded', event: { type: 'say', said } as never }]);
      return new WeakRef(said);
    };
    const said = sayOnce();
    // The target of a WeakRef lives until the end of the turn.
    await new Promise(setImmediate);
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    expect(said.deref()).toBeUndefined();
  });

  it('refuses a chart with a custom action: effects are actors', () => {
    const impure = setup({ actions: { log: () => undefined } }).createMachine({
      id: 'impure',
      entry: 'log',
    });
    const kernel = createKernel({ root: 'impure', machines: { impure } });
    expect(() => drive(kernel, [started])).toThrow("custom action 'log'");
  });
});
