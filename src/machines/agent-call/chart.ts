import { assign, emit, enqueueActions, fromPromise, sendTo, setup } from 'xstate';

import type {
  CallInput,
  CallOutcome,
  CallRequest,
  CallResult,
  FailureCode,
  TryOutcome,
} from '../../model/calls.js';
import { canFallBack, canRetry, isCutShort, retryBackoffMs } from '../../guards/retry.js';
import { answeredFact, calledFact, failedFact, verdictFact } from './facts.js';
import {
  callResult,
  failure,
  keyOfTry,
  permitName,
  settledReport,
  tryOutcome,
  verdictSummary,
} from './updates.js';
import { tryOf } from '../event-output.js';
import type { PermitAnswer } from '../orchestrator/context.js';
import { parentOf } from '../send-up.js';

/**
 * One call of one agent, planner, supervisor, tester or summarizer.
 *
 * It decides whether a failed try is retried, when, and what follows the last try. The chart that asked decides what an
 * answer means, with one exception: a supervisor's verdict is reported upwards before the call ends, so that the
 * escalation ladder of the run has moved, or has ended the run, before the verdict takes effect. A call ends with an
 * answer or with a failure reason, and never later than its tries, their timeouts and the pauses between them allow.
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
    keepOutcome: assign({ outcome: ({ event }) => tryOutcome(tryOf(event)) }),
    keepFailure: assign({
      outcome: (_, params: { readonly code: FailureCode; readonly reason: string }) =>
        failure(params),
    }),
    noteEnding: assign({ isWindingDown: true }),
    notePause: assign({ isPaused: (_, params: { readonly isPaused: boolean }) => params.isPaused }),
    reportSettled: enqueueActions(({ context, enqueue }) => {
      if (context.needsPermit) enqueue.sendTo(parentOf, settledReport(context));
    }),
    reportVerdict: enqueueActions(({ context, enqueue }) => {
      const verdict = verdictSummary(context);
      if (verdict === undefined) return;
      enqueue.emit(verdictFact(context, verdict));
      enqueue.sendTo(parentOf, { type: 'verdict.given', ...verdict });
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
  initial: 'admissionDecision',
  output: ({ context }) => callResult(context),
  on: {
    'run.windDown': { actions: 'noteEnding' },
    'run.hold': { actions: { type: 'notePause', params: { isPaused: true } } },
    'run.release': { actions: { type: 'notePause', params: { isPaused: false } } },
  },
  states: {
    admissionDecision: {
      description:
        'Wait while the run is paused, ask for a permit where the policy has a breaker or a budget, or call?',
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
          target: 'retryDecision',
          actions: [
            { type: 'keepFailure', params: { code: 'timeout', reason: 'No permit in time' } },
            'announceFailure',
          ],
        },
      },
    },
    calling: {
      description:
        'One try. Ends with the answer, the failure or the timeout; a later answer is dropped.',
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
            { type: 'keepFailure', params: { code: 'timeout', reason: 'No answer in time' } },
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
        { guard: 'canFallBack', target: 'admissionDecision', actions: 'startFallback' },
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
        input: ({ context }) => ({
          request: context.request,
          key: keyOfTry(context),
          isFallback: true,
        }),
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
            { type: 'keepFailure', params: { code: 'timeout', reason: 'No fallback in time' } },
            'announceFailure',
            'reportSettled',
          ],
        },
      },
    },
    answered: {
      description: 'The call has an answer.',
      tags: ['settled'],
      type: 'final',
    },
    failed: {
      description: 'The call failed, with a reason.',
      tags: ['settled'],
      type: 'final',
    },
  },
});

export interface AgentCallInput {
  readonly request: CallRequest;
  readonly retry: RetrySettings;
  /** How long one try may take. */
  readonly timeoutMs: number;
  /** True when the run winds down: a failed try is not retried. */
  readonly isWindingDown: boolean;
  /**
   * How long a paused run may hold up a try: the time limit of the run, which ends the run first unless a person
   * extends it.
   */
  readonly pauseLimitMs: number;
  /** True when a breaker or a budget must permit every try. */
  readonly needsPermit: boolean;
  /** True when the agent has a fallback and the policy allows it. */
  readonly hasFallback: boolean;
  /** The score that a verdict must reach, for a call of the supervisor. */
  readonly gateScore: number | null;
}

export interface RetrySettings {
  readonly attempts: number;
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
}

export interface AgentCallContext extends AgentCallInput {
  /** The number of the present try, from 1. */
  readonly tries: number;
  /** The outcome of the last try, without its output; null before the first. */
  readonly outcome: TryOutcome | null;
  /** True while the run is paused: the next try waits. Only calls for a plan or the goal receive a pause. */
  readonly isPaused: boolean;
  /** True once the fallback was called. */
  readonly isFallback: boolean;
}
