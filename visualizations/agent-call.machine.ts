// The chart 'agentCall', by itself: it needs nothing but xstate. Made by `npm run visualize`; do not edit.
// What the names stand for is left out: guards say no, actions do nothing, actors never answer, delays are a second.
import { fromPromise, setup } from 'xstate';

export const agentCallMachine = setup({
  guards: {
    canFallBack: () => false,
    canRetry: () => false,
    isAnswered: () => false,
    isCutShort: () => false,
    isFallback: () => false,
    isPaused: () => false,
    needsPermit: () => false,
  },
  actions: {
    announceAnswer: () => {},
    announceCall: () => {},
    announceFailure: () => {},
    askForPermit: () => {},
    countTry: () => {},
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
    attemptTimeout: 1000,
    pauseLimit: 1000,
    retryBackoff: 1000,
  },
}).createMachine({
  id: 'agentCall',
  description: 'One call of one agent: tries, pauses and a fallback, all bounded.',
  options: { maxIterations: 100 },
  initial: 'admissionDecision',
  on: {
    'run.windDown': { actions: 'noteEnding' },
    'run.hold': { actions: { type: 'notePause', params: { isPaused: true } } },
    'run.release': { actions: { type: 'notePause', params: { isPaused: false } } },
  },
  states: {
    admissionDecision: {
      description: 'Wait while the run is paused, ask for a permit where the policy has a breaker or a budget, or call?',
      always: [
        { guard: 'isPaused', target: 'paused' },
        { guard: 'needsPermit', target: 'requestingPermit' },
        { guard: 'isFallback', target: 'fallingBack' },
        { target: 'calling' },
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
        'permit.granted': [{ guard: 'isFallback', target: 'fallingBack' }, { target: 'calling' }],
        'permit.refused': {
          target: 'retryDecision',
          actions: [{ type: 'keepFailure' }, 'announceFailure'],
        },
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
            actions: ['keepOutcome', 'announceAnswer', 'reportSettled', 'reportVerdict'],
          },
          {
            target: 'retryDecision',
            actions: ['keepOutcome', 'announceFailure', 'reportSettled'],
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
      always: [
        {
          guard: 'isCutShort',
          target: 'failed',
          actions: {
            type: 'keepFailure',
            params: { code: 'run-ended', reason: 'The run is ending' },
          },
        },
        { guard: 'canRetry', target: 'backingOff' },
        {
          guard: 'canFallBack',
          target: 'admissionDecision',
          actions: 'startFallback',
        },
        { target: 'failed' },
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
            actions: ['keepOutcome', 'announceAnswer', 'reportSettled'],
          },
          {
            target: 'failed',
            actions: ['keepOutcome', 'announceFailure', 'reportSettled'],
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
