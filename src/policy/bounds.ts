import type { Policy } from './types.js';

/** The most a run can cost under a policy, whatever its agents do. */
export interface Bounds {
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
  const { limits, time } = policy;
  const counts = countsOf(policy, team);
  const tries =
    counts.plannerCalls * policy.retry.attempts +
    counts.planned * triesPerStep(policy, team, limits.maxVotes) +
    counts.handedOn * triesPerStep(policy, team, 1) +
    reviewTries(policy, team, counts) +
    summaryTries(policy, team, counts);
  return {
    plannerCalls: counts.plannerCalls,
    agentCalls: Math.min(tries, limits.maxAgentCalls ?? tries),
    replans: limits.maxReplans,
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
  /** Plans of the goal that somebody can be asked about: an answer is needed for that. */
  readonly goalPlans: number;
  readonly goalSteps: number;
  /** Steps of plans, sub-plans included. */
  readonly planned: number;
  /** Steps that agents handed on: without a planner that is what replans are spent on. */
  readonly handedOn: number;
  readonly subplans: number;
  readonly plannerCalls: number;
  readonly depth: number;
}

const countsOf = (policy: Policy, team: BoundedTeam): Counts => {
  const { maxReplans, maxSteps, maxDepth } = policy.limits;
  const depth = team.hasPlanner ? maxDepth : 0;
  const goalPlans = team.hasPlanner ? 1 + maxReplans : 1;
  const handedOn = team.hasPlanner ? 0 : maxReplans;
  const goalSteps = maxSteps * goalPlans;
  const planned = goalSteps + nestedSteps(goalSteps, maxSteps, depth);
  const subplans = depth === 0 ? 0 : planned - goalSteps * maxSteps ** depth;
  const goalPlannerCalls = team.hasPlanner ? goalPlans + plannerRecoveries(policy) : 0;
  return {
    goalPlans,
    goalSteps: goalSteps + handedOn,
    planned,
    handedOn,
    subplans,
    plannerCalls: goalPlannerCalls + subplans,
    depth,
  };
};

/** Every step of every level but the last can become a sub-plan. */
const nestedSteps = (goalSteps: number, maxSteps: number, depth: number): number => {
  let total = 0;
  let level = goalSteps;
  for (let nesting = 1; nesting <= depth; nesting += 1) {
    level *= maxSteps;
    total += level;
  }
  return total;
};

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

const reviewTries = (
  { gates, retry }: Policy,
  team: BoundedTeam,
  { goalPlans, subplans }: Counts,
): number => {
  const planReviews = gates.plan === null ? 0 : goalPlans + subplans;
  const goalReviews = gates.goal === null ? 0 : goalPlans;
  return team.hasSupervisor ? (planReviews + goalReviews) * retry.attempts : 0;
};

/** One step speaks for itself; a summary is for several. */
const summaryTries = ({ retry }: Policy, team: BoundedTeam, { goalSteps }: Counts): number =>
  team.hasSummarizer && goalSteps > 1 ? retry.attempts : 0;

const planApprovals = ({ approval }: Policy, { goalPlans }: Counts): number =>
  approval.plan ? goalPlans : 0;

/**
 * People are asked at the replan bound, once for every step that asks for another plan. While there are replans left the
 * request is one of them: a step that asks then costs no question. Where plans replace each other, only the last one
 * has its steps ask in vain.
 */
const limitQuestions = (
  { replan, limits }: Policy,
  { goalPlans, planned, goalSteps, handedOn }: Counts,
): number => {
  if (replan.onLimit !== 'askHuman') return 0;
  const isAppending = replan.merge.startsWith('append') && handedOn === 0;
  const ofGoal = isAppending ? limits.maxSteps * goalPlans - (goalPlans - 1) : limits.maxSteps;
  return ofGoal + planned - (goalSteps - handedOn);
};

/** A plan may ask for approval of each step; of what agents hand on only the policy does. */
const stepApprovals = (
  { approval }: Policy,
  { agents }: BoundedTeam,
  { planned, handedOn }: Counts,
): number => {
  const isAsking =
    approval.confidenceBelow !== null || agents.some((agent) => approval.agents.includes(agent));
  const handedOnApprovals = approval.maxQuestions + (isAsking ? 1 : 0);
  return planned * (1 + approval.maxQuestions) + handedOn * handedOnApprovals;
};
