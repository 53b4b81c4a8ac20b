import { hasGate } from '../../../guards/gates.js';
import { planFingerprint } from '../../../plan/fingerprint.js';
import type { ProposedPlan } from '../../../model/plan.js';
import type { OrchestratorContext } from '../../../machines/orchestrator/context.js';
import { failuresText } from './failures-text.js';
import { liveSteps } from './live-steps.js';
import { canAskForPlan, isPlanAskedFor } from './plans-to-come.js';
import { bandOf } from './step-text.js';
import { flag, votesText } from './value-text.js';

/** What is visible in a state of the chart, besides what is always visible. */
export interface Sight {
  /** The plan under review; in other states it was judged already. */
  readonly plan: PlanSeen;
  /** Whether a plan may be adopted before another one is requested. */
  readonly isPlanComing: boolean;
  /** What remains: everything, the summary and the running steps, or only the running steps. */
  readonly rest: 'all' | 'summary' | 'windingDown';
  /** Whether waiting steps are all alike, and only their number is visible. */
  readonly areStepsCounted: boolean;
}

type PlanSeen = 'proposal' | 'none';

/** By the names of the active states. */
export const sightIn = (
  value: string,
  { revision }: OrchestratorContext,
  areStepsCounted: boolean,
): Sight => ({
  plan: planSeenIn(value),
  isPlanComing: !isPlanThere(value, revision),
  rest: restIn(value),
  areStepsCounted,
});

const planSeenIn = (value: string): PlanSeen =>
  /holdingReview|reviewingPlan|awaitingPlanApproval/.test(value) ? 'proposal' : 'none';

const WITH_PLAN = /\.executing\.|verifying|awaitingLimitApproval|holdingPlanner/;

const isPlanThere = (value: string, revision: number): boolean =>
  revision >= 0 && WITH_PLAN.test(value);

const restIn = (value: string): Sight['rest'] => {
  if (value.includes('windingDown')) return 'windingDown';
  return value.includes('summarizing') ? 'summary' : 'all';
};

/** What the guards of the orchestrator chart can see, without the steps of its plan. */
export const orchestratorText = (context: OrchestratorContext, sight: Sight): string => {
  if (sight.rest !== 'all') return restText(context, sight);
  return [
    budgetText(context, sight),
    clockText(context),
    endText(context),
    failuresText(context, sight),
    requestsText(context, sight),
    ladderText(context),
    spentText(context),
    confidenceText(context),
    sight.plan === 'none' ? '' : seenPlanText(context),
  ].join(',');
};

/** The ending of the run is decided: nothing starts, and every command is refused. */
const restText = (context: OrchestratorContext, { rest }: Sight): string => {
  const isLadderSeen = rest === 'summary' && context.progress.counts.running > 0;
  return [endText(context), isLadderSeen ? ladderText(context) : '', spentText(context)].join(',');
};

/** No time is left to execute another plan, so every replan request is refused. */
const isLastPlan = ({ isExecutionClosed }: OrchestratorContext, { isPlanComing }: Sight): boolean =>
  isExecutionClosed && !isPlanComing;

/** The spent budget is visible by what is left; before the first plan the bound itself may still change. */
const budgetText = (context: OrchestratorContext, sight: Sight): string => {
  const { isPlanComing } = sight;
  const { replans, maxReplans, plannerCalls, revision, settings, fingerprints } = context;
  // Then only hand-offs spend replans, one for each running step.
  if (isLastPlan(context, sight) || (!isPlanComing && !canAskForPlan(context))) {
    return String(Math.min(Math.max(0, maxReplans - replans), context.progress.counts.running));
  }
  const isInterrupting = settings.policy.failure.onPlannerFailure === 'interrupt';
  const recoveries = isInterrupting && revision < 0 ? plannerCalls - replans : 0;
  const left = revision < 0 ? `${replans}/${maxReplans}` : Math.max(0, maxReplans - replans);
  // Only a planner that is called, or can be called again, can repeat a plan.
  const isRepeatSeen = (isPlanComing || replans < maxReplans) && !isEmptyPlanNothing(context);
  const repeated = isRepeatSeen ? repeatable(fingerprints) : '';
  return `${left}:${recoveries}${flag(revision >= 0)}${repeated}`;
};

