// The chart 'approval', by itself: it needs nothing but xstate. Made by `npm run visualize`; do not edit.
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

export const approvalMachine = setup({
  guards: {
    approvesOnTimeout: isChosen('approvesOnTimeout'),
    isAnswer: isChosen('isAnswer'),
  },
  actions: {
    announceExpiry: () => {},
    announceGrant: () => {},
    announceRejection: () => {},
    announceRequest: () => {},
    choose: assign({ chosen: ({ event }) => event.type.replace('choose.', '') }),
    forget: assign({ chosen: null }),
    happen: raise(({ event }) => ({ type: event.type.replace('choose.', 'xstate.') })),
    keepOutcome: () => {},
    reportClosed: () => {},
    reportRequest: () => {},
  },
  delays: {
    approvalTimeout: 2000000000,
  },
}).createMachine({
  id: 'approval',
  description: 'One question to a person, with a deadline and a default answer.',
  options: { maxIterations: 100 },
  context: { chosen: null },
  initial: 'asking',
  states: {
    asking: {
      description: 'A person is asked. No answer before the deadline counts as the default answer.',
      tags: ['waiting-for-human'],
      entry: ['announceRequest', 'reportRequest'],
      on: {
        'approval.grant': {
          guard: 'isAnswer',
          target: 'granted',
          actions: [{ type: 'keepOutcome' }, 'announceGrant', 'forget'],
        },
        'approval.reject': {
          guard: 'isAnswer',
          target: 'rejected',
          actions: [{ type: 'keepOutcome' }, 'announceRejection', 'forget'],
        },
        'choose.after.approvalTimeout.approval.asking': { actions: 'happen' },
        'choose.isAnswer': { actions: 'choose' },
        'choose.approvesOnTimeout': { actions: 'choose' },
      },
      after: {
        approvalTimeout: [
          {
            guard: 'approvesOnTimeout',
            target: 'granted',
            actions: [
              {
                type: 'keepOutcome',
                params: {
                  isGranted: true,
                  code: '',
                  text: 'Approved: no answer in time',
                  by: null,
                },
              },
              'announceExpiry',
              'reportClosed',
              'forget',
            ],
          },
          {
            target: 'rejected',
            actions: [
              {
                type: 'keepOutcome',
                params: {
                  isGranted: false,
                  code: 'approval-expired',
                  text: 'No answer in time',
                  by: null,
                },
              },
              'announceExpiry',
              'reportClosed',
              'forget',
            ],
          },
        ],
      },
    },
    granted: {
      description: 'A person approved, or the timeout counts as an approval.',
      tags: ['settled'],
      type: 'final',
    },
    rejected: {
      description: 'A person rejected, or the timeout counts as a rejection.',
      tags: ['settled'],
      type: 'final',
    },
  },
});
