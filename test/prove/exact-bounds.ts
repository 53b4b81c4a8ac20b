import type { Policy } from '../../src/model/policy.js';

/**
 * Whether every number of `bounds()` is reached by some run. "Upper bounds" in docs/prove.md names the policies for
 * which it may be higher; for those this is false.
 */
export const areBoundsExact = (policy: Policy): boolean =>
  policy.limits.maxAgentCalls === null &&
  !leavesFewerReplans(policy) &&
  !isLastFixReviewedTwice(policy);

/** A plan that is rejected before the first adopted one spends replans that this one would have left. */
const leavesFewerReplans = ({ limits, replan: { maxByComplexity } }: Policy): boolean => {
  if (maxByComplexity === null) return false;
  const { simple, medium, complex } = maxByComplexity;
  const replans = Math.max(simple, medium, complex);
  return replans > 0 && replans < limits.maxReplans;
};

/** Each fix may contain a question and be reviewed again, except the one that ends in a replan request. */
const isLastFixReviewedTwice = ({ limits, gates, approval }: Policy): boolean => {
  const fixes = limits.maxAttempts * limits.maxFixCycles;
  return gates.code !== null && fixes > 0 && approval.maxQuestions >= fixes;
};
