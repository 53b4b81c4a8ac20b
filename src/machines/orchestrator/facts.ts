import type { ReplanRequest } from '../../model/calls.js';
import type { Bound, Level } from '../../model/statuses.js';
import type { FactBody } from '../../model/facts.js';
import type { RunUpgraded } from '../../model/run-upgraded.js';
import type { ProposedPlan } from '../../model/plan.js';
import { stateOf } from '../../plan/progress.js';
import { endReason } from './ending.js';
import { stepPath } from './requests.js';
import type { OrchestratorContext } from './context.js';
import type { StepOutcome } from '../../model/step-outcome.js';

/* The facts that the orchestrator chart emits. */

const pathAt = (context: OrchestratorContext, index: number): string =>
  stepPath(context, context.progress.steps[index]?.id ?? '');

export const runStarted = (context: OrchestratorContext): FactBody<'run.started'> => ({
  type: 'run.started',
  runId: context.runId,
  goal: context.goal,
  ...(context.input === null ? {} : { input: context.input }),
  ...(Object.keys(context.labels).length === 0 ? {} : { labels: context.labels }),
  agents: [...context.settings.team.agents],
});

export const runUpgraded = ({ from, to }: RunUpgraded): FactBody<'run.upgraded'> => ({
  type: 'run.upgraded',
  from,
  to,
});

export const phaseEntered = (
  { parentStepId }: OrchestratorContext,
  phase: FactBody<'phase.entered'>['phase'],
): FactBody<'phase.entered'> => ({ type: 'phase.entered', parentStepId, phase });

export const planProposed = (
  { parentStepId, depth, revision }: OrchestratorContext,
  plan: ProposedPlan | null,
  origin: FactBody<'plan.proposed'>['origin'],
): FactBody<'plan.proposed'> => ({
  type: 'plan.proposed',
  parentStepId,
  revision: revision + 1,
  origin,
  plan,
  message: depth === 0 ? 'PLAN_RESPONSE' : 'SUBPLAN_RESPONSE',
});

export const planAdopted = (
  context: OrchestratorContext,
  added: readonly number[],
  replaced: readonly number[],
): FactBody<'plan.adopted'> => ({
  type: 'plan.adopted',
  parentStepId: context.parentStepId,
  revision: context.revision,
  steps: added.flatMap((index) => {
    const step = context.progress.steps[index];
    if (step === undefined) return [];
    const { agent, task, complexity } = step;
    const dependsOn = step.dependsOn.map((dependency) => pathAt(context, dependency));
    return [{ id: pathAt(context, index), agent, task, complexity, dependsOn }];
  }),
  replaced: replaced.map((index) => pathAt(context, index)),
});

type RejectedBy = FactBody<'plan.rejected'>['by'];

export const planRejected = (
  { parentStepId, revision, proposal }: OrchestratorContext,
  by: RejectedBy,
  reason: string,
): FactBody<'plan.rejected'> => ({
  type: 'plan.rejected',
  parentStepId,
  revision: revision + 1,
  by,
  reason,
  issues: by === 'validation' || by === 'supervisor' ? [...(proposal?.issues ?? [])] : [],
});

export const replanRequested = (
  { parentStepId }: OrchestratorContext,
  request: ReplanRequest,
): FactBody<'replan.requested'> => ({
  type: 'replan.requested',
  parentStepId,
  ...request,
  agents: [...request.agents],
});

export const replanStarted = (context: OrchestratorContext): FactBody<'replan.started'> => ({
  type: 'replan.started',
  parentStepId: context.parentStepId,
  replans: context.replans,
  maxReplans: context.maxReplans,
  reasons: context.requests.map((request) => request.reason),
  stepIds: context.requests.flatMap((request) => request.stepId ?? []),
});

