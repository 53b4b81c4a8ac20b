import type { Policy } from '../model/policy.js';

/**
 * Upper bounds of the cost of one run under a policy, whatever its planner, agents and people answer. Each bound holds
 * by itself: one run need not reach several of them. docs/prove.md says where `prove` finds a lower maximum.
 */
export interface Bounds {
  /** Calls of the planner, including those that a budget refuses. */
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

/** The part of a team that changes the bounds. */
export interface BoundedTeam {
  readonly agents: readonly string[];
  readonly hasPlanner: boolean;
  readonly hasSupervisor: boolean;
  readonly hasTester: boolean;
  readonly hasSummarizer: boolean;
  readonly fallbacks: readonly string[];
}

/**
 * The price tag of a policy: first how many plans and steps there can be, then what each costs. It follows the charts:
 * where a chart gains a loop, this gains a term. `prove` in planwright/testing explores the charts and compares.
 */
export const boundsOf = (policy: Policy, team: BoundedTeam): Bounds => {
  const counts = countsOf(policy, team);
  const bounds: Bounds = {
    plannerCalls: counts.plannerCalls,
    agentCalls:
      counts.plannerCalls * policy.retry.attempts +
      stepTries(policy, team, counts) +
      reviewTries(policy, team, counts) +
      summaryTries(policy, team, counts),
    replans: counts.replans,
    steps: counts.plannedSteps + counts.handOffs,
    depth: counts.depth,
    approvals:
      planApprovals(policy, counts) +
      limitApprovals(policy, counts) +
      stepApprovals(policy, team, counts),
    wallTimeMs: policy.time.limitMs + policy.time.graceMs,
  };
  return withinCallBudget(bounds, policy);
};

/**
 * A run is given at most one plan. Every other plan, and every hand-off, costs a call. The planner can be called once
 * more when the budget is spent: that call is refused, and ends the run.
 */
const withinCallBudget = (
  bounds: Bounds,
  { limits: { maxAgentCalls, maxSteps } }: Policy,
): Bounds => {
  if (maxAgentCalls === null) return bounds;
  return {
    ...bounds,
    agentCalls: Math.min(bounds.agentCalls, maxAgentCalls),
    plannerCalls: Math.min(bounds.plannerCalls, maxAgentCalls + 1),
    replans: Math.min(bounds.replans, maxAgentCalls + 1),
    steps: Math.min(bounds.steps, maxSteps * (maxAgentCalls + 1)),
  };
};

interface Counts {
  readonly replans: number;
  /** Plans of the goal whose steps run. */
  readonly executedPlans: number;
  /** Plans of the goal that are rejected before the first one is executed. */
  readonly rejectedPlans: number;
  /** Steps of plans, sub-plans included. */
  readonly plannedSteps: number;
  /** Steps that agents add by handing off: without a planner each of them spends a replan. */
  readonly handOffs: number;
  /** Steps of the goal that have to end in a replan request or a hand-off, because only these cause a replan. */
  readonly requests: number;
  readonly subplans: number;
  /** Steps of the sub-plans at the deepest level. */
  readonly deepestSteps: number;
  readonly plannerCalls: number;
  readonly depth: number;
}

const countsOf = (policy: Policy, team: BoundedTeam): Counts => {
  const { maxReplans, maxSteps, maxDepth } = policy.limits;
  const { hasPlanner } = team;
  const depth = hasPlanner ? maxDepth : 0;
  const laterReplans = replansAfterAdoption(policy);
  const executedPlans = hasPlanner ? 1 + laterReplans : 1;
  const rejectedPlans = hasPlanner ? maxReplans - laterReplans : 0;
  const goalSteps = maxSteps * executedPlans;
  const requests = canReplanWithoutRequest(policy, team) ? 0 : laterReplans;
  // A step that ends in a request gets no sub-plan. Of the others, each can, and so can each step of its sub-plans.
  const hosts = goalSteps - requests;
  const subplans = hosts * subplansBelowStep(maxSteps, depth);
  const goalPlannerCalls = executedPlans + rejectedPlans + plannerRecoveries(policy);
  return {
    replans: laterReplans + rejectedPlans,
    executedPlans,
    rejectedPlans,
    plannedSteps: goalSteps + subplans * maxSteps,
    handOffs: hasPlanner ? 0 : laterReplans,
    requests,
    subplans,
    deepestSteps: hosts * maxSteps ** depth,
    plannerCalls: hasPlanner ? goalPlannerCalls + subplans : 0,
    depth,
  };
};

/** The first plan that is adopted may leave fewer replans than the policy allows before it. */
const replansAfterAdoption = ({ limits, replan: { maxByComplexity } }: Policy): number =>
  maxByComplexity === null
    ? limits.maxReplans
    : Math.max(maxByComplexity.simple, maxByComplexity.medium, maxByComplexity.complex);

/** Every step at every level but the deepest can get a sub-plan. */
const subplansBelowStep = (maxSteps: number, depth: number): number => {
  let subplans = 0;
  for (let level = 0; level < depth; level += 1) subplans += maxSteps ** level;
  return subplans;
};

/** An unmet goal and a failed step cause a replan after all stages of the steps. A request ends its step early. */
const canReplanWithoutRequest = (
  { gates, failure, limits }: Policy,
  { hasPlanner, hasSupervisor }: BoundedTeam,
): boolean =>
  hasPlanner &&
  ((hasSupervisor && gates.goal !== null) ||
    (failure.onStepFailure === 'replan' && limits.maxFailures !== 0));

/** With `onPlannerFailure: 'interrupt'` a person may request the first plan again. */
const plannerRecoveries = ({ failure, limits }: Policy): number =>
  failure.onPlannerFailure === 'interrupt' ? limits.maxAttempts : 0;

const stepTries = (policy: Policy, team: BoundedTeam, counts: Counts): number =>
  counts.plannedSteps * triesPerStep(policy, team, policy.limits.maxVotes) +
  // Only a plan can ask for votes.
  counts.handOffs * triesPerStep(policy, team, 1) -
  counts.requests * triesSkippedByRequest(policy, team) -
  counts.subplans * triesSkippedBySubplan(policy, team);

/** Each attempt takes the work through all stages. An answer from a person repeats only the work. */
const triesPerStep = (
  { limits: { maxAttempts, maxFixCycles }, gates, retry, approval: { maxQuestions } }: Policy,
  team: BoundedTeam,
  votes: number,
): number => {
  const fixes = team.hasTester ? maxAttempts * maxFixCycles : 0;
  const work = (maxAttempts + maxQuestions) * votes + fixes;
  // An answer during a fix repeats the fix and the code review; during a vote it repeats the vote, which costs as much.
  const repeatedReviews = votes === 1 ? Math.min(maxQuestions, fixes) : 0;
  const codeReviews = hasCodeReview(gates, team) ? maxAttempts + repeatedReviews : 0;
  const tests = team.hasTester ? maxAttempts + fixes : 0;
  const verifications = hasVerification(gates, team) ? maxAttempts : 0;
  const fallbacks = retry.fallback && team.fallbacks.length > 0 ? work : 0;
  return (work + codeReviews + tests + verifications) * retry.attempts + fallbacks;
};

/** A request made with the work skips every stage after it. One made with the last fix is tested and verified as usual. */
const triesSkippedByRequest = ({ limits, gates, retry }: Policy, team: BoundedTeam): number => {
  if (team.hasTester && limits.maxFixCycles > 0) return 0;
  const stages = [hasCodeReview(gates, team), team.hasTester, hasVerification(gates, team)];
  return stages.filter(Boolean).length * retry.attempts;
};

/**
 * A step gets a sub-plan when its agent is blocked or a review rejects its work. Failed tests end the step instead: so
 * where no verification follows the tests, the last attempt is blocked one test before the end.
 */
const triesSkippedBySubplan = ({ gates, retry }: Policy, team: BoundedTeam): number =>
  team.hasTester && !hasVerification(gates, team) ? retry.attempts : 0;

const hasCodeReview = (gates: Policy['gates'], { hasSupervisor }: BoundedTeam): boolean =>
  hasSupervisor && gates.code !== null;

const hasVerification = (gates: Policy['gates'], { hasSupervisor }: BoundedTeam): boolean =>
  hasSupervisor && gates.step !== null;

const reviewTries = (
  { gates, retry }: Policy,
  { hasSupervisor }: BoundedTeam,
  { executedPlans, rejectedPlans, subplans }: Counts,
): number => {
  const planReviews = gates.plan === null ? 0 : executedPlans + rejectedPlans + subplans;
  const goalReviews = gates.goal === null ? 0 : executedPlans;
  return hasSupervisor ? (planReviews + goalReviews) * retry.attempts : 0;
};

/** A run of one step needs no summary. */
const summaryTries = (
  { limits, retry }: Policy,
  { hasSummarizer }: BoundedTeam,
  { executedPlans, handOffs }: Counts,
): number => (hasSummarizer && limits.maxSteps * executedPlans + handOffs > 1 ? retry.attempts : 0);

const planApprovals = ({ approval }: Policy, { executedPlans, rejectedPlans }: Counts): number => {
  if (!approval.plan) return 0;
  return executedPlans + (approval.onReject === 'replan' ? rejectedPlans : 0);
};

/**
 * `replan.onLimit: 'askHuman'` asks a person about a replan request that is refused: at most once for each step. In
 * sub-plans every request is refused, and a step with a sub-plan makes none, so the steps of the deepest level count.
 * In a plan of the goal requests are refused when the replans are spent. Steps of earlier plans are then still there to
 * ask if plans are appended, except for one step of each, whose request was granted.
 */
const limitApprovals = (
  { replan, limits: { maxSteps } }: Policy,
  { executedPlans, deepestSteps, depth }: Counts,
): number => {
  if (replan.onLimit !== 'askHuman') return 0;
  if (depth > 0) return deepestSteps;
  const isAppending = replan.merge === 'append' || replan.merge === 'appendNext';
  return isAppending ? maxSteps + (executedPlans - 1) * (maxSteps - 1) : maxSteps;
};

/** A plan may ask for approval of each of its steps. About a hand-off only the policy asks. */
const stepApprovals = (
  { approval }: Policy,
  { agents }: BoundedTeam,
  { plannedSteps, handOffs }: Counts,
): number => {
  const { maxQuestions, confidenceBelow } = approval;
  const isHandOffAsked =
    (confidenceBelow ?? 0) > 0 || agents.some((agent) => approval.agents.includes(agent));
  return plannedSteps * (1 + maxQuestions) + handOffs * (Number(isHandOffAsked) + maxQuestions);
};
