import type { BoundedTeam, Bounds } from './bounds.js';
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

/** More ways to spend the calls than this are not compared: then the price tag is the one without a budget. */
const WAYS_MAX = 100_000;

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
    ...stepsWithin(budget, policy, parts, prices),
    // The plan is reviewed before there is a step to wait for.
    ...(budget > prices.review ? {} : { wallTimeMs: policy.time.limitMs }),
  };
};

/** What things cost in calls. */
interface Prices {
  readonly review: number;
  /** A step that nobody can do, a planner, and a review. */
  readonly subplan: number;
  /** What makes another plan necessary: a person's no costs nothing. */
  readonly cause: number;
  /** All causes together: once so many calls have failed, a breaker is open, and steps fail for nothing. */
  readonly causesMax: number;
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
    causesMax: isFailureCause ? failuresUntilFree(policy, team) : Infinity,
    isFailureCause,
    isGoalJudged: team.hasSupervisor && gates.goal !== null,
  };
};

/** Whoever has a fallback never fails for nothing. */
const failuresUntilFree = ({ breaker, retry }: Policy, team: BoundedTeam): number =>
  breaker !== null &&
  team.agents.some((agent) => !retry.fallback || !team.fallbacks.includes(agent))
    ? breaker.failures
    : Infinity;

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
  const calls = plannerCalls - subplans + maxReplans - replans;
  const lost = Math.min(1, wishing);
  const costOf = (count: number): number => {
    const hosted = maxSteps * subplansPerStep;
    const others = Math.ceil(Math.max(0, count - hosted) / (hosted - lost * subplansPerStep || 1));
    const reviewed = Math.max(1 + others, Math.ceil((count + lost * others) / maxSteps));
    const judged = Math.ceil(count / subplansPerStep) - maxSteps - replans * (maxSteps - 1);
    const causes = isFailureCause ? 0 : Math.max(others * cause, judged);
    return calls - 1 + count * (subplan - review) + reviewed * review + causes;
  };
  let least = 0;
  for (let most = Math.min(subplans, budget); least < most;) {
    const count = Math.ceil((least + most) / 2);
    if (costOf(count) > budget) most = count - 1;
    else least = count;
  }
  return Math.min(calls, budget + 1) + least;
};

/** Compares all ways to spend the calls on replans, sub-plans and hand-offs, and what is left on questions. */
const stepsWithin = (
  budget: number,
  policy: Policy,
  parts: Parts,
  prices: Prices,
): Partial<Bounds> => {
  const { maxSteps } = policy.limits;
  const { replans, subplans, subplansPerStep, wishing } = parts;
  const { review, subplan, cause, causesMax, isFailureCause } = prices;
  const perPlan = Number(policy.approval.plan);
  const ways = waysToPlan(budget, policy, parts);
  if (ways.length * Math.min(1 + subplans, budget / subplan) > WAYS_MAX) return {};
  let steps = 0;
  let approvals = 0;
  for (const [made, plans] of ways) {
    const spare = Math.max(0, replans - made);
    const mostBelow = (maxSteps * plans - Math.min(wishing, plans - 1)) * subplansPerStep;
    for (let below = 0; below <= mostBelow; below += 1) {
      const causes = isFailureCause ? Math.max(0, plans - 1 - below) : plans - 1;
      // A no takes a step; where all of them have sub-plans, the goal has to be judged.
      const judged = causes - maxSteps * plans + Math.ceil(below / Math.max(1, subplansPerStep));
      const caused = isFailureCause
        ? Math.min(causes * cause, causesMax)
        : Math.max(causes * cause, judged);
      const left = budget - review - made * (1 + review) - caused - below * subplan;
      if (left < 0) break;
      const started = maxSteps * (plans + below);
      const handOffs = Math.min(left, spare);
      // Who asks for another plan in vain has no sub-plan, and did not cause one of those there are.
      const inVain = started - below + (prices.isGoalJudged ? spare : -causes);
      const asked = askedWithin(left, handOffs, started, inVain, policy, parts);
      steps = Math.max(steps, started + handOffs);
      approvals = Math.max(approvals, started + asked + (1 + made) * perPlan);
    }
  }
  return { steps, approvals };
};

/** Replans, and how many plans are carried out: people who read plans may turn any but the last one down. */
const waysToPlan = (
  budget: number,
  policy: Policy,
  { replans, plannerCalls }: Parts,
): (readonly [number, number])[] => {
  const isTurnedDown = canTurnDown(policy);
  const most = plannerCalls === 0 ? 0 : isTurnedDown ? policy.limits.maxReplans : replans;
  const ways: [number, number][] = [];
  for (let made = 0; made <= Math.min(budget, most) && ways.length <= WAYS_MAX; made += 1) {
    const carriedOut = made > replans ? 1 : 1 + made;
    for (let plans = isTurnedDown ? 1 : carriedOut; plans <= carriedOut; plans += 1) {
      ways.push([made, plans]);
    }
  }
  return ways;
};

const canTurnDown = ({ approval }: Policy): boolean =>
  approval.plan && approval.onReject === 'replan';

/** A question takes a call of who asks it. A hand-off takes one, too, and there is one more who may ask. */
const askedWithin = (
  calls: number,
  handOffs: number,
  started: number,
  inVain: number,
  { approval, replan }: Policy,
  { isHandedOnAsked }: Parts,
): number => {
  const each = approval.maxQuestions;
  const questions = each * started + (replan.onLimit === 'askHuman' ? inVain : 0);
  // From here on there are more questions than calls.
  const turn = Math.floor((calls - questions) / (each + 1));
  const asked = [0, turn, turn + 1, handOffs].map((count) => {
    const handedOn = Math.min(handOffs, Math.max(0, count));
    const agreed = isHandedOnAsked ? handedOn : 0;
    return agreed + Math.min(calls - handedOn, questions + each * handedOn);
  });
  return Math.max(...asked);
};
