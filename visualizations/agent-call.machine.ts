// The chart 'agentCall', by itself: it needs nothing but xstate. Made by `npm run visualize`; do not edit.
//
// To step through it, send events: `createActor(machine).start()`, or click them in a tool. Actions do nothing, and
// nothing happens by itself. An event `choose.*` gives the outcome that code gives in a run:
// - `choose.<guard>` answers a guard with yes. A state that only decides waits for it; `choose.otherwise` answers all
//   of its guards with no. Before another event, choose first. A choice is used up by the transition that it decides.
// - `choose.done.actor.<id>` and `choose.error.actor.<id>` end an actor.
// - `choose.after.<delay>.<state>` lets the time pass.
import { assign, fromPromise, raise, setup } from 'xstate';

const isChosen = (guard = '') => ({ context: { chosen = '' } = {} } = {}, params = {}) =>
  chosen === [guard, ...Object.values(params)].join('.');

export const agentCallMachine = setup({
  guards: {
    canFallBack: isChosen('canFallBack'),
    canRetry: isChosen('canRetry'),
    isAnswered: isChosen('isAnswered'),
    isCutShort: isChosen('isCutShort'),
    isFallback: isChosen('isFallback'),
    isPaused: isChosen('isPaused'),
    needsPermit: isChosen('needsPermit'),
    otherwise: isChosen('otherwise'),
  },
  actions: {
    announceAnswer: () => {},
    announceCall: () => {},
    announceFailure: () => {},
    askForPermit: () => {},
    choose: assign({ chosen: ({ event }) => event.type.replace('choose.', '') }),
    countTry: () => {},
    forget: assign({ chosen: null }),
    happen: raise(({ event }) => ({ type: event.type.replace('choose.', 'xstate.') })),
    keepFailure: () => {},
    keepOutcome: () => {},
    noteEnding: () => {},
    notePause: () => {},
    reportSettled: () => {},
    reportVerdict: () => {},
    startFallback: () => {},
  },
  actors: {
    performCall: fromPromise(() => new Promise(() => {})),
  },
  delays: {
    attemptTimeout: 2000000000,
    pauseLimit: 2000000000,
    retryBackoff: 2000000000,
  },
}).createMachine({
  id: 'agentCall',
  description: 'One call of one agent: tries, pauses and a fallback, all bounded.',
  options: { maxIterations: 100 },
  context: { chosen: null },
  initial: 'admissionDecision',
  on: {
    'run.windDown': { actions: 'noteEnding' },
    'run.hold': { actions: { type: 'notePause', params: { isPaused: true } } },
    'run.release': { actions: { type: 'notePause', params: { isPaused: false } } },
  },
  states: {
    admissionDecision: {
      description: 'Wait while the run is paused, ask for a permit where the policy has a breaker or a budget, or call?',
      on: {
        'choose.isPaused': { actions: 'choose' },
        'choose.needsPermit': { actions: 'choose' },
        'choose.isFallback': { actions: 'choose' },
        'choose.otherwise': { actions: 'choose' },
      },
      always: [
        { guard: 'isPaused', target: 'paused', actions: ['forget'] },
        {
          guard: 'needsPermit',
          target: 'requestingPermit',
          actions: ['forget'],
        },
        { guard: 'isFallback', target: 'fallingBack', actions: ['forget'] },
        { guard: 'otherwise', target: 'calling', actions: ['forget'] },
      ],
    },
    paused: {
      description: 'The next try waits until a person unpauses the run.',
      tags: ['waiting-for-human'],
      on: {
        'run.release': {
          target: 'admissionDecision',
          actions: { type: 'notePause', params: { isPaused: false } },
        },
        'run.windDown': {
          target: 'failed',
          actions: {
            type: 'keepFailure',
            params: { code: 'run-ended', reason: 'The run is ending' },
          },
        },
        'choose.after.pauseLimit.agentCall.paused': { actions: 'happen' },
      },
      after: {
        pauseLimit: {
          target: 'failed',
          actions: {
            type: 'keepFailure',
            params: { code: 'timeout', reason: 'The run was paused for too long' },
          },
        },
      },
    },
    requestingPermit: {
      description: 'The root orchestrator counts the call against its budget and asks the breaker.',
      tags: ['waiting'],
      entry: 'askForPermit',
      on: {
        'permit.granted': [
          { guard: 'isFallback', target: 'fallingBack', actions: ['forget'] },
          { target: 'calling', actions: ['forget'] },
        ],
        'permit.refused': {
          target: 'retryDecision',
          actions: [{ type: 'keepFailure' }, 'announceFailure'],
        },
        'choose.after.attemptTimeout.agentCall.requestingPermit': { actions: 'happen' },
        'choose.isFallback': { actions: 'choose' },
      },
      after: {
        attemptTimeout: {
          target: 'retryDecision',
          actions: [
            {
              type: 'keepFailure',
              params: { code: 'timeout', reason: 'No permit in time' },
            },
            'announceFailure',
          ],
        },
      },
    },
    calling: {
      description: 'One try. Ends with the answer, the failure or the timeout; a later answer is dropped.',
      tags: ['running'],
      entry: 'announceCall',
      invoke: {
        id: 'performCall',
        src: 'performCall',
        onDone: [
          {
            guard: 'isAnswered',
            target: 'answered',
            actions: [
              'keepOutcome',
              'announceAnswer',
              'reportSettled',
              'reportVerdict',
              'forget',
            ],
          },
          {
            target: 'retryDecision',
            actions: ['keepOutcome', 'announceFailure', 'reportSettled', 'forget'],
          },
        ],
        onError: {
          target: 'retryDecision',
          actions: [
            {
              type: 'keepFailure',
              params: { code: 'threw', reason: 'The call could not be made' },
            },
            'announceFailure',
            'reportSettled',
          ],
        },
      },
      on: {
        'choose.done.actor.performCall': { actions: 'happen' },
        'choose.error.actor.performCall': { actions: 'happen' },
        'choose.after.attemptTimeout.agentCall.calling': { actions: 'happen' },
        'choose.isAnswered': { actions: 'choose' },
      },
      after: {
        attemptTimeout: {
          target: 'retryDecision',
          actions: [
            {
              type: 'keepFailure',
              params: { code: 'timeout', reason: 'No answer in time' },
            },
            'announceFailure',
            'reportSettled',
          ],
        },
      },
    },
    retryDecision: {
      description: 'Retry, fall back, or fail?',
      on: {
        'choose.isCutShort': { actions: 'choose' },
        'choose.canRetry': { actions: 'choose' },
        'choose.canFallBack': { actions: 'choose' },
        'choose.otherwise': { actions: 'choose' },
      },
      always: [
        {
          guard: 'isCutShort',
          target: 'failed',
          actions: [
            {
              type: 'keepFailure',
              params: { code: 'run-ended', reason: 'The run is ending' },
            },
            'forget',
          ],
        },
        { guard: 'canRetry', target: 'backingOff', actions: ['forget'] },
        {
          guard: 'canFallBack',
          target: 'admissionDecision',
          actions: ['startFallback', 'forget'],
        },
        { guard: 'otherwise', target: 'failed', actions: ['forget'] },
      ],
    },
    backingOff: {
      description: 'A pause that grows with every try; the end of the run cuts it short.',
      tags: ['waiting'],
      on: {
        'run.windDown': {
          target: 'failed',
          actions: {
            type: 'keepFailure',
            params: { code: 'run-ended', reason: 'The run is ending' },
          },
        },
        'choose.after.retryBackoff.agentCall.backingOff': { actions: 'happen' },
      },
      after: { retryBackoff: { target: 'admissionDecision', actions: 'countTry' } },
    },
    fallingBack: {
      description: "The agent's own fallback answers instead.",
      tags: ['running'],
      entry: 'announceCall',
      invoke: {
        id: 'performFallback',
        src: 'performCall',
        onDone: [
          {
            guard: 'isAnswered',
            target: 'answered',
            actions: ['keepOutcome', 'announceAnswer', 'reportSettled', 'forget'],
          },
          {
            target: 'failed',
            actions: ['keepOutcome', 'announceFailure', 'reportSettled', 'forget'],
          },
        ],
        onError: {
          target: 'failed',
          actions: [
            {
              type: 'keepFailure',
              params: { code: 'threw', reason: 'The fallback could not be called' },
            },
            'announceFailure',
            'reportSettled',
          ],
        },
      },
      on: {
        'choose.done.actor.performFallback': { actions: 'happen' },
        'choose.error.actor.performFallback': { actions: 'happen' },
        'choose.after.attemptTimeout.agentCall.fallingBack': { actions: 'happen' },
        'choose.isAnswered': { actions: 'choose' },
      },
      after: {
        attemptTimeout: {
          target: 'failed',
          actions: [
            {
              type: 'keepFailure',
              params: { code: 'timeout', reason: 'No fallback in time' },
            },
            'announceFailure',
            'reportSettled',
          ],
        },
      },
    },
    answered: { description: 'The call has an answer.', tags: ['settled'], type: 'final' },
    failed: {
      description: 'The call failed, with a reason.',
      tags: ['settled'],
      type: 'final',
    },
  },
});
