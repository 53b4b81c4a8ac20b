import { boundsWithin } from './budgeted-bounds.js';
import type { Policy } from './types.js';

/**
 * The most a run can cost under a policy, whatever its agents do. Each number by itself: one run need not come to all of
 * them. Exact, except with `limits.maxAgentCalls` in the few policies that docs/prove.md names: there it is never too low.
 */
export interface Bounds {
  /** Times the planner is asked, whether or not a budget refuses the call. */
  readonly plannerCalls: number;
  /** Tries of every role, the planner's included. */
  readonly agentCalls: number;
  readonly replans: number;
  /** Steps that can start, sub-plans included. */
  readonly steps: number;
  /** Nested levels of sub-plans. */
  readonly depth: number;
  /** Questions to people. */
  readonly approvals: number;
  /** Extensions granted by people not counted. */
  readonly wallTimeMs: number;
}

/** Who there is to call, as far as it changes the bounds. */
export interface BoundedTeam {
  readonly agents: readonly string[];
  readonly hasPlanner: boolean;
  readonly hasSupervisor: boolean;
  readonly hasTester: boolean;
  readonly hasSummarizer: boolean;
  readonly fallbacks: readonly string[];
}

/**
 * The price tag of a policy. Follows the charts: where they gain a loop, this gains a term. `prove` in
 * planwright/testing finds the same numbers by exploring the charts.
 */
export const boundsOf = (policy: Policy, team: BoundedTeam): Bounds => {
  const { maxReplans, maxAgentCalls } = policy.limits;
  const laterReplans = replansOnceAdopted(policy);
  const counts = countsOf(policy, team, laterReplans, 0);
  let bounds = boundsWith(policy, team, counts);
  if (laterReplans < maxReplans && team.hasPlanner) {
    const dropping = countsOf(policy, team, 0, maxReplans);
    bounds = eachOf(Math.max, bounds, boundsWith(policy, team, dropping));
  }
  if (maxAgentCalls === null || maxAgentCalls >= bounds.agentCalls) return bounds;
  const parts = { ...counts, isHandedOnAsked: isHandedOnAsked(policy, team) };
  return eachOf(Math.min, bounds, boundsWithin(maxAgentCalls, policy, team, parts));
};

const eachOf = (
  choose: (left: number, right: number) => number,
  bounds: Bounds,
  others: Partial<Bounds>,
): Bounds => {
  const chosen: Record<keyof Bounds, number> = { ...bounds };
  for (const metric of Object.keys(others) as (keyof Bounds)[]) {
    chosen[metric] = choose(bounds[metric], others[metric] ?? 0);
  }
  return chosen;
};

/** The first plan that is adopted may allow fewer replans than there can be before it. */
const replansOnceAdopted = ({ limits, replan: { maxByComplexity } }: Policy): number =>
  maxByComplexity === null
    ? limits.maxReplans
    : Math.max(maxByComplexity.simple, maxByComplexity.medium, maxByComplexity.complex);

const boundsWith = (policy: Policy, team: BoundedTeam, counts: Counts): Bounds => {
  const { limits, time } = policy;
  return {
    plannerCalls: counts.plannerCalls,
    agentCalls:
      counts.plannerCalls * policy.retry.attempts +
      counts.planned * triesPerStep(policy, team, limits.maxVotes) +
      counts.handedOn * triesPerStep(policy, team, 1) -
      triesLostByWishes(policy, team, counts) -
      counts.subplans * triesLostBySubplan(policy, team) +
      reviewTries(policy, team, counts) +
      summaryTries(policy, team, counts),
    replans: counts.replans,
    steps: counts.planned + counts.handedOn,
    depth: counts.depth,
    approvals:
      planApprovals(policy, counts) +
      limitQuestions(policy, counts) +
      stepApprovals(policy, team, counts),
    wallTimeMs: time.limitMs + time.graceMs,
  };
};

interface Counts {
  readonly replans: number;
  /** Plans of the goal that are carried out. */
  readonly goalPlans: number;
  /** Plans of the goal that are turned down before there is one to carry out. */
  readonly dropped: number;
  readonly goalSteps: number;
  /** Steps of plans, sub-plans included. */
  readonly planned: number;
  /** Steps that agents handed on: without a planner that is what replans are spent on. */
  readonly handedOn: number;
  /** Steps that have to end as a wish for another plan or agent, so that there is one: they end early. */
  readonly wishing: number;
  /** Sub-plans below one of the other steps of the goal. */
  readonly subplansPerStep: number;
  /** Steps of the plans at the lowest level. */
  readonly lowest: number;
  readonly subplans: number;
  readonly plannerCalls: number;
  readonly depth: number;
}

const countsOf = (policy: Policy, team: BoundedTeam, later: number, dropped: number): Counts => {
  const { maxSteps } = policy.limits;
  const depth = team.hasPlanner ? policy.limits.maxDepth : 0;
  const goalPlans = team.hasPlanner ? 1 + later : 1;
  const handedOn = team.hasPlanner ? 0 : later;
  const wishing = isReplanFree(policy, team) ? 0 : later;
  const goalSteps = maxSteps * goalPlans;
  const hosts = goalSteps - wishing;
  const subplansPerStep = subplansBelow(maxSteps, depth);
  const subplans = hosts * subplansPerStep;
  const goalPlannerCalls = team.hasPlanner ? goalPlans + dropped + plannerRecoveries(policy) : 0;
  return {
    replans: later + dropped,
    goalPlans,
    dropped,
    goalSteps: goalSteps + handedOn,
    planned: goalSteps + subplans * maxSteps,
    handedOn,
    wishing,
    subplansPerStep,
    lowest: hosts * maxSteps ** depth,
    subplans,
    plannerCalls: goalPlannerCalls + subplans,
    depth,
  };
};

