import { assign, emit, enqueueActions, fromPromise, sendTo, setup } from 'xstate';

import type {
  CallFailure,
  CallInput,
  CallOutcome,
  CallRequest,
  CallResult,
  FailureCode,
} from '../../model/calls.js';
import { canFallBack, canRetry, isCutShort, retryBackoffMs } from '../../guards/retry.js';
import { answeredFact, calledFact, failedFact } from './facts.js';
import {
  answeredResult,
  failedResult,
  failure,
  failureOf,
  keyOfTry,
  permitName,
  settledReport,
} from './updates.js';
import { tryOf } from '../event-output.js';
import type { PermitAnswer } from '../orchestrator/context.js';
import { parentOf } from '../send-up.js';

/**
 * One call of one agent, planner, supervisor, tester or summarizer.
 *
 * It decides whether a failed try is made again, when, and what happens after the last one. It never looks at what an
 * answer says: that is for the chart that asked. It ends with an answer or with the reason why there is none, and
 * never later than its tries, their timeouts and the pauses between them allow.
 */
export const agentCallMachine = setup({
  types: {
    input: {} as AgentCallInput,
    context: {} as AgentCallContext,
    events: {} as
      | PermitAnswer
      | { readonly type: 'run.windDown' }
      | { readonly type: 'run.hold' }
      | { readonly type: 'run.release' },
    output: {} as CallResult,
    tags: {} as 'running' | 'waiting' | 'waiting-for-human' | 'settled',
  },
  guards: {
    canFallBack: ({ context }) => canFallBack(context),
    canRetry: ({ context }) => canRetry(context),
    isAnswered: ({ event }) => tryOf(event).kind === 'answered',
    isAnsweredWithPermit: ({ context, event }) =>
      context.needsPermit && tryOf(event).kind === 'answered',
    isCutShort: ({ context }) => isCutShort(context),
    isFallback: ({ context }) => context.isFallback,
    isPaused: ({ context }) => context.isPaused,
    needsPermit: ({ context }) => context.needsPermit,
  },
  actions: {
    announceAnswer: emit(({ context, event }) => answeredFact(context, tryOf(event))),
    announceCall: emit(({ context }) => calledFact(context)),
    announceFailure: emit(({ context }) => failedFact(context)),
    askForPermit: sendTo(parentOf, ({ context, self }) => ({
      type: 'permit.requested',
      agent: permitName(context),
      route: [self.id],
    })),
    countTry: assign({ tries: ({ context }) => context.tries + 1 }),
    keepOutcome: assign({ outcome: ({ event }) => failureOf(tryOf(event)) }),
    keepFailure: assign({
      outcome: (_, params: { readonly code: FailureCode; readonly reason: string }) =>
        failure(params),
    }),
    noteEnding: assign({ isWindingDown: true }),
    notePause: assign({ isPaused: (_, params: { readonly isPaused: boolean }) => params.isPaused }),
    reportSettled: enqueueActions(({ context, event, enqueue }) => {
      if (context.needsPermit) enqueue.sendTo(parentOf, settledReport(context, tryOf(event)));
    }),
    startFallback: assign({ isFallback: true }),
  },
  actors: {
    performCall: fromPromise<CallOutcome, CallInput>(() =>
      Promise.reject(new Error('performCall is provided by createOrchestrator')),
    ),
  },
  delays: {
    attemptTimeout: ({ context }) => context.timeoutMs,
    pauseLimit: ({ context }) => context.pauseLimitMs,
    retryBackoff: ({ context }) => retryBackoffMs(context),
  },
}).createMachine({
  id: 'agentCall',
  description: 'One call of one agent: tries, pauses and a fallback, all bounded.',
  options: { maxIterations: 100 },
  context: ({ input }) => ({
    tries: 1,
    outcome: null,
    isPaused: false,
    isFallback: false,
    ...input,
  }),
  initial: 'admitting',
  output: ({ event }) => (event as unknown as FinalEvent).output,
  on: {
    'run.windDown': { actions: 'noteEnding' },
    'run.hold': { actions: { type: 'notePause', params: { isPaused: true } } },
    'run.release': { actions: { type: 'notePause', params: { isPaused: false } } },
  },
  states: {
    admitting: {
      description:
        'No try goes out while its run is paused. A permit is asked for only when the policy has a breaker or a budget of calls.',
      always: [
        { guard: 'isPaused', target: 'paused' },
        { guard: 'needsPermit', target: 'requestingPermit' },
        { guard: 'isFallback', target: 'fallingBack' },
        { target: 'calling' },
      ],
    },
    paused: {
      description: 'The next try waits until a person resumes the run.',
      tags: ['waiting-for-human'],
      on: {
        'run.release': {
          target: 'admitting',
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
          target: 'judgingFailure',
          actions: [
            {
              type: 'keepFailure',
              params: ({ event }) => ({ code: event.code, reason: `Refused: ${event.code}` }),
            },
            'announceFailure',
          ],
        },
      },
      after: {
        attemptTimeout: {
          target: 'judgingFailure',
          actions: [
            { type: 'keepFailure', params: { code: 'timeout', reason: 'No permit in time' } },
            'announceFailure',
          ],
        },
      },
    },
    calling: {
      description:
        'One try. Leaves on the answer, the failure or the timeout; what comes later is dropped.',
      tags: ['running'],
      entry: 'announceCall',
      invoke: {
        id: 'performCall',
        src: 'performCall',
        input: ({ context }) => ({
          request: context.request,
          key: keyOfTry(context),
          isFallback: false,
        }),
        onDone: [
          {
            guard: 'isAnsweredWithPermit',
            target: 'answered',
            actions: ['announceAnswer', 'reportSettled'],
          },
          { guard: 'isAnswered', target: 'answered', actions: 'announceAnswer' },
          {
            target: 'judgingFailure',
            actions: ['keepOutcome', 'announceFailure', 'reportSettled'],
          },
        ],
        onError: {
          target: 'judgingFailure',
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
          target: 'judgingFailure',
          actions: [
            { type: 'keepFailure', params: { code: 'timeout', reason: 'No answer in time' } },
            'announceFailure',
            'reportSettled',
          ],
        },
      },
    },
    judgingFailure: {
      description: 'Once more, with less, or not at all.',
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
        { guard: 'canFallBack', target: 'admitting', actions: 'startFallback' },
        { target: 'failed' },
      ],
    },
    backingOff: {
      description: 'A pause that grows with every try; the end of the run ends it.',
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
      after: { retryBackoff: { target: 'admitting', actions: 'countTry' } },
    },
    fallingBack: {
      description: "The agent's own fallback answers instead; the run goes on with less.",
      tags: ['running'],
      entry: 'announceCall',
      invoke: {
        id: 'performFallback',
        src: 'performCall',
        input: ({ context }) => ({
          request: context.request,
          key: keyOfTry(context),
          isFallback: true,
        }),
        onDone: [
          {
            guard: 'isAnswered',
            target: 'answered',
            actions: ['announceAnswer', 'reportSettled'],
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
            { type: 'keepFailure', params: { code: 'timeout', reason: 'No fallback in time' } },
            'announceFailure',
            'reportSettled',
          ],
        },
      },
    },
    answered: {
      description: 'There is an answer.',
      tags: ['settled'],
      type: 'final',
      output: ({ context, event }) => answeredResult(context, tryOf(event)),
    },
    failed: {
      description: 'There is none, and the reason is known.',
      tags: ['settled'],
      type: 'final',
      output: ({ context }) => failedResult(context),
    },
  },
});

export interface AgentCallInput {
  readonly request: CallRequest;
  readonly retry: RetrySettings;
  /** How long one try may take. */
  readonly timeoutMs: number;
  /** True when the run winds down: a try that fails is the last one. */
  readonly isWindingDown: boolean;
  /** How long a pause may hold a try up: the time limit of the run, which ends it first unless a person extends it. */
  readonly pauseLimitMs: number;
  /** True when a breaker or a budget must be asked before every try. */
  readonly needsPermit: boolean;
  /** True when the agent has a fallback and the policy allows it. */
  readonly hasFallback: boolean;
}

export interface RetrySettings {
  readonly attempts: number;
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
}

export interface AgentCallContext extends AgentCallInput {
  /** The number of the present try, from 1. */
  readonly tries: number;
  /** How the last try failed; null before one did. */
  readonly outcome: CallFailure | null;
  /** True while the run is paused: the next try waits. Only calls for a plan or the goal are told of a pause. */
  readonly isPaused: boolean;
  /** True once the fallback was asked. */
  readonly isFallback: boolean;
}

/** The event a machine's output is made from: it carries the output of the final state. */
interface FinalEvent {
  readonly output: CallResult;
}
