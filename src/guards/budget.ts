import type { OrchestratorContext } from '../machines/orchestrator.types.js';

/**
 * The replan bound: the one shared budget for every reason to plan again. A sub-plan has none of its own; when it does
 * not work out its step fails, and the plan above may be made anew.
 */
export const canReplan = ({ replans, depth, settings }: OrchestratorContext): boolean =>
  depth === 0 && settings.team.hasPlanner && replans < settings.policy.limits.maxReplans;

/**
 * A hand-off needs no planner, but it changes the plan and so spends the same budget. A run that is ending takes no
 * more steps on.
 */
export const canHandOff = ({ replans, depth, ending, settings }: OrchestratorContext): boolean =>
  depth === 0 && ending === null && replans < settings.policy.limits.maxReplans;

/**
 * When the planner failed, a person may have the first plan asked for again, `maxAttempts` times. Not in a sub-plan: a
 * person speaks to the run as a whole, and nobody there would hear them.
 */
export const canPlanAgain = ({
  plannerCalls,
  replans,
  depth,
  settings: { policy, team },
}: OrchestratorContext): boolean =>
  depth === 0 && team.hasPlanner && plannerCalls - replans <= policy.limits.maxAttempts;

export type BudgetLimit = 'maxAgentCalls' | 'maxTokens' | 'maxCostUsd';

/** The first limit that leaves no room for one more call; undefined while there is room. */
export const exhaustedLimit = ({
  spent,
  settings,
}: OrchestratorContext): BudgetLimit | undefined => {
  const { maxAgentCalls, maxTokens, maxCostUsd } = settings.policy.limits;
  if (maxAgentCalls !== null && spent.agentCalls >= maxAgentCalls) return 'maxAgentCalls';
  if (maxTokens !== null && spent.tokens >= maxTokens) return 'maxTokens';
  return maxCostUsd !== null && spent.costUsd >= maxCostUsd ? 'maxCostUsd' : undefined;
};
