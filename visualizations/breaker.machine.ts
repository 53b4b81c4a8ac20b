// The chart 'breaker', by itself: it needs nothing but xstate. Made by `npm run visualize`; do not edit.
// What the names stand for is left out: guards say no, actions do nothing, actors never answer, delays are a second.
import { setup } from 'xstate';

export const breakerMachine = setup({
  guards: {
    hasReachedFailureLimit: () => false,
  },
  actions: {
    announceClosed: () => {},
    announceOpen: () => {},
    countFailure: () => {},
    forgetFailures: () => {},
    grant: () => {},
    refuse: () => {},
  },
  delays: {
    cooldown: 1000,
  },
}).createMachine({
  id: 'breaker',
  description: 'Refuses calls of an agent that keeps failing, and detects when it is back.',
  options: { maxIterations: 100 },
  initial: 'closed',
  states: {
    closed: {
      description: 'Calls are permitted. Consecutive failures are counted; one success resets the count.',
      tags: ['accepting'],
      on: {
        'permit.requested': { actions: 'grant' },
        'call.succeeded': { actions: 'forgetFailures' },
        'call.failed': { actions: 'countFailure' },
      },
      always: { guard: 'hasReachedFailureLimit', target: 'open' },
    },
    open: {
      description: 'Calls are refused until the cooldown is over.',
      tags: ['refusing'],
      entry: 'announceOpen',
      on: { 'permit.requested': { actions: 'refuse' } },
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
      },
      after: { cooldown: 'halfOpen' },
    },
  },
});
