import type { ReplanRequest } from '../../model/calls.js';
import { isRejected } from '../../guards/approval.js';
import { canHandOff, canReplan, isReplanRefused } from '../../guards/budget.js';
import { hasUsedUpTime } from '../../guards/schedule.js';
import type { ProposedPlan } from '../../model/plan.js';
import { humanSkip, settleStep } from '../../plan/progress.js';
import { planAdopted } from './adopt.js';
import { stepPath } from './requests.js';
import * as facts from './facts.js';
import type { OrchestratorContext, Update } from './context.js';
import { progressed } from './updates.js';
import type { Bound } from '../../model/statuses.js';
import type { StepOutcome } from '../../model/step-outcome.js';

/* How the end of a step changes the plan: the step is settled, and may request another plan or hand off. */

const CRASHED: StepOutcome = {
  status: 'failed',
  code: 'crashed',
  reason: 'The step crashed',
  attempts: 1,
  outputKeys: [],
  confidence: null,
  request: null,
  handOff: null,
  verdict: null,
};

/** Settles the step in a slot by the outcome of its chart; without an outcome the chart crashed. */
export const stepSettled = (
  context: OrchestratorContext,
  slotId: string,
  outcome: StepOutcome = CRASHED,
): Update => {
  const slot = slotNumber(slotId);
  const index = context.slots[slot];
  if (index == null) return { context, facts: [] };
  const settled = settleStep(
    context.progress,
    index,
    {
      status: outcome.code === 'run-ended' ? 'cancelled' : outcome.status,
      outputKeys: outcome.outputKeys,
      reason: outcome.status === 'completed' ? null : settledReason(outcome),
    },
    context.settings.policy.failure.onDependencyFailure,
  );
  const next: OrchestratorContext = {
    ...context,
    progress: settled.progress,
    slots: context.slots.with(slot, null),
    ...questionsClosed(context, slotId),
    ...confidenceChange(context, index, outcome),
    ...(outcome.status === 'completed' ? progressed(context) : {}),
    isTimeUsedUp: context.isTimeUsedUp || hasUsedUpTime(context, outcome),
  };
  const announced = [
    facts.stepSettled(next, index, outcome),
    ...settled.skipped.map((skipped) => facts.stepSkipped(next, skipped)),
  ];
  return withConsequences({ context: next, facts: announced }, index, outcome);
};

/** The slot's number; -1 for an unknown actor: events of XState's own interpreter may name any. */
const slotNumber = (slotId: string): number => {
  const slot = Number(slotId.slice('slot-'.length));
  return slotId === `slot-${slot}` ? slot : -1;
};

/** The rejected `step (agent)`: the step in a slot, or one in its sub-plan, which names itself. */
export const rejectedIn = (
  context: OrchestratorContext,
  slotId: string,
  outcome: StepOutcome | undefined,
): string => {
  if (outcome?.code === 'subplan-rejected') return outcome.reason;
  const step = context.progress.steps[context.slots[slotNumber(slotId)] ?? -1];
  return step === undefined ? slotId : `${stepPath(context, step.id)} (${step.agent})`;
};

const settledReason = ({ status, code, reason }: StepOutcome): string =>
  status === 'skipped' && code === 'skipped' ? humanSkip(reason) : `${code}: ${reason}`;

/** Closes the open questions of a step and its sub-plan when the step ends. */
export const questionsClosed = (
  { questions, answeredQuestions }: OrchestratorContext,
  slotId: string,
): Partial<OrchestratorContext> => {
  const closed = questions.filter(({ route }) => route.at(-1) === slotId);
  if (closed.length === 0) return {};
  return {
    questions: questions.filter((question) => !closed.includes(question)),
    answeredQuestions: [...answeredQuestions, ...closed.map(({ requestId }) => requestId)],
  };
};

