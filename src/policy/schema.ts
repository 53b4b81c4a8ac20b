/**
 * Validates a policy. The types tie it to `model/policy.ts`: an option that is missing here, or has another type, does
 * not compile.
 */

import { executionBudgetMs } from '../guards/time-budgets.js';
import type { Policy } from '../model/policy.js';
import type { Section } from './options.js';
import {
  agentNames,
  choice,
  integer,
  numberBetween,
  orNull,
  positiveNumber,
  section,
  sectionOrNull,
  toggle,
} from './options.js';

// Enough for any real team; bounds the cost of a hostile list.
export const maxApprovalAgents = 1_000;

const durationMs = integer(1);

const limits = section<Policy['limits']>({
  maxReplans: integer(0),
  // Sub-plans multiply: at depth 8 a plan of 15 steps could mean 15^9 of them.
  maxDepth: integer(0, 8),
  maxAttempts: integer(1),
  maxFixCycles: integer(0),
  maxParallel: integer(1, 1_000),
  maxSteps: integer(1, 1_000_000),
  maxVotes: integer(1, 9),
  maxRecoveries: integer(0, 1_000_000),
  maxFailures: orNull(integer(0)),
  maxAgentCalls: orNull(integer(1)),
  maxTokens: orNull(integer(1)),
  maxCostUsd: orNull(positiveNumber()),
  maxOutputBytes: integer(1_024),
});

const time = section<Policy['time']>(
  {
    limitMs: durationMs,
    planningMs: orNull(durationMs),
    verificationMs: orNull(durationMs),
    stepTimeoutMs: orNull(durationMs),
    stepShare: toggle(),
    graceMs: integer(0),
  },
  (value) =>
    unless(
      executionBudgetMs({ time: value }) >= 1,
      'time',
      'Expected `time.planningMs` and `time.verificationMs` to leave time for the steps',
    ),
);

const replan = section<Policy['replan']>({
  // Also bounded by `limits.maxReplans`, which only the whole policy knows.
  maxByComplexity: sectionOrNull({ simple: integer(0), medium: integer(0), complex: integer(0) }),
  merge: choice('replacePending', 'append', 'appendNext', 'replaceAll'),
  coalesce: choice('batch', 'first', 'highestConfidence'),
  onLimit: choice('continue', 'finish', 'fail', 'askHuman'),
  stopOnRepeatedPlan: toggle(),
});

const failure = section<Policy['failure']>({
  onStepFailure: choice('replan', 'continue', 'stop'),
  onDependencyFailure: choice('skip', 'run', 'stop'),
  onPlannerFailure: choice('end', 'interrupt'),
});

const approval = section<Policy['approval']>({
  plan: toggle(),
  agents: agentNames(maxApprovalAgents),
  confidenceBelow: orNull(numberBetween(0, 1)),
  autoApproveTrivial: toggle(),
  timeoutMs: durationMs,
  maxQuestions: integer(0, 100),
  onTimeout: choice('reject', 'approve'),
  onReject: choice('replan', 'skip', 'fail'),
});

const score = numberBetween(0, 100);

const gates = section<Policy['gates']>({
  plan: orNull(score),
  code: orNull(score),
  step: orNull(score),
  goal: orNull(score),
});

// Strict order keeps every level of the ladder reachable, and with it every path of the chart.
const escalation = section<Policy['escalation']>({
  scores: section({ remind: score, correct: score, refocus: score }, (scores) =>
    unless(
      scores.remind > scores.correct && scores.correct > scores.refocus,
      'escalation.scores',
      'Expected `escalation.scores` to descend from remind over correct to refocus',
    ),
  ),
  issues: section(
    { correct: integer(1), refocus: integer(1), critical: integer(1), abort: integer(1) },
    ({ correct, refocus, critical, abort }) =>
      unless(
        correct < refocus && refocus < critical && critical < abort,
        'escalation.issues',
        'Expected `escalation.issues` to ascend from correct over refocus and critical to abort',
      ),
  ),
});

const retry = section<Policy['retry']>({
  attempts: integer(1, 10),
  backoffMs: integer(0),
  maxBackoffMs: integer(0),
  fallback: toggle(),
});

const breaker = sectionOrNull<NonNullable<Policy['breaker']>>({
  failures: integer(1),
  resetMs: durationMs,
});

const context = section<Policy['context']>({
  maxMessages: integer(1),
  maxOutputTokens: integer(1),
  summaryCharacters: integer(1),
});

/** The complete policy; nothing has a default here. */
export const policySchema: Section<Policy> = section<Policy>(
  { limits, time, replan, failure, approval, gates, escalation, retry, breaker, context },
  ({ limits: { maxReplans }, replan: { maxByComplexity } }) =>
    Object.entries(maxByComplexity ?? {}).flatMap(([complexity, most]) => {
      const path = `replan.maxByComplexity.${complexity}`;
      const message = `Expected \`${path}\` to be at most \`limits.maxReplans\`, which is ${maxReplans}, got ${most}`;
      return unless(most <= maxReplans, path, message);
    }),
);

function unless(
  isMet: boolean,
  path: string,
  message: string,
): readonly { readonly path: string; readonly message: string }[] {
  return isMet ? [] : [{ path, message }];
}
