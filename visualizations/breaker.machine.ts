// The chart 'breaker', by itself: it needs nothing but xstate. Made by `npm run visualize`; do not edit.
//
// To step through it, send events: `createActor(machine).start()`, or click them in a tool. Actions do nothing, and
// nothing happens by itself. An event `choose.*` gives the outcome that code gives in a run:
// - `choose.<guard>` answers a guard with yes. A state that only decides waits for it; `choose.otherwise` answers all
//   of its guards with no. Before another event, choose first. A choice is used up by the transition that it decides.
// - `choose.done.actor.<id>` and `choose.error.actor.<id>` end an actor.
// - `choose.after.<delay>.<state>` lets the time pass.
import { assign, raise, setup } from 'xstate';

const isChosen = (guard = '') => ({ context: { chosen = '' } = {} } = {}, params = {}) =>
  chosen === [guard, ...Object.values(params)].join('.');

export const breakerMachine = setup({
  guards: {
    hasReachedFailureLimit: isChosen('hasReachedFailureLimit'),
  },
  actions: {
    announceClosed: () => {},
    announceOpen: () => {},
    choose: assign({ chosen: ({ event }) => event.type.replace('choose.', '') }),
    countFailure: () => {},
    forget: assign({ chosen: null }),
    forgetFailures: () => {},
    grant: () => {},
    happen: raise(({ event }) => ({ type: event.type.replace('choose.', 'xstate.') })),
    refuse: () => {},
  },
  delays: {
    cooldown: 2000000000,
  },
}).createMachine({
  id: 'breaker',
  description: 'Refuses calls of an agent that keeps failing, and detects when it is back.',
  options: { maxIterations: 100 },
  context: { chosen: null },
  initial: 'closed',
  states: {
    closed: {
      description: 'Calls are permitted. Consecutive failures are counted; one success resets the count.',
      tags: ['accepting'],
      on: {
        'permit.requested': { actions: 'grant' },
        'call.succeeded': { actions: 'forgetFailures' },
        'call.failed': { actions: 'countFailure' },
        'choose.hasReachedFailureLimit': { actions: 'choose' },
      },
      always: { guard: 'hasReachedFailureLimit', target: 'open', actions: ['forget'] },
    },
    open: {
      description: 'Calls are refused until the cooldown is over.',
      tags: ['refusing'],
      entry: 'announceOpen',
      on: {
        'permit.requested': { actions: 'refuse' },
        'choose.after.cooldown.breaker.open': { actions: 'happen' },
      },
      after: { cooldown: 'halfOpen' },
    },
    halfOpen: {
      description: 'The next call is the probe.',
      tags: ['accepting'],
      on: { 'permit.requested': { target: 'probing', actions: 'grant' } },
    },
    probing: {
      description: 'The probe is in flight and decides; other calls are refused.',
      tags: ['refusing'],
      on: {
        'permit.requested': { actions: 'refuse' },
        'call.succeeded': { target: 'closed', actions: ['forgetFailures', 'announceClosed'] },
        'call.failed': 'open',
        'choose.after.cooldown.breaker.probing': { actions: 'happen' },
      },
      after: { cooldown: 'halfOpen' },
    },
  },
});
