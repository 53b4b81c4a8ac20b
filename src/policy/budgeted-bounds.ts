import type { BoundedTeam, Bounds } from './bounds.js';
import { canTurnDown, stepsWithin } from './budgeted-steps.js';
import type { Policy } from './types.js';

/*
 * What of a price tag can be had with fewer calls than all of it takes. A person can say no to a step, or take it off
 * the plan, before it makes a call: so steps cost nothing. What costs calls is how there come to be more of them.
 */

/** What the price tag without a budget is made of, as far as it depends on plans that are carried out. */
export interface Parts {
  /** Replans once there is a plan. */
  readonly replans: number;
  /** Calls of the planner, for sub-plans too. */
  readonly plannerCalls: number;
  readonly subplans: number;
  /** Sub-plans below one step of a plan of the goal. */
  readonly subplansPerStep: number;
  /** Steps that replans take: they have no sub-plan. */
  readonly wishing: number;
  /** Whether people are asked about what agents hand on. */
  readonly isHandedOnAsked: boolean;
}

/** The most of everything with so many calls, each by itself. */
export const boundsWithin = (
  budget: number,
  policy: Policy,
  team: BoundedTeam,
  parts: Parts,
): Partial<Bounds> => {
  const prices = pricesOf(policy, team);
  return {
    agentCalls: budget,
    plannerCalls: plannerCallsWithin(budget, policy, parts, prices),
    replans: replansWithin(budget, policy, parts, prices),
    // The planner of the last level may be refused.
    depth: Math.floor((budget + 1) / prices.subplan),
    ...stepsWithin({ budget, policy, parts, prices }),
    // The plan is reviewed before there is a step to wait for.
    ...(budget > prices.review ? {} : { wallTimeMs: policy.time.limitMs }),
  };
};

/** What things cost in calls. */
export interface Prices {
  readonly review: number;
  /** A step that nobody can do, a planner, and a review. */
  readonly subplan: number;
  /** What makes another plan necessary: a person's no costs nothing. */
  readonly cause: number;
  /** Whether a step whose sub-plan fails is cause enough. */
  readonly isFailureCause: boolean;
  readonly isGoalJudged: boolean;
}

const pricesOf = (policy: Policy, team: BoundedTeam): Prices => {
  const { limits, failure, gates, approval } = policy;
  const review = team.hasSupervisor && gates.plan !== null ? 1 : 0;
  const isFailureBorne = limits.maxFailures !== 0 && failure.onStepFailure !== 'stop';
  const isFailureCause = isFailureBorne && failure.onStepFailure === 'replan';
  return {
    review,
    subplan: limits.maxAttempts + 1 + review,
    cause: isFailureBorne && approval.onReject === 'replan' ? 0 : 1,
    isFailureCause,
    isGoalJudged: team.hasSupervisor && gates.goal !== null,
  };
};

/** A replan follows a plan that was none, or a no to the one that was given. The planner may be refused at last. */
const replansWithin = (
  budget: number,
  policy: Policy,
  { replans, plannerCalls }: Parts,
  { review, cause }: Prices,
): number => {
  if (plannerCalls === 0) return budget - review;
  const free = canTurnDown(policy) ? policy.limits.maxReplans : (1 - cause) * replans;
  return Math.max(budget, review > 0 ? 0 : Math.min(free, budget + 1));
};

/** First the plans of the goal, which cost no more than the call; then as many sub-plans as there are calls left for. */
const plannerCallsWithin = (
  budget: number,
  { limits: { maxSteps, maxReplans } }: Policy,
  { replans, plannerCalls, subplans, subplansPerStep, wishing }: Parts,
  { review, subplan, cause, isFailureCause }: Prices,
): number => {
  if (plannerCalls === 0) return 0;
  const lost = Math.min(1, wishing);
  const hosted = maxSteps * subplansPerStep;
  const costOf = (count: number): number => {
    const others = Math.ceil(Math.max(0, count - hosted) / (hosted - lost * subplansPerStep || 1));
    const reviewed = Math.max(1 + others, Math.ceil((count + lost * others) / maxSteps));
    const judged = Math.ceil(count / subplansPerStep) - maxSteps - replans * (maxSteps - 1);
    const causes = isFailureCause ? 0 : Math.max(others * cause, judged);
    return count * (subplan - review) + reviewed * review + causes;
  };
  const mostWith = (calls: number, subplansMax: number): number => {
    let least = 0;
    for (let most = Math.min(subplansMax, budget); least < most;) {
      const count = Math.ceil((least + most) / 2);
      if (calls - 1 + costOf(count) > budget) most = count - 1;
      else least = count;
    }
    return Math.min(calls, budget + 1) + least;
  };
  const calls = plannerCalls - subplans;
  // Where the first plan leaves fewer replans, more of them are made before it, and it is the only one.
  const atFirst = mostWith(calls + maxReplans - replans, Math.min(subplans, hosted));
  return Math.max(mostWith(calls, subplans), atFirst);
};