const confidenceChange = (
  { progress, confidence }: OrchestratorContext,
  index: number,
  outcome: StepOutcome,
): Partial<OrchestratorContext> => {
  const agent = progress.steps[index]?.agent;
  if (agent === undefined || outcome.confidence === null) return {};
  return { confidence: { ...confidence, [agent]: outcome.confidence } };
};

/** A settled step may request another plan, hand off to another agent, or cause a replan by failing. */
const withConsequences = (update: Update, index: number, outcome: StepOutcome): Update => {
  if (outcome.handOff !== null) return handedOff(update, index, outcome.handOff);
  if (outcome.request !== null) return requested(update, outcome.request);
  const request = failureRequest(update.context, index, outcome);
  if (request === null) return update;
  if (canReplan(update.context)) return requested(update, request);
  return isReplanRefused(update.context) ? refused(update, request, 'replan-limit') : update;
};

/** The request has no further effect. */
const refused = (
  { context, facts: announced }: Update,
  request: ReplanRequest,
  bound: Bound,
): Update => ({
  context: { ...context, refused: context.refused ?? bound },
  facts: [...announced, facts.requestRefused(context, request, bound)],
});

const requested = ({ context, facts: announced }: Update, request: ReplanRequest): Update => ({
  context: { ...context, requests: [...context.requests, request] },
  facts: [...announced, facts.replanRequested(context, request)],
});

const failureRequest = (
  context: OrchestratorContext,
  index: number,
  outcome: StepOutcome,
): ReplanRequest | null => {
  if (outcome.status !== 'failed' || !asksForReplan(context, outcome)) return null;
  const step = context.progress.steps[index];
  return {
    kind: isRejected(outcome) ? 'stepRejected' : 'stepFailed',
    stepId: step === undefined ? null : stepPath(context, step.id),
    agent: step?.agent ?? null,
    reason: outcome.reason,
    agents: [],
    confidence: outcome.confidence,
  };
};

/** A run that is ending makes no further requests. */
const asksForReplan = (context: OrchestratorContext, outcome: StepOutcome): boolean => {
  const { failure, approval } = context.settings.policy;
  const choice = isRejected(outcome) ? approval.onReject : failure.onStepFailure;
  return choice === 'replan' && context.ending === null;
};

/** Adds one step for another agent without asking the planner (seed 000), within the same bound. */
const handedOff = (
  update: Update,
  index: number,
  handOff: { readonly agent: string; readonly task: string },
): Update => {
  const { context } = update;
  const asker = context.progress.steps[index];
  const isKnown = context.settings.team.agents.includes(handOff.agent);
  if (!isKnown || !canHandOff(context)) {
    const request: ReplanRequest = {
      kind: 'handOff',
      stepId: asker === undefined ? null : stepPath(context, asker.id),
      agent: asker?.agent ?? null,
      reason: `Hand-off to ${handOff.agent.slice(0, 64)}: ${handOff.task}`,
      agents: isKnown ? [handOff.agent] : [],
      confidence: null,
    };
    // At the replan bound the policy decides what follows, as for any request.
    return isKnown ? requested(update, request) : refused(update, request, 'unknown-agent');
  }
  const plan = handOffPlan(handOff, asker === undefined ? [] : [asker.id]);
  const next = { ...context, replans: context.replans + 1 };
  const { merge } = context.settings.policy.replan;
  const adopted = planAdopted(next, plan, {
    revision: context.revision + 1,
    merge: merge === 'appendNext' ? 'appendNext' : 'append',
    resolvesFailures: false,
  });
  return {
    context: adopted.context,
    facts: [...update.facts, facts.planProposed(next, plan, 'handOff'), ...adopted.facts],
  };
};

/** The new step depends on the one that handed off, and so receives its output. */
const handOffPlan = (
  { agent, task }: { readonly agent: string; readonly task: string },
  dependsOn: string[],
): ProposedPlan => ({
  analysis: '',
  steps: [{ id: agent, agent, task, dependsOn, complexity: 'medium', requiresApproval: false }],
});
