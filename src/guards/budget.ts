import type { Settings } from '../model/settings.js';
import type { Ending } from '../model/statuses.js';
import type { Complexity, ProposedPlan } from '../model/plan.js';
import type { Policy } from '../model/policy.js';

/** What a run has spent of its replan budget. */
export interface ReplanBudget {
  readonly settings: Settings;
  readonly depth: number;
  readonly replans: number;
  readonly maxReplans: number;
}

interface PlannerCalls extends ReplanBudget {
  readonly plannerCalls: number;
}

interface HandOffBudget extends Pick<ReplanBudget, 'depth' | 'replans' | 'maxReplans'> {
  readonly ending: Ending | null;
}

interface Spending {
  readonly settings: Settings;
  readonly spent: {
    readonly agentCalls: number;
    readonly tokens: number;
    readonly costUsd: number;
  };
}

/**
 * The replan bound: one shared budget for every reason to replan. A sub-plan has no replans; when it fails its step
 * fails, and the plan above may be replaced.
 */
export const canReplan = ({ replans, maxReplans, depth, settings }: ReplanBudget): boolean =>
  depth === 0 && settings.team.hasPlanner && replans < maxReplans;

/** Replans are allowed, and all are spent. Without a planner, or in a sub-plan, there are none to refuse. */
export const isReplanRefused = ({ replans, maxReplans, depth, settings }: ReplanBudget): boolean =>
  depth === 0 && settings.team.hasPlanner && maxReplans > 0 && replans >= maxReplans;

/**
 * The replan bound of a run that starts with this plan: never above `limits.maxReplans`. The first plan sets it for the
 * whole run, so no later plan can raise it by claiming more complexity.
 */
export const replanLimit = ({ limits, replan }: Policy, plan: ProposedPlan): number =>
  replan.maxByComplexity === null
    ? limits.maxReplans
    : Math.min(limits.maxReplans, replan.maxByComplexity[highestComplexity(plan)]);

const highestComplexity = ({ steps }: ProposedPlan): Complexity =>
  (['complex', 'medium'] as const).find((level) =>
    steps.some(({ complexity }) => complexity === level),
  ) ?? 'simple';

/**
 * A hand-off needs no planner, but it changes the plan and so spends the same budget. A run that is ending accepts no
 * more steps.
 */
export const canHandOff = ({ replans, maxReplans, depth, ending }: HandOffBudget): boolean =>
  depth === 0 && ending === null && replans < maxReplans;

/**
 * After a planner failure, a person may request the first plan again, `maxAttempts` times. Not in a sub-plan: commands
 * go to the run, and a sub-plan does not receive this one.
 */
export const canPlanAgain = ({
  plannerCalls,
  replans,
  depth,
  settings: { policy, team },
}: PlannerCalls): boolean =>
  depth === 0 && team.hasPlanner && plannerCalls - replans <= policy.limits.maxAttempts;

export type BudgetLimit = 'maxAgentCalls' | 'maxTokens' | 'maxCostUsd';

/** The first limit that leaves no room for one more call; undefined while there is room. */
export const exhaustedLimit = ({ spent, settings }: Spending): BudgetLimit | undefined => {
  const { maxAgentCalls, maxTokens, maxCostUsd } = settings.policy.limits;
  if (maxAgentCalls !== null && spent.agentCalls >= maxAgentCalls) return 'maxAgentCalls';
  if (maxTokens !== null && spent.tokens >= maxTokens) return 'maxTokens';
  return maxCostUsd !== null && spent.costUsd >= maxCostUsd ? 'maxCostUsd' : undefined;
};
