import type { AnyStateMachine, EventObject } from 'xstate';
import { assign, fromPromise, sendTo, setup } from 'xstate';

/**
 * A parent for a chart that is explored on its own. It sends the chart the messages of others, keeps what the chart
 * reports, and ends when the chart does. The test controls the actors that the chart calls.
 */
export const parentMachine = setup({
  types: {
    input: {} as { readonly input: unknown },
    context: {} as { readonly input: unknown; readonly heard: readonly EventObject[] },
    events: {} as { readonly type: 'tell'; readonly event: EventObject },
  },
  actions: {
    hear: assign({ heard: ({ context, event }) => [...context.heard, event] }),
    tellSubject: sendTo('subject', ({ event }) => event.event),
  },
  actors: {
    subject: fromPromise<unknown, unknown>(() => Promise.reject(new Error('No subject'))),
  },
}).createMachine({
  id: 'parent',
  context: ({ input }) => ({ input: input.input, heard: [] }),
  initial: 'watching',
  output: ({ context }) => context.heard,
  states: {
    watching: {
      invoke: {
        id: 'subject',
        src: 'subject',
        input: ({ context }: { readonly context: { readonly input: unknown } }) => context.input,
        onDone: { target: 'ended', actions: 'hear' },
        onError: { target: 'ended', actions: 'hear' },
      },
      on: {
        tell: { actions: 'tellSubject' },
        '*': { actions: 'hear' },
      },
    },
    ended: { type: 'final' },
  },
});

/** The address of the chart under test. */
export const SUBJECT = '/subject';

export const chartsAround = (
  subject: AnyStateMachine,
): { readonly root: string; readonly machines: Readonly<Record<string, AnyStateMachine>> } => ({
  root: 'parent',
  machines: { parent: parentMachine, subject },
});
