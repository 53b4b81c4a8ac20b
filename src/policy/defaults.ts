/** The default of every option, as data. `model/policy.ts` says what each means. */

import { deepFrozen } from '../deep-frozen.js';
import type { Policy } from '../model/policy.js';

/** The policy without any chosen options: bounded, parallel, unsupervised. */
export const defaultPolicy: Policy = deepFrozen({
  limits: {
    maxReplans: 3,
    maxDepth: 3,
    maxAttempts: 3,
    maxFixCycles: 3,
    maxParallel: 5,
    maxSteps: 15,
    maxVotes: 1,
    maxRecoveries: 5,
    maxFailures: null,
    maxAgentCalls: null,
    maxTokens: null,
    maxCostUsd: null,
    maxOutputBytes: 1_048_576,
  },
  time: {
    limitMs: 3_600_000,
    planningMs: null,
    verificationMs: null,
    stepTimeoutMs: 60_000,
    stepShare: false,
    graceMs: 5_000,
  },
  replan: {
    maxByComplexity: null,
    merge: 'replacePending',
    coalesce: 'batch',
    onLimit: 'continue',
    stopOnRepeatedPlan: true,
  },
  failure: {
    onStepFailure: 'replan',
    onDependencyFailure: 'skip',
    onPlannerFailure: 'end',
  },
  approval: {
    plan: false,
    agents: [],
    confidenceBelow: null,
    autoApproveTrivial: false,
    timeoutMs: 900_000,
    maxQuestions: 5,
    onTimeout: 'reject',
    onReject: 'replan',
  },
  gates: { plan: null, code: null, step: null, goal: null },
  escalation: {
    scores: { remind: 70, correct: 50, refocus: 30 },
    issues: { correct: 2, refocus: 3, critical: 4, abort: 5 },
  },
  retry: { attempts: 3, backoffMs: 1_000, maxBackoffMs: 30_000, fallback: true },
  breaker: null,
  context: { maxMessages: 20, maxOutputTokens: 2_000, summaryCharacters: 200 },
});
