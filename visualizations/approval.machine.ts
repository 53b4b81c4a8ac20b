// The chart 'approval', by itself: it needs nothing but xstate. Made by `npm run visualize`; do not edit.
// What the names stand for is left out: guards say no, actions do nothing, actors never answer, delays are a second.
import { setup } from 'xstate';

export const approvalMachine = setup({
  guards: {
    approvesOnTimeout: () => false,
    isAnswer: () => false,
  },
  actions: {
    announceExpiry: () => {},
    announceGrant: () => {},
    announceRejection: () => {},
    announceRequest: () => {},
    keepOutcome: () => {},
    reportClosed: () => {},
    reportRequest: () => {},
  },
  delays: {
    approvalTimeout: 1000,
  },
}).createMachine({
  id: 'approval',
  description: 'One question to a person, with a deadline and a default answer.',
  options: { maxIterations: 100 },
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
          actions: [{ type: 'keepOutcome' }, 'announceGrant'],
        },
        'approval.reject': {
          guard: 'isAnswer',
          target: 'rejected',
          actions: [{ type: 'keepOutcome' }, 'announceRejection'],
        },
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
