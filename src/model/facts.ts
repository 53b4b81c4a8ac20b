import * as z from 'zod/mini';

import { usageSchema } from './usage.js';
import type { JsonValue } from '../canonical-json.js';
import { chooseSchema, complexitySchema, planSchema } from './plan.js';
import { runVersion } from './run-upgraded.js';
import { bound, level, phase, refusable, runStatus } from './statuses.js';

/*
 * All facts about a run. Charts emit fact bodies; the driver numbers and dates them. The run record and the report are
 * reductions of this list and of nothing else.
 */

const stepId = z.string();
const reason = z.string();
/** The message of seed 004's protocol that a fact stands for, so that a transcript can be made from the journal. */
const message = z.nullable(z.string());
const issue = z.object({
  code: z.string(),
  path: z.string(),
  message: z.string(),
  severity: z.optional(z.enum(['error', 'warning'])),
});
/** Stored facts come from JSON, so every value in them is JSON. */
const json = z.unknown().check(({ value, issues }) => {
  if (value === undefined)
    issues.push({ code: 'custom', input: value, message: 'Expected a value' });
}) as z.ZodMiniType<JsonValue>;
const role = z.enum(['planner', 'worker', 'supervisor', 'tester', 'summarizer']);
const plannedStep = z.object({
  id: stepId,
  agent: z.string(),
  task: z.string(),
  complexity: complexitySchema,
  dependsOn: z.array(stepId),
});
/** The step whose sub-plan this is about; null for the plan of the goal. */
const parentStepId = z.nullable(stepId);
const call = {
  key: z.string(),
  role,
  agent: z.string(),
  stepId: z.nullable(stepId),
  try: z.number(),
};
/** A thrown value, redacted: its name, its code and the first lines of its stack. */
const errorDetails = z.object({
  name: z.string(),
  code: z.optional(z.string()),
  stack: z.optional(z.string()),
});
const request = { requestId: z.string(), stepId: z.nullable(stepId) };