const EMPTY_PLAN = planFingerprint({ analysis: '', steps: [] });

/** Plans with steps differ from each other; all empty plans are equal. */
const repeatable = (fingerprints: readonly string[]): string =>
  `${flag(fingerprints.some((fingerprint) => fingerprint !== EMPTY_PLAN))}${flag(fingerprints.includes(EMPTY_PLAN))}`;

/**
 * Where plans are appended and a run continues without another one, an empty plan changes nothing, whether adopted or
 * rejected; nor does any rejected plan.
 */
const isEmptyPlanNothing = ({ settings, revision }: OrchestratorContext): boolean => {
  const { replan, approval } = settings.policy;
  return (
    revision >= 0 &&
    replan.merge.startsWith('append') &&
    replan.onLimit === 'continue' &&
    !approval.plan &&
    !hasGate(settings, 'plan')
  );
};

/** The remaining times are visible to the clock only: any timer may be the next to elapse. */
const clockText = ({ isExecutionClosed, isPaused, isTimeUsedUp }: OrchestratorContext): string =>
  `${flag(isExecutionClosed)}${flag(isPaused)}${flag(isTimeUsedUp)}`;

const endText = ({ ending, rejected }: OrchestratorContext): string =>
  `${ending?.status ?? ''}${flag(rejected !== null)}`;

const requestsText = (context: OrchestratorContext, sight: Sight): string => {
  const { requests, questions } = context;
  const isGoal = requests.some(({ kind }) => kind === 'goalNotAchieved');
  const isHeard = isPlanAskedFor(context) && !isLastPlan(context, sight);
  return `${flag(isHeard)}${flag(isGoal)}${questions.length}`;
};

const ladderText = ({ ladder, depth }: OrchestratorContext): string =>
  depth > 0 ? '' : String(ladder.consecutiveIssues);

const spentText = ({ spent, settings, depth }: OrchestratorContext): string => {
  const { maxAgentCalls, maxTokens, maxCostUsd } = settings.policy.limits;
  if (depth > 0) return '';
  const calls = maxAgentCalls === null ? 0 : spent.agentCalls;
  const tokens = maxTokens !== null && spent.tokens >= maxTokens;
  const costUsd = maxCostUsd !== null && spent.costUsd >= maxCostUsd;
  return `${calls}${flag(tokens)}${flag(costUsd)}`;
};

/** Confidences that may cause a question when a step starts. */
const confidenceText = (context: OrchestratorContext): string => {
  const { confidence, settings, isExecutionClosed } = context;
  const { confidenceBelow } = settings.policy.approval;
  if (isExecutionClosed || confidenceBelow === null) return '';
  const bands = settings.team.agents.map((agent) =>
    bandOf(confidence[agent] ?? null, confidenceBelow),
  );
  return bands.join('.');
};

const seenPlanText = (context: OrchestratorContext): string => {
  const plan = context.proposal?.plan;
  if (plan == null) return '';
  // Steps of a plan that is adopted too late never start: only their number is visible.
  const late = `${plan.scope ?? ''}<${plan.steps.map(({ complexity }) => complexity).join(' ')}>`;
  return context.isExecutionClosed ? late : planText(plan, context);
};

/** Waiting steps are identified by their position; a dependency on a settled step is left out. */
const planText = ({ steps, scope }: ProposedPlan, context: OrchestratorContext): string => {
  const waiting = liveSteps(context).map(
    ({ index }, place) => [context.progress.steps[index]?.id, `w${place}`] as const,
  );
  const own = steps.map(({ id }, position) => [id, String(position)] as const);
  const names = new Map<string | undefined, string>([...waiting, ...own]);
  const texts = steps.map((step) => {
    const after = step.dependsOn.flatMap((id) => names.get(id) ?? []).join('&');
    return `${step.agent}${flag(step.requiresApproval)}${step.complexity}${votesText(step)}<${after}`;
  });
  return `${scope ?? ''}[${texts.join(' ')}]`;
};
