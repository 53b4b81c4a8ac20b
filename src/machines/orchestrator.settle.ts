import type { ReplanRequest } from '../actors/call.types.js';
import { isRejected } from '../guards/approval.js';
import { canHandOff, canReplan, replanLimit } from '../guards/budget.js';
import { mayStartSteps } from '../guards/schedule.js';
import type { FactBody } from '../journal/facts.js';
import type { AdoptionRules } from '../plan/adopt.js';
import { adoptPlan } from '../plan/adopt.js';
import { itemsOf } from '../plan/chunked-list.js';
import type { ProposedPlan } from '../plan/plan.js';
import type { Progress, Settled } from '../plan/progress.js';
import {
  GIVEN_UP,
  humanSkip,
  nextReady,
  settleStep,
  startStep,
  stateOf,
} from '../plan/progress.js';
import { stepInput, stepPath } from './orchestrator.calls.js';
import * as facts from './orchestrator.facts.js';
import type { OrchestratorContext } from './orchestrator.types.js';
import { fingerprintOf, progressed } from './orchestrator.updates.js';
import type { StepInput, StepOutcome } from './step.types.js';

/*
 * What steps do to the plan and the plan to the steps. Each function gives the next context and the facts to announce.
 */

export interface Update {
  readonly context: OrchestratorContext;
  readonly facts: readonly FactBody[];
}

const CRASHED: StepOutcome = {
  status: 'failed',
  code: 'crashed',
  reason: 'The step crashed',
  attempts: 1,
  outputKeys: [],
  confidence: null,
  request: null,
  handOff: null,
};

/** Settles the step in a slot by what its chart ended with; without an outcome the chart crashed. */
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
    lastWord: context.lastWord.at(-1) === slotId ? [] : context.lastWord,
    ...questionsClosed(context, slotId),
    ...confidenceChange(context, index, outcome),
    ...(outcome.status === 'completed' ? progressed(context) : {}),
  };
  const announced = [
    facts.stepSettled(next, index, outcome),
    ...settled.skipped.map((skipped) => facts.stepSkipped(next, skipped)),
  ];
  return withConsequences({ context: next, facts: announced }, index, outcome);
};

/** No slot is -1: events of XState's own interpreter may name anybody. */
const slotNumber = (slotId: string): number => {
  const slot = Number(slotId.slice('slot-'.length));
  return slotId === `slot-${slot}` ? slot : -1;
};

/** Who was rejected, as `step (agent)`: the step in a slot, or one in its sub-plan, which says so itself. */
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