/** One fact for every step whose request no further plan will answer; otherwise one for the plan or the goal. */
export const replansRefused = (
  context: OrchestratorContext,
  bound: Bound,
): FactBody<'request.refused'>[] => {
  const bySteps = context.requests.filter(({ stepId }) => stepId !== null);
  const refused = bySteps.length > 0 ? bySteps : context.requests.slice(-1);
  return refused.map((request) => requestRefused(context, request, bound));
};

export const requestRefused = (
  { parentStepId, maxReplans }: OrchestratorContext,
  { kind, stepId, agent, reason }: Pick<ReplanRequest, 'kind' | 'stepId' | 'agent' | 'reason'>,
  bound: Bound,
): FactBody<'request.refused'> => ({
  type: 'request.refused',
  parentStepId,
  what: kind === 'handOff' ? 'handOff' : 'replan',
  stepId,
  agent,
  bound,
  limit: bound === 'replan-limit' ? maxReplans : null,
  reason,
});

export const stepStarted = (
  context: OrchestratorContext,
  index: number,
  slot: string,
): FactBody<'step.started'> => ({
  type: 'step.started',
  stepId: pathAt(context, index),
  agent: context.progress.steps[index]?.agent ?? '',
  slot,
});

export const stepSettled = (
  context: OrchestratorContext,
  index: number,
  outcome: StepOutcome,
): FactBody => {
  const stepId = pathAt(context, index);
  const agent = context.progress.steps[index]?.agent ?? '';
  const { attempts, code, reason } = outcome;
  if (outcome.code === 'run-ended') return { type: 'step.cancelled', stepId, reason };
  switch (outcome.status) {
    case 'completed': {
      const outputKeys = [...outcome.outputKeys];
      return {
        type: 'step.completed',
        stepId,
        agent,
        attempts,
        outputKeys,
        message: 'STEP_COMPLETE',
      };
    }
    case 'failed': {
      const message = code === 'blocked' ? 'STEP_BLOCKED' : null;
      return { type: 'step.failed', stepId, agent, attempts, code, reason, message };
    }
    case 'skipped':
      return {
        type: 'step.skipped',
        stepId,
        reason: stateOf(context.progress, index)?.reason ?? '',
      };
  }
};

export const stepSkipped = (
  context: OrchestratorContext,
  index: number,
): FactBody<'step.skipped'> => ({
  type: 'step.skipped',
  stepId: pathAt(context, index),
  reason: stateOf(context.progress, index)?.reason ?? '',
});

export const stepCancelled = (
  context: OrchestratorContext,
  index: number,
): FactBody<'step.cancelled'> => ({
  type: 'step.cancelled',
  stepId: pathAt(context, index),
  reason: stateOf(context.progress, index)?.reason ?? context.ending?.reason ?? '',
});

/** The name of a level's message in seed 004's protocol. */
const LEVEL_MESSAGES: Readonly<Record<Level, string | null>> = {
  none: null,
  remind: 'CORRECTION',
  correct: 'CORRECTION',
  refocus: 'CORRECTION',
  critical: 'ESCALATION',
  abort: 'ABORT',
};

export const escalationChanged = (
  from: Level,
  { ladder }: OrchestratorContext,
  score: number,
): FactBody<'escalation.changed'> => ({
  type: 'escalation.changed',
  from,
  to: ladder.level,
  score,
  consecutiveIssues: ladder.consecutiveIssues,
  message: LEVEL_MESSAGES[ladder.level],
});

export const runEnded = (context: OrchestratorContext): FactBody<'run.ended'> => ({
  type: 'run.ended',
  status: context.ending?.status ?? 'failed',
  reason: endReason(context),
  summaryKey: context.summaryKey,
  message: endMessage(context),
});

/** At the level abort the supervisor's message already said ABORT; for a person this fact says it. */
const endMessage = ({ ending, ladder }: OrchestratorContext): string | null => {
  if (ending?.status === 'completed') return 'GOAL_COMPLETE';
  return ending?.status === 'aborted' && ladder.level !== 'abort' ? 'ABORT' : null;
};