const bodies = {
  'run.started': z.object({
    type: z.literal('run.started'),
    runId: z.string(),
    goal: z.string(),
    /** Missing when the run has none. */
    input: z.optional(json),
    labels: z.optional(z.record(z.string(), z.string())),
    agents: z.array(z.string()),
  }),
  'phase.entered': z.object({
    type: z.literal('phase.entered'),
    parentStepId,
    phase,
  }),
  'plan.proposed': z.object({
    type: z.literal('plan.proposed'),
    parentStepId,
    revision: z.number(),
    origin: z.enum(['planner', 'given', 'handOff']),
    plan: z.nullable(planSchema),
    message,
  }),
  'plan.adopted': z.object({
    type: z.literal('plan.adopted'),
    parentStepId,
    revision: z.number(),
    steps: z.array(plannedStep),
    replaced: z.array(stepId),
  }),
  'plan.rejected': z.object({
    type: z.literal('plan.rejected'),
    parentStepId,
    revision: z.number(),
    by: z.enum(['validation', 'supervisor', 'human', 'repeat', 'planner']),
    reason,
    issues: z.array(issue),
  }),
  'plan.modified': z.object({
    type: z.literal('plan.modified'),
    change: z.enum(['skip', 'skipTo']),
    stepIds: z.array(stepId),
    /** The person's reason; null without one. */
    reason: z.nullable(reason),
  }),
  'step.started': z.object({
    type: z.literal('step.started'),
    stepId,
    agent: z.string(),
    slot: z.string(),
  }),
  'step.retried': z.object({
    type: z.literal('step.retried'),
    stepId,
    attempt: z.number(),
    reason,
  }),
  'step.completed': z.object({
    type: z.literal('step.completed'),
    stepId,
    agent: z.string(),
    attempts: z.number(),
    /** Keys of the `agent.answered` facts that hold the output. */
    outputKeys: z.array(z.string()),
    message,
  }),
  'step.failed': z.object({
    type: z.literal('step.failed'),
    stepId,
    agent: z.string(),
    attempts: z.number(),
    code: z.string(),
    reason,
    message,
  }),
  'step.skipped': z.object({ type: z.literal('step.skipped'), stepId, reason }),
  'step.cancelled': z.object({ type: z.literal('step.cancelled'), stepId, reason }),
  'fix.started': z.object({
    type: z.literal('fix.started'),
    stepId,
    cycle: z.number(),
    message,
  }),
  'tests.reported': z.object({
    type: z.literal('tests.reported'),
    stepId,
    passed: z.boolean(),
    failures: z.number(),
    key: z.string(),
  }),
  'vote.cast': z.object({
    type: z.literal('vote.cast'),
    stepId,
    /** Which call of the vote it was, from 1; failed calls are not votes and leave a gap. */
    number: z.number(),
    of: z.number(),
    choose: chooseSchema,
    /** The `agent.answered` fact that holds the answer. */
    key: z.string(),
    /** Equal answers have equal digests. */
    digest: z.string(),
    confidence: z.nullable(z.number()),
  }),
  'vote.decided': z.object({
    type: z.literal('vote.decided'),
    stepId,
    choose: chooseSchema,
    of: z.number(),
    cast: z.number(),
    /** The number of the winning vote; null when no majority was possible. */
    winner: z.nullable(z.number()),
    /** Every distinct answer, in the order of its first vote. */
    counts: z.array(z.object({ digest: z.string(), votes: z.number() })),
  }),
  'subplan.started': z.object({
    type: z.literal('subplan.started'),
    stepId,
    depth: z.number(),
    reason,
    message,
  }),
  'subplan.ended': z.object({
    type: z.literal('subplan.ended'),
    stepId,
    status: runStatus,
    reason,
  }),
  'replan.requested': z.object({
    type: z.literal('replan.requested'),
    parentStepId,
    stepId: z.nullable(stepId),
    agent: z.nullable(z.string()),
    kind: z.string(),
    reason,
    agents: z.array(z.string()),
    confidence: z.nullable(z.number()),
  }),
  'replan.started': z.object({
    type: z.literal('replan.started'),
    parentStepId,
    replans: z.number(),
    maxReplans: z.number(),
    reasons: z.array(z.string()),
    /** The steps whose requests or failures the planner call includes; the plan and the goal are not steps. */
    stepIds: z.array(stepId),
  }),
  /** A request was refused: its bound was reached, or the agent it names does not exist. */
  'request.refused': z.object({
    type: z.literal('request.refused'),
    parentStepId,
    what: refusable,
    /** The step that made the request; null for the plan or the goal. */
    stepId: z.nullable(stepId),
    agent: z.nullable(z.string()),
    bound,
    /** The number of the bound; null when the bound is not a number. */
    limit: z.nullable(z.number()),
    /** Why the request was made. */
    reason,
  }),
  'approval.requested': z.object({
    type: z.literal('approval.requested'),
    ...request,
    question: z.string(),
    payload: json,
  }),
  'approval.granted': z.object({
    type: z.literal('approval.granted'),
    ...request,
    answer: z.string(),
    /** Who answered; absent when the sender did not say. */
    by: z.optional(z.string()),
  }),
  'approval.rejected': z.object({
    type: z.literal('approval.rejected'),
    ...request,
    reason,
    by: z.optional(z.string()),
  }),
  'approval.expired': z.object({
    type: z.literal('approval.expired'),
    ...request,
    outcome: z.enum(['approve', 'reject']),
  }),
  'verdict.given': z.object({
    type: z.literal('verdict.given'),
    subject: z.enum(['plan', 'code', 'step', 'goal']),
    stepId: z.nullable(stepId),
    score: z.number(),
    issues: z.array(z.string()),
    feedback: z.string(),
    passed: z.boolean(),
    message,
  }),
  'escalation.changed': z.object({
    type: z.literal('escalation.changed'),
    from: level,
    to: level,
    score: z.number(),
    consecutiveIssues: z.number(),
    message,
  }),
  'agent.called': z.object({
    type: z.literal('agent.called'),
    ...call,
    isFallback: z.boolean(),
    message,
  }),
  'agent.answered': z.object({
    type: z.literal('agent.answered'),
    ...call,
    report: z.enum(['done', 'needsContext', 'handOff', 'requestReplan', 'blocked', 'askHuman']),
    confidence: z.nullable(z.number()),
    output: json,
    usage: z.nullable(usageSchema),
    message,
  }),
  'agent.failed': z.object({
    type: z.literal('agent.failed'),
    ...call,
    code: z.string(),
    reason,
    /** Absent when the try reported no usage. */
    usage: z.optional(usageSchema),
    /** What was thrown, for people; `reason` has its message. Absent when nothing was thrown. */
    error: z.optional(errorDetails),
  }),
  'breaker.opened': z.object({ type: z.literal('breaker.opened'), agent: z.string() }),
  'breaker.closed': z.object({ type: z.literal('breaker.closed'), agent: z.string() }),
  'budget.exhausted': z.object({
    type: z.literal('budget.exhausted'),
    limit: z.enum(['maxAgentCalls', 'maxTokens', 'maxCostUsd']),
  }),
  'time.extended': z.object({ type: z.literal('time.extended'), extraMs: z.number() }),
  'time.executionClosed': z.object({ type: z.literal('time.executionClosed') }),
  'time.expired': z.object({
    type: z.literal('time.expired'),
    scope: z.enum(['run', 'planning', 'verification']),
  }),
  'run.paused': z.object({ type: z.literal('run.paused'), reason }),
  'run.unpaused': z.object({ type: z.literal('run.unpaused') }),
  'run.upgraded': z.object({ type: z.literal('run.upgraded'), from: runVersion, to: runVersion }),
  'conversation.said': z.object({ type: z.literal('conversation.said'), text: z.string() }),
  'command.refused': z.object({
    type: z.literal('command.refused'),
    command: z.string(),
    reason,
  }),
  'run.ended': z.object({
    type: z.literal('run.ended'),
    status: runStatus,
    reason,
    /** The `agent.answered` fact with the summarizer's text, or null without a summarizer. */
    summaryKey: z.nullable(z.string()),
    message,
  }),
} as const;

export type FactType = keyof typeof bodies;

/** A fact as a chart emits it. */
export type FactBody<Type extends FactType = FactType> = z.infer<(typeof bodies)[Type]>;

/** A fact in the journal: numbered from 1 without gaps, dated by the clock service. */
export type Fact<Type extends FactType = FactType> = Type extends FactType
  ? FactBody<Type> & { readonly sequence: number; readonly at: number }
  : never;

const stamped = { sequence: z.int().check(z.minimum(1)), at: z.number() };

const [firstBody, ...otherBodies] = Object.values(bodies).map((body) => z.extend(body, stamped));

/** Validates any fact; a fact from outside is checked with this before use. */
export const factSchema = z.discriminatedUnion('type', [
  firstBody ?? z.extend(bodies['run.started'], stamped),
  ...otherBodies,
]);