/** With the step go the questions that it, or a sub-plan of it, still has open. */
const questionsClosed = (
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

/** A settled step may ask for another plan, hand off to another agent, or call for a new plan by failing. */
const withConsequences = (update: Update, index: number, outcome: StepOutcome): Update => {
  if (outcome.handOff !== null) return handedOff(update, index, outcome.handOff);
  const request = outcome.request ?? failureRequest(update.context, index, outcome);
  return request === null ? update : requested(update, request);
};

const requested = ({ context, facts: announced }: Update, request: ReplanRequest): Update => ({
  context: { ...context, requests: [...context.requests, request] },
  facts: [...announced, facts.replanRequested(context, request)],
});

const failureRequest = (
  context: OrchestratorContext,
  index: number,
  outcome: StepOutcome,
): ReplanRequest | null => {
  if (outcome.status !== 'failed' || !isReplannable(context, outcome)) return null;
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

/** A run that is ending asks for nothing more. */
const isReplannable = (context: OrchestratorContext, outcome: StepOutcome): boolean => {
  const { failure, approval } = context.settings.policy;
  const choice = isRejected(outcome) ? approval.onReject : failure.onStepFailure;
  return choice === 'replan' && context.ending === null && canReplan(context);
};

/** Adds one step for another agent without asking the planner (seed 000), within the same bound. */
const handedOff = (
  update: Update,
  index: number,
  handOff: { readonly agent: string; readonly task: string },
): Update => {
  const { context } = update;
  const asker = context.progress.steps[index];
  if (!context.settings.team.agents.includes(handOff.agent)) {
    const reason = `Suggested agent '${handOff.agent.slice(0, 64)}' is not in the team`;
    return { context, facts: [...update.facts, facts.replanRefused(context, reason)] };
  }
  if (!canHandOff(context)) {
    return requested(update, {
      kind: 'requestReplan',
      stepId: asker === undefined ? null : stepPath(context, asker.id),
      agent: asker?.agent ?? null,
      reason: `Hand-off to ${handOff.agent}: ${handOff.task}`,
      agents: [handOff.agent],
      confidence: null,
    });
  }
  const plan = handOffPlan(handOff);
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

const handOffPlan = (handOff: { readonly agent: string; readonly task: string }): ProposedPlan => ({
  analysis: '',
  steps: [
    {
      id: handOff.agent,
      agent: handOff.agent,
      task: handOff.task,
      dependsOn: [],
      complexity: 'medium',
      requiresApproval: false,
    },
  ],
});

/** Takes the proposal over. A plan without steps takes nobody's place: what failed before it has still failed. */
export const proposalAdopted = (context: OrchestratorContext): Update => {
  const plan = context.proposal?.plan;
  if (plan == null) return { context, facts: [] };
  const maxReplans = maxReplansWith(context, plan);
  const adopted = planAdopted(context, plan, {
    revision: context.revision + 1,
    merge: context.settings.policy.replan.merge,
    resolvesFailures: plan.steps.length > 0,
  });
  const next: OrchestratorContext = {
    ...adopted.context,
    ...progressed(context),
    maxReplans,
    analysis: plan.analysis,
    scope: scopeWith(context, plan),
    fingerprints: fingerprintsAfter({ ...context, maxReplans }),
    givenUp: [],
    proposal: null,
    requests: [],
  };
  return { context: next, facts: adopted.facts };
};

/** The first plan of the goal sets the bound. A sub-plan has no replans, whatever it is made of. */
const maxReplansWith = (
  { maxReplans, revision, depth, settings }: OrchestratorContext,
  plan: ProposedPlan,
): number => (revision < 0 && depth === 0 ? replanLimit(settings.policy, plan) : maxReplans);

/** A plan that calls itself trivial says nothing about the steps of earlier plans that still wait. */
const scopeWith = (
  { scope, progress, settings }: OrchestratorContext,
  plan: ProposedPlan,
): string | null => {
  const keepsWaiting =
    settings.policy.replan.merge.startsWith('append') && progress.counts.pending > 0;
  return keepsWaiting && scope !== 'trivial' ? scope : (plan.scope ?? null);
};

/** Only a planner that can be asked again can repeat itself. */
const fingerprintsAfter = (context: OrchestratorContext): readonly string[] =>
  context.settings.policy.replan.stopOnRepeatedPlan && canReplan(context)
    ? [...context.fingerprints, fingerprintOf(context)]
    : context.fingerprints;

const planAdopted = (
  context: OrchestratorContext,
  plan: ProposedPlan,
  rules: AdoptionRules,
): Update => {
  const { progress, added, replaced } = adoptPlan(context.progress, plan, rules);
  const next = { ...context, progress, revision: rules.revision };
  return {
    context: next,
    facts: [
      facts.planAdopted(next, added, replaced),
      ...replaced.map((index) => facts.stepSkipped(next, index)),
    ],
  };
};

/** Everything that runs is given up, and what waits behind it; what it asked people is asked no more. */
export const runningGivenUp = (context: OrchestratorContext): Update =>
  context.slots.reduce<Update>(
    (update, index, slot) => (index === null ? update : givenUp(update, index, slot)),
    { context, facts: [] },
  );

const givenUp = ({ context, facts: announced }: Update, index: number, slot: number): Update => {
  const { progress, skipped } = settleStep(
    context.progress,
    index,
    { status: 'cancelled', outputKeys: [], reason: GIVEN_UP },
    context.settings.policy.failure.onDependencyFailure,
  );
  const next: OrchestratorContext = {
    ...context,
    progress,
    slots: context.slots.with(slot, null),
    givenUp: [...context.givenUp, index, ...skipped],
    ...questionsClosed(context, `slot-${slot}`),
  };
  return {
    context: next,
    facts: [
      ...announced,
      facts.stepCancelled(next, index),
      ...skipped.map((behind) => facts.stepSkipped(next, behind)),
    ],
  };
};

export interface Start {
  readonly slotId: string;
  readonly index: number;
  readonly input: StepInput;
}

/** Gives every free slot the runnable step that comes next. */
export const stepsStarted = (
  context: OrchestratorContext,
): { readonly context: OrchestratorContext; readonly starts: readonly Start[] } => {
  if (!mayStartSteps(context)) return { context, starts: [] };
  let { progress, slots } = context;
  const taken: { slotId: string; index: number }[] = [];
  for (let slot = slots.indexOf(null); slot >= 0; slot = slots.indexOf(null)) {
    const index = nextReady(progress);
    if (index === undefined) break;
    progress = startStep(progress, index);
    slots = slots.with(slot, index);
    taken.push({ slotId: `slot-${slot}`, index });
  }
  if (taken.length === 0) return { context, starts: [] };
  const next = { ...context, progress, slots };
  return {
    context: next,
    starts: taken.map((start) => ({ input: stepInput(next, start.index), ...start })),
  };
};

/** Where each step is, by its path: for a command that may name many of them. */
export const stepIndexes = (context: OrchestratorContext): ReadonlyMap<string, number> =>
  new Map(context.progress.steps.map((step, index) => [stepPath(context, step.id), index]));

/** The steps a command takes off the plan. `skipTo` means every waiting or running step before the named one. */
export const stepsToSkip = (
  context: OrchestratorContext,
  command: {
    readonly type: string;
    readonly stepIds?: readonly string[];
    readonly stepId?: string;
  },
): number[] => {
  const indexes = stepIndexes(context);
  const named = command.stepIds?.map((stepId) => indexes.get(stepId) ?? -1) ?? [];
  const target = command.stepId === undefined ? -1 : (indexes.get(command.stepId) ?? -1);
  const before = Array.from({ length: Math.max(0, target) }, (_, index) => index);
  return [...new Set([...named, ...before])].filter((index) => {
    const status = stateOf(context.progress, index)?.status;
    return status === 'pending' || status === 'running';
  });
};

/** Waiting steps are skipped here; running ones are told and settle by themselves. */
export const waitingSkipped = (
  context: OrchestratorContext,
  indexes: readonly number[],
  said?: string,
): Update => {
  const waiting = indexes.filter((index) => stateOf(context.progress, index)?.status === 'pending');
  const progress = waiting.reduce<Progress>(
    (before, index) => settledBy(before, index, humanSkip(said), context).progress,
    context.progress,
  );
  const next = { ...context, progress };
  return { context: next, facts: waiting.map((index) => facts.stepSkipped(next, index)) };
};

const settledBy = (
  progress: Progress,
  index: number,
  reason: string,
  { settings }: OrchestratorContext,
): Settled =>
  settleStep(
    progress,
    index,
    { status: 'skipped', outputKeys: [], reason },
    settings.policy.failure.onDependencyFailure,
  );

/** At the end every step is settled: what never ran or was cut short is cancelled, not forgotten. */
export const restCancelled = (context: OrchestratorContext): Update => {
  const open = itemsOf(context.progress.states).flatMap((state, index) =>
    state.status === 'pending' || state.status === 'running' ? [index] : [],
  );
  return {
    context: { ...context, slots: context.slots.map(() => null) },
    facts: open.map((index) => facts.stepCancelled(context, index)),
  };
};
