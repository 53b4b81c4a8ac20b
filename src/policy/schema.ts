/**
 * What a valid policy is, as a zod schema. Each option carries its expectation as its description:
 * error messages are made of it, so that the rule and its wording cannot drift apart.
 */

import { z } from 'zod';

import { choice, integer, numberBetween, orNull, positiveNumber, toggle } from './options.js';
import { executionBudgetMs } from '../guards/time-budgets.js';

// Enough for any real team; keeps a hostile list from costing more than a moment.
export const maxApprovalAgents = 1_000;

const durationMs = integer(1);

const limits = z.strictObject({
  maxReplans: integer(0),
  // Sub-plans multiply: at depth 8 a plan of 15 steps could already mean 15^9 of them.
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

const time = z
  .strictObject({
    limitMs: durationMs,
    planningMs: orNull(durationMs),
    verificationMs: orNull(durationMs),
    stepTimeoutMs: orNull(durationMs),
    stepShare: toggle(),
    graceMs: integer(0),
  })
  .refine((value) => executionBudgetMs({ time: value }) >= 1, {
    error: 'Expected `time.planningMs` and `time.verificationMs` to leave time for the steps',
  });

const replan = z.strictObject({
  // Bounded by `limits.maxReplans` too, which only the whole policy knows.
  maxByComplexity: z
    .strictObject({ simple: integer(0), medium: integer(0), complex: integer(0) })
    .nullable(),
  merge: choice('replacePending', 'append', 'appendNext', 'replaceAll'),
  coalesce: choice('batch', 'first', 'highestConfidence'),
  onLimit: choice('continue', 'finish', 'fail', 'askHuman'),
  stopOnRepeatedPlan: toggle(),
});

const failure = z.strictObject({
  onStepFailure: choice('replan', 'continue', 'stop'),
  onDependencyFailure: choice('skip', 'run', 'stop'),
  onPlannerFailure: choice('end', 'interrupt'),
});

const approval = z.strictObject({
  plan: toggle(),
  agents: z
    .array(z.string().min(1).describe('the name of an agent'))
    .max(maxApprovalAgents)
    .describe(`a list of at most ${maxApprovalAgents} agent names`),
  confidenceBelow: orNull(numberBetween(0, 1)),
  autoApproveTrivial: toggle(),
  timeoutMs: durationMs,
  maxQuestions: integer(0, 100),
  onTimeout: choice('reject', 'approve'),
  onReject: choice('replan', 'skip', 'fail'),
});

const score = numberBetween(0, 100);

const gates = z.strictObject({
  plan: orNull(score),
  code: orNull(score),
  step: orNull(score),
  goal: orNull(score),
});

// Strict order keeps every level of the ladder reachable, and with it every path of the chart.
const escalation = z.strictObject({
  scores: z
    .strictObject({ remind: score, correct: score, refocus: score })
    .refine(({ remind, correct, refocus }) => remind > correct && correct > refocus, {
      error: 'Expected `escalation.scores` to descend from remind over correct to refocus',
    }),
  issues: z
    .strictObject({
      correct: integer(1),
      refocus: integer(1),
      critical: integer(1),
      abort: integer(1),
    })
    .refine(
      ({ correct, refocus, critical, abort }) =>
        correct < refocus && refocus < critical && critical < abort,
      {
        error:
          'Expected `escalation.issues` to ascend from correct over refocus and critical to abort',
      },
    ),
});

const retry = z.strictObject({
  attempts: integer(1, 10),
  backoffMs: integer(0),
  maxBackoffMs: integer(0),
  fallback: toggle(),
});

const breaker = z.strictObject({ failures: integer(1), resetMs: durationMs }).nullable();

const context = z.strictObject({
  maxMessages: integer(1),
  maxOutputTokens: integer(1),
  summaryCharacters: integer(1),
});

/** The complete policy; unknown options are refused, nothing has a default here. */
export const policySchema = z
  .strictObject({
    limits,
    time,
    replan,
    failure,
    approval,
    gates,
    escalation,
    retry,
    breaker,
    context,
  })
  .superRefine((policy, refinement) => {
    // One complaint about a number is enough; what it conflicts with can wait.
    if (refinement.issues.length > 0) return;
    const { maxReplans } = policy.limits;
    for (const [complexity, most] of Object.entries(policy.replan.maxByComplexity ?? {})) {
      if (most <= maxReplans) continue;
      const path = ['replan', 'maxByComplexity', complexity];
      const message = `Expected \`${path.join('.')}\` to be at most \`limits.maxReplans\`, which is ${maxReplans}, got ${most}`;
      refinement.addIssue({ code: 'custom', path, message });
    }
  });
