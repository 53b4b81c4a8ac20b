import type { AnyStateMachine } from 'xstate';
import {
  assign,
  cancel,
  emit,
  enqueueActions,
  fromPromise,
  raise,
  sendTo,
  setup,
  spawnChild,
  stopChild,
} from 'xstate';

interface Count {
  readonly count: number;
}

const definitions = () =>
  setup({
    types: {
      context: {} as Count,
      input: {} as Count,
      emitted: {} as Count & { readonly type: string },
    },
    actors: { work: fromPromise(async () => 'done') },
    guards: {
      isAtLeast: ({ context }, { limit }: { limit: number }) => context.count >= limit,
    },
    actions: {
      add: assign(({ context }, { by }: { by: number }) => ({ count: context.count + by })),
      increment: assign({ count: ({ context }) => context.count + 1 }),
      tell: emit(({ context }) => ({ type: 'told', count: context.count })),
      remind: raise({ type: 'remind' }, { id: 'reminder', delay: 50 }),
      forget: cancel('reminder'),
      start: spawnChild('work', { id: 'helper', input: ({ context }) => context.count }),
      ask: sendTo('helper', { type: 'question' }),
      stop: stopChild('helper'),
      several: enqueueActions(({ context, enqueue }) => {
        enqueue.assign({ count: context.count * 2 });
        enqueue.spawnChild('work', { id: `extra-${context.count}`, input: context.count });
        enqueue.sendTo(`extra-${context.count}`, { type: 'question' });
        enqueue.emit({ type: 'told', count: context.count });
        enqueue.raise({ type: context.count > 4 ? 'many' : 'few' });
        enqueue.raise({ type: 'remind' }, { id: 'reminder', delay: 20 });
        enqueue.cancel('reminder');
        enqueue.stopChild(`extra-${context.count}`);
      }),
    },
    delays: { pause: ({ context }) => context.count * 10 },
  });

/** A small chart with every feature of XState that our charts use. It is run once in a process, to compare runners. */
export const everyFeature = (): AnyStateMachine =>
  definitions().createMachine({
    id: 'everyFeature',
    context: ({ input }) => input,
    type: 'parallel',
    output: ({ context }) => context.count,
    states: {
      work: {
        initial: 'waiting',
        states: {
          waiting: {
            entry: ['start', 'tell'],
            exit: ['ask', 'stop'],
            on: {
              go: [
                {
                  guard: { type: 'isAtLeast', params: { limit: 3 } },
                  target: 'working',
                  actions: { type: 'add', params: { by: 2 } },
                },
                { actions: ['increment', 'tell', 'remind', 'forget'] },
              ],
            },
          },
          working: {
            tags: ['busy'],
            entry: 'several',
            invoke: { src: 'work', id: 'work', input: ({ context }) => context.count },
            after: { pause: 'deciding' },
            on: {
              again: { target: 'working', reenter: true },
              many: { actions: { type: 'add', params: ({ context }) => ({ by: context.count }) } },
            },
          },
          deciding: {
            always: [
              { guard: { type: 'isAtLeast', params: { limit: 50 } }, target: 'over' },
              { target: 'working' },
            ],
          },
          over: { type: 'final' },
        },
      },
      watch: {
        initial: 'calm',
        states: {
          calm: { on: { few: 'alert', many: { target: 'alert', actions: 'increment' } } },
          alert: {
            always: { guard: { type: 'isAtLeast', params: { limit: 50 } }, target: 'over' },
          },
          over: { type: 'final' },
        },
      },
    },
  });
