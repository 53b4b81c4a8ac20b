import { isGatePassed } from '../../../guards/gates.js';
import { itemsOf } from '../../../plan/chunked-list.js';
import type { ProposedPlan } from '../../../plan/plan.js';
import { failureLimit } from '../../../policy/time.js';
import type { OrchestratorContext } from '../../../machines/orchestrator.types.js';
import { bandOf } from './step-text.js';
import { flag } from './value-text.js';

/** What a person who gives more time gives: more than any policy has, so that it is known when it is used. */
export const EXTENSION_MS = 2 ** 52;

/** The plan that is being judged; in other states it was judged already. */
export type PlanSeen = 'proposal' | 'judged' | 'given' | 'none';

/** What the guards of the orchestrator chart can see, without the steps of its plan. */
export const orchestratorText = (context: OrchestratorContext, planSeen: PlanSeen): string =>
  [
    budgetText(context),
    clockText(context),
    endText(context),
    failuresText(context),
    requestsText(context),
    flag(context.fingerprints.length > 0),
    ladderText(context),
    spentText(context),
    confidenceText(context),
    planSeen === 'none' ? '' : seenPlanText(context, planSeen),
  ].join(',');

const budgetText = (context: OrchestratorContext): string => {
  const { replans, maxReplans, plannerCalls, revision, settings } = context;
  const isInterrupting = settings.policy.failure.onPlannerFailure === 'interrupt';
  const recoveries = isInterrupting && revision < 0 ? plannerCalls - replans : 0;
  return `${replans}/${maxReplans}:${recoveries}${flag(revision >= 0)}`;
};

const clockText = ({
  clockMs,
  extensionMs,
  isExecutionClosed,
  isPaused,
}: OrchestratorContext): string => {
  const lasts = clockMs >= EXTENSION_MS ? 'more' : String(clockMs);
  return `${lasts}${flag(extensionMs > 0)}${flag(isExecutionClosed)}${flag(isPaused)}`;
};

const endText = ({ ending, rejected, lastWord }: OrchestratorContext): string =>
  `${ending?.status ?? ''}${flag(rejected !== null)}${flag(lastWord.length > 0)}`;

/** Failures are compared with their limit, and with each other. */
const failuresText = ({ progress, givenUp, settings }: OrchestratorContext): string => {
  const { failedSincePlan, unresolved } = progress.counts;
  const limit = failureLimit(settings.policy, progress.steps.length);
  // What more steps are worth: the limit may grow with them, and a summary is for several.
  const size = settings.policy.limits.maxFailures === null ? progress.steps.length : 2;
  const failed = Math.min(failedSincePlan, limit + 1);
  return [
    failed,
    flag(unresolved > 0),
    flag(unresolved > failedSincePlan),
    Math.min(progress.steps.length, Math.max(2, size)),
    flag(givenUp.length > 0),
  ].join('.');
};

const requestsText = ({ requests, questions }: OrchestratorContext): string => {
  const isGoal = requests.some(({ kind }) => kind === 'goalNotAchieved');
  return `${flag(requests.length > 0)}${flag(isGoal)}${questions.length}`;
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

const confidenceText = ({ confidence, scope, settings }: OrchestratorContext): string => {
  const { confidenceBelow, autoApproveTrivial } = settings.policy.approval;
  const trivial = flag(autoApproveTrivial && scope === 'trivial');
  if (confidenceBelow === null) return trivial;
  const bands = settings.team.agents.map((agent) =>
    bandOf(confidence[agent] ?? null, confidenceBelow),
  );
  return `${trivial}${bands.join('.')}`;
};

const seenPlanText = (context: OrchestratorContext, planSeen: PlanSeen): string => {
  const { proposal, givenPlan } = context;
  const plan = planSeen === 'given' ? (givenPlan as ProposedPlan | null) : proposal?.plan;
  const verdict = planSeen === 'judged' ? verdictSeen(context) : '';
  return plan == null ? verdict : `${verdict}${planText(plan)}`;
};

const verdictSeen = ({ settings, review }: OrchestratorContext): string => {
  if (review === null) return '';
  return `${flag(isGatePassed(settings, 'plan', review))}${flag(isGatePassed(settings, 'goal', review))}`;
};

const planText = ({ steps, scope }: ProposedPlan): string => {
  const positions = new Map(steps.map(({ id }, position) => [id, position]));
  const texts = steps.map((step) => {
    const after = step.dependsOn.map((id) => positions.get(id) ?? id).join('&');
    return `${step.agent}${flag(step.requiresApproval)}${step.complexity}${votesText(step)}<${after}`;
  });
  return `${scope ?? ''}[${texts.join(' ')}]`;
};

const votesText = ({
  votes,
}: {
  readonly votes?: { readonly count: number; readonly choose: string } | null | undefined;
}): string => (votes == null ? '' : `${votes.count}${votes.choose}`);

/** A step that waits or runs. */
export interface LiveStep {
  readonly index: number;
  readonly isRunning: boolean;
  /** True when another step waits for it. */
  readonly isAwaited: boolean;
  readonly text: string;
}

/** The task of a step that an agent handed on; the planner's have another. */
export const HANDED_ON = 'handed on';

/** What is settled has had its consequences: only what waits or runs is seen, in the order of the plan. */
export const liveSteps = ({ progress, settings }: OrchestratorContext): LiveStep[] => {
  const states = itemsOf(progress.states);
  const isLive = (index: number): boolean =>
    states[index]?.status === 'pending' || states[index]?.status === 'running';
  const isRunningAt = (index: number): boolean => states[index]?.status === 'running';
  const isAwaitedAt = (index: number): boolean => (progress.dependents[index] ?? []).some(isLive);
  const byRank = progress.steps
    .map((step, index) => ({ step, index }))
    .filter(({ index }) => isLive(index))
    .sort((left, right) => left.step.rank - right.step.rank);
  // A step that runs and is awaited by nobody has no place that matters.
  const placed = byRank.filter(({ index }) => !isRunningAt(index) || isAwaitedAt(index));
  const positions = new Map(placed.map(({ index }, position) => [index, position]));
  const isAgentSeen = settings.team.agents.length > 1;
  return byRank.map(({ step, index }) => {
    const isRunning = isRunningAt(index);
    const after = step.dependsOn.flatMap((other) => positions.get(other) ?? []);
    // What it asks for is seen when it starts.
    const wants = isRunning ? '' : `${flag(step.requiresApproval)}${votesText(step)}`;
    const agent = isAgentSeen ? step.agent : '';
    return {
      index,
      isRunning,
      isAwaited: isAwaitedAt(index),
      text: `${agent}${flag(step.task === HANDED_ON)}${wants}<${after.join('&')}`,
    };
  });
};
