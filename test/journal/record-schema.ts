import * as z from 'zod/mini';

import type { JsonValue } from '../../src/canonical-json.js';
import { chooseSchema, complexitySchema } from '../../src/model/plan.js';
import { bound, level, phase, refusable, runStatus } from '../../src/model/statuses.js';

/*
 * Schemas of records and reports that come from outside: a file, another process, another version. Only tests need
 * them, so they are separate from the types. A test checks that both are equal.
 */

const json: z.ZodMiniType<JsonValue> = z.json();
const time = z.number();
const atLeastZero = z.number().check(z.minimum(0));
const count = z.int().check(z.minimum(0));
const list = <Item extends z.core.$ZodType>(item: Item): z.ZodMiniReadonly<z.ZodMiniArray<Item>> =>
  z.readonly(z.array(item));
const stepIds = list(z.string());

const issue = z.object({
  code: z.string(),
  path: z.string(),
  message: z.string(),
  severity: z.optional(z.enum(['error', 'warning'])),
});

const usage = z.object({
  inputTokens: atLeastZero,
  outputTokens: atLeastZero,
  costUsd: atLeastZero,
});

const plannedStep = z.object({
  id: z.string(),
  agent: z.string(),
  task: z.string(),
  complexity: complexitySchema,
  dependsOn: stepIds,
});

const votes = z.object({
  choose: chooseSchema,
  of: z.number(),
  cast: list(
    z.object({
      number: z.number(),
      key: z.string(),
      digest: z.string(),
      confidence: z.nullable(z.number()),
    }),
  ),
  isDecided: z.boolean(),
  winner: z.nullable(z.number()),
});

const step = z.extend(plannedStep, {
  status: z.enum([
    'pending',
    'running',
    'awaitingApproval',
    'blocked',
    'completed',
    'failed',
    'skipped',
    'cancelled',
  ]),
  attempts: z.number(),
  output: json,
  isWhole: z.boolean(),
  outputKeys: list(z.string()),
  reason: z.nullable(z.string()),
  code: z.nullable(z.string()),
  usedFallback: z.boolean(),
  confidence: z.nullable(z.number()),
  usage,
  waitedMs: atLeastZero,
  votes: z.nullable(votes),
  revision: z.number(),
  depth: count,
  parentStepId: z.nullable(z.string()),
  startedAt: z.nullable(time),
  endedAt: z.nullable(time),
  durationMs: z.nullable(atLeastZero),
});

const plan = z.object({
  revision: z.number(),
  parentStepId: z.nullable(z.string()),
  origin: z.enum(['planner', 'given', 'handOff']),
  status: z.enum(['proposed', 'adopted', 'rejected']),
  steps: list(plannedStep),
  by: z.optional(z.enum(['validation', 'supervisor', 'human', 'repeat', 'planner'])),
  reason: z.optional(z.string()),
  issues: z.optional(list(issue)),
});

const openApproval = z.object({
  requestId: z.string(),
  stepId: z.nullable(z.string()),
  question: z.string(),
  payload: json,
  requestedAt: time,
});

const approval = z.extend(openApproval, {
  outcome: z.enum(['open', 'granted', 'rejected', 'expired', 'closed']),
  answer: z.nullable(z.string()),
  reason: z.nullable(z.string()),
  by: z.nullable(z.string()),
  expiredAs: z.nullable(z.enum(['approve', 'reject'])),
  decidedAt: z.nullable(time),
});

const verdict = z.object({
  subject: z.enum(['plan', 'code', 'step', 'goal']),
  stepId: z.nullable(z.string()),
  score: z.number(),
  issues: list(z.string()),
  feedback: z.string(),
  passed: z.boolean(),
  at: time,
});

const planningFailure = z.object({
  revision: z.number(),
  parentStepId: z.nullable(z.string()),
  try: z.nullable(z.number()),
  by: z.enum(['validation', 'supervisor', 'human', 'repeat', 'planner']),
  reason: z.string(),
  issues: list(issue),
  at: time,
});

const refusedRequest = z.object({
  what: refusable,
  stepId: z.nullable(z.string()),
  agent: z.nullable(z.string()),
  bound,
  limit: z.nullable(z.number()),
  reason: z.string(),
  at: time,
});

const escalation = z.object({
  from: level,
  to: level,
  score: z.number(),
  consecutiveIssues: z.number(),
  at: time,
});

const agentMetrics = z.object({
  calls: count,
  errors: count,
  answers: count,
  replanRequests: count,
  replansGranted: count,
  stepsAdded: count,
  totalLatencyMs: atLeastZero,
});

const metrics = z.object({
  totalSteps: count,
  completedSteps: count,
  failedSteps: count,
  replanCount: count,
  fixCycles: count,
  verificationsPassed: count,
  verificationsFailed: count,
  agents: z.record(z.string(), agentMetrics),
});

/** What a record and a report have in common. */
const shared = {
  runId: z.string(),
  goal: z.string(),
  labels: z.record(z.string(), z.string()),
  replans: z.number(),
  steps: list(step),
  plans: list(plan),
  approvals: list(approval),
  verdicts: list(verdict),
  escalations: list(escalation),
  refused: list(refusedRequest),
  planningFailures: list(planningFailure),
  waitedMs: atLeastZero,
  workedMs: atLeastZero,
  metrics,
  usage,
  startedAt: time,
};

/** Checks a run record. */
export const runRecordSchema = z.object({
  ...shared,
  status: z.enum(['running', 'detached', ...runStatus.options]),
  phase: z.nullable(z.enum([...phase.options, 'ended'])),
  pausedAt: z.nullable(time),
  reason: z.nullable(z.string()),
  escalation: level,
  maxReplans: z.nullable(z.number()),
  openApprovals: list(openApproval),
  conversation: list(z.string()),
  summary: z.nullable(z.string()),
  endedAt: z.nullable(time),
});

const reportedPlan = z.object({ revision: z.number(), steps: list(plannedStep) });

/** Checks a run report. */
export const runReportSchema = z.object({
  ...shared,
  status: z.enum(['detached', ...runStatus.options]),
  isFinal: z.boolean(),
  reason: z.string(),
  summary: z.string(),
  successfulSteps: stepIds,
  failedSteps: stepIds,
  skippedSteps: stepIds,
  cancelledSteps: stepIds,
  allSucceeded: z.boolean(),
  originalPlan: z.nullable(reportedPlan),
  finalPlan: z.nullable(reportedPlan),
  endedAt: time,
  durationMs: atLeastZero,
});