/** Every step of every level but the lowest can become a sub-plan. */
const subplansBelow = (maxSteps: number, depth: number): number => {
  let subplans = 0;
  for (let level = 0; level < depth; level += 1) subplans += maxSteps ** level;
  return subplans;
};

/** Whether a replan can come of something that costs no step its last stages: a goal that is not met, or a failure. */
const isReplanFree = ({ gates, failure, limits }: Policy, team: BoundedTeam): boolean =>
  team.hasPlanner &&
  ((team.hasSupervisor && gates.goal !== null) ||
    (failure.onStepFailure === 'replan' && limits.maxFailures !== 0));

/** With `onPlannerFailure: 'interrupt'` a person may have the first plan asked for again. */
const plannerRecoveries = ({ failure, limits }: Policy): number =>
  failure.onPlannerFailure === 'interrupt' ? limits.maxAttempts : 0;

/** An attempt takes the work through its stages once; an answer from a person has only the work begin again. */
const triesPerStep = (
  { limits, gates, retry, approval }: Policy,
  team: BoundedTeam,
  maxVotes: number,
): number => {
  const { maxAttempts, maxFixCycles } = limits;
  const { maxQuestions } = approval;
  const fixes = team.hasTester ? maxAttempts * maxFixCycles : 0;
  // A plan may have every step voted on; a fix is made once.
  const work = (maxAttempts + maxQuestions) * maxVotes + fixes;
  // Asked in the middle of a fix, the code is looked at once more. In the middle of a vote it costs at least as much.
  const reviewedFixes = maxVotes === 1 ? Math.min(maxQuestions, fixes) : 0;
  const codeReviews = team.hasSupervisor && gates.code !== null ? maxAttempts + reviewedFixes : 0;
  const tests = team.hasTester ? maxAttempts + fixes : 0;
  const verifications = team.hasSupervisor && gates.step !== null ? maxAttempts : 0;
  const fallbacks = retry.fallback && team.fallbacks.length > 0 ? work : 0;
  return (work + codeReviews + tests + verifications) * retry.attempts + fallbacks;
};

/** Unfinished work is not looked at; unless the wish comes with a fix, which is tested all the same. */
const triesLostByWishes = (
  { limits, gates, retry, approval }: Policy,
  team: BoundedTeam,
  { wishing, goalSteps, handedOn }: Counts,
): number => {
  const isCodeReviewed = team.hasSupervisor && gates.code !== null;
  const fixes = team.hasTester ? limits.maxAttempts * limits.maxFixCycles : 0;
  if (fixes > 0) {
    // That one is not asked about, so its code is not looked at once more. Nor is that of a step that is voted on.
    const isLost = isCodeReviewed && approval.maxQuestions >= fixes;
    const votedOn = limits.maxVotes > 1 ? goalSteps - handedOn : 0;
    return isLost ? Math.max(0, wishing - votedOn) * retry.attempts : 0;
  }
  const verification = team.hasSupervisor && gates.step !== null ? 1 : 0;
  const lost = Number(isCodeReviewed) + verification + Number(team.hasTester);
  return wishing * lost * retry.attempts;
};

/** Tests that fail to the last end a step. One that becomes a sub-plan is blocked before them, or refused after them. */
const triesLostBySubplan = ({ gates, retry }: Policy, team: BoundedTeam): number =>
  team.hasTester && !(team.hasSupervisor && gates.step !== null) ? retry.attempts : 0;

const reviewTries = (
  { gates, retry }: Policy,
  team: BoundedTeam,
  { goalPlans, dropped, subplans }: Counts,
): number => {
  const planReviews = gates.plan === null ? 0 : goalPlans + dropped + subplans;
  const goalReviews = gates.goal === null ? 0 : goalPlans;
  return team.hasSupervisor ? (planReviews + goalReviews) * retry.attempts : 0;
};

/** One step speaks for itself; a summary is for several. */
const summaryTries = ({ retry }: Policy, team: BoundedTeam, { goalSteps }: Counts): number =>
  team.hasSummarizer && goalSteps > 1 ? retry.attempts : 0;

const planApprovals = ({ approval }: Policy, { goalPlans, dropped }: Counts): number => {
  if (!approval.plan) return 0;
  return goalPlans + (approval.onReject === 'replan' ? dropped : 0);
};

/**
 * People are asked at the replan bound, once for every step that asks for another plan in vain. Where there are sub-plans
 * those are the steps of the lowest level: any other costs more as a sub-plan. In the plan of the goal a step asks in
 * vain when no replan is left: where plans replace each other those of the last one, otherwise all but those that the
 * replans came of.
 */
const limitQuestions = (
  { replan, limits }: Policy,
  { goalPlans, lowest, handedOn, depth }: Counts,
): number => {
  if (replan.onLimit !== 'askHuman') return 0;
  if (depth > 0) return lowest;
  const isAppending = replan.merge.startsWith('append') && handedOn === 0;
  return isAppending ? limits.maxSteps * goalPlans - (goalPlans - 1) : limits.maxSteps;
};

/** A plan may ask for approval of each step; of what agents hand on only the policy does. */
const stepApprovals = (
  policy: Policy,
  team: BoundedTeam,
  { planned, handedOn }: Counts,
): number => {
  const { maxQuestions } = policy.approval;
  const handedOnApprovals = maxQuestions + (isHandedOnAsked(policy, team) ? 1 : 0);
  return planned * (1 + maxQuestions) + handedOn * handedOnApprovals;
};

const isHandedOnAsked = ({ approval }: Policy, { agents }: BoundedTeam): boolean =>
  (approval.confidenceBelow ?? 0) > 0 || agents.some((agent) => approval.agents.includes(agent));
