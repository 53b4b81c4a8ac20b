import { z } from 'zod';

import type { JsonValue } from '../../src/canonical-json.js';
import { chooseSchema, complexitySchema } from '../../src/model/plan.js';
import { level, phase, runStatus } from '../../src/model/statuses.js';

/*
 * Records and reports as they are checked when they come from outside: a file, another process, another version.
 * Nothing else here needs them, so they are kept apart from the types. A test holds both to be the same.
 */

const json: z.ZodType<JsonValue> = z.json();
const time = z.number();
const count = z.number().int().min(0);
const list = <Item extends z.ZodType>(item: Item): z.ZodReadonly<z.ZodArray<Item>> =>
  z.array(item).readonly();
const stepIds = list(z.string());

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
      confidence: z.number().nullable(),
    }),
  ),
  isDecided: z.boolean(),
  winner: z.number().nullable(),
});

const step = plannedStep.extend({
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
  outputKeys: list(z.string()),
  reason: z.string().nullable(),
  code: z.string().nullable(),
  votes: votes.nullable(),
  revision: z.number(),
  depth: count,
  parentStepId: z.string().nullable(),
  startedAt: time.nullable(),
  endedAt: time.nullable(),
  durationMs: time.min(0).nullable(),
});

const plan = z.object({
  revision: z.number(),
  parentStepId: z.string().nullable(),
  origin: z.enum(['planner', 'given', 'handOff']),
  status: z.enum(['proposed', 'adopted', 'rejected']),
  steps: list(plannedStep),
  by: z.enum(['validation', 'supervisor', 'human', 'repeat', 'planner']).optional(),
  reason: z.string().optional(),
});

const openApproval = z.object({
  requestId: z.string(),
  stepId: z.string().nullable(),
  question: z.string(),
  payload: json,
  requestedAt: time,
});

const approval = openApproval.extend({
  outcome: z.enum(['open', 'granted', 'rejected', 'expired', 'closed']),
  answer: z.string().nullable(),
  reason: z.string().nullable(),
  expiredAs: z.enum(['approve', 'reject']).nullable(),
  decidedAt: time.nullable(),
});

const verdict = z.object({
  subject: z.enum(['plan', 'code', 'step', 'goal']),
  stepId: z.string().nullable(),
  score: z.number(),
  issues: list(z.string()),
  feedback: z.string(),
  passed: z.boolean(),
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
  totalLatencyMs: time.min(0),
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

const usage = z.object({
  inputTokens: z.number().min(0),
  outputTokens: z.number().min(0),
  costUsd: z.number().min(0),
});

/** What a record and a report have in common. */
const shared = {
  runId: z.string(),
  goal: z.string(),
  replans: z.number(),
  steps: list(step),
  plans: list(plan),
  approvals: list(approval),
  verdicts: list(verdict),
  escalations: list(escalation),
  metrics,
  usage,
  startedAt: time,
};

/** Checks a run record. */
export const runRecordSchema = z.object({
  ...shared,
  status: z.enum(['running', ...runStatus.options]),
  phase: phase.nullable(),
  reason: z.string().nullable(),
  escalation: level,
  maxReplans: z.number().nullable(),
  openApprovals: list(openApproval),
  conversation: list(z.string()),
  summary: z.string().nullable(),
  endedAt: time.nullable(),
});

const reportedPlan = z.object({ revision: z.number(), steps: list(plannedStep) });

/** Checks a run report. */
export const runReportSchema = z.object({
  ...shared,
  status: runStatus,
  reason: z.string(),
  summary: z.string(),
  successfulSteps: stepIds,
  failedSteps: stepIds,
  skippedSteps: stepIds,
  cancelledSteps: stepIds,
  allSucceeded: z.boolean(),
  originalPlan: reportedPlan.nullable(),
  finalPlan: reportedPlan.nullable(),
  endedAt: time,
  durationMs: time.min(0),
});
