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
  readonly hasPlanner: boolean;
  readonly hasSupervisor: boolean;
  readonly hasTester: boolean;
  readonly hasSummarizer: boolean;
  readonly fallbacks: readonly string[];
}

/** The price tag of a policy. Follows the charts: where they gain a loop, this gains a term. */
export const boundsOf = (policy: Policy, team: BoundedTeam): Bounds => {
  const { limits, time } = policy;
  const replans = limits.maxReplans;
  const depth = team.hasPlanner ? limits.maxDepth : 0;
  const goalSteps = team.hasPlanner ? limits.maxSteps * (1 + replans) : limits.maxSteps + replans;
  const nested = nestedSteps(goalSteps, limits.maxSteps, depth);
  const steps = goalSteps + nested;
  const subplans = depth === 0 ? 0 : steps - deepestSteps(goalSteps, limits.maxSteps, depth);
  const goalPlannerCalls = team.hasPlanner ? 1 + replans + plannerRecoveries(policy) : 0;
  const plannerCalls = goalPlannerCalls + subplans;
  const tries =
    plannerCalls * policy.retry.attempts +
    steps * triesPerStep(policy, team) +
    reviewTries(policy, team, goalPlannerCalls, subplans);
  return {
    plannerCalls,
    agentCalls: Math.min(tries, limits.maxAgentCalls ?? tries),
    replans,
    steps,
    depth,
    approvals:
      planApprovals(policy, goalPlannerCalls, steps) + steps * (1 + policy.approval.maxQuestions),
    wallTimeMs: time.limitMs + time.graceMs,
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

const deepestSteps = (goalSteps: number, maxSteps: number, depth: number): number =>
  goalSteps * maxSteps ** depth;

/** With `onPlannerFailure: 'interrupt'` a person may have the first plan asked for again. */
const plannerRecoveries = ({ failure, limits }: Policy): number =>
  failure.onPlannerFailure === 'interrupt' ? limits.maxAttempts : 0;

/** An attempt takes the work through its stages once; an answer from a person has only the work begin again. */
const triesPerStep = ({ limits, gates, retry, approval }: Policy, team: BoundedTeam): number => {
  const { maxAttempts, maxFixCycles, maxVotes } = limits;
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
  goalPlannerCalls: number,
  subplans: number,
): number => {
  const planReviews = gates.plan === null ? 0 : Math.max(1, goalPlannerCalls) + subplans;
  const goalReviews = gates.goal === null ? 0 : Math.max(1, goalPlannerCalls);
  const reviews = team.hasSupervisor ? planReviews + goalReviews : 0;
  return (reviews + (team.hasSummarizer ? 1 : 0)) * retry.attempts;
};

const planApprovals = (
  { approval, replan }: Policy,
  goalPlannerCalls: number,
  steps: number,
): number =>
  (approval.plan ? Math.max(1, goalPlannerCalls) : 0) +
  (replan.onLimit === 'askHuman' ? steps + goalPlannerCalls : 0);
