import type { OrchestratorContext } from '../machines/orchestrator.types.js';

/**
 * The replan bound: the one shared budget for every reason to plan again. A sub-plan has none of its own; when it does
 * not work out its step fails, and the plan above may be made anew.
 */
export const canReplan = ({ replans, depth, settings }: OrchestratorContext): boolean =>
  depth === 0 && settings.team.hasPlanner && replans < settings.policy.limits.maxReplans;

/** A hand-off needs no planner, but it changes the plan and so spends the same budget. */
export const canHandOff = ({ replans, depth, settings }: OrchestratorContext): boolean =>
  depth === 0 && replans < settings.policy.limits.maxReplans;

/** The first plan may be asked for again by a person when the planner failed, a bounded number of times. */
export const canPlanAgain = ({ plannerCalls, replans, settings }: OrchestratorContext): boolean =>
  settings.team.hasPlanner && plannerCalls - replans < settings.policy.limits.maxAttempts;

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
