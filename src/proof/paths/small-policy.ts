import type { Policy } from '../../policy/policy.js';
import { definePolicy } from '../../policy/policy.js';

/**
 * The same policy with small bounds. The effect of a bound shows at one as well as at ten, and paths with ten rounds of
 * a loop are long and cover nothing new.
 */
export const withSmallBounds = (policy: Policy): Policy => {
  const { limits, retry, approval, replan } = policy;
  const maxReplans = Math.min(limits.maxReplans, 1);
  const { maxByComplexity } = replan;
  return definePolicy({
    ...policy,
    limits: {
      ...limits,
      maxReplans,
      maxDepth: Math.min(limits.maxDepth, 1),
      maxAttempts: Math.min(limits.maxAttempts, 2),
      maxFixCycles: Math.min(limits.maxFixCycles, 1),
    },
    retry: { ...retry, attempts: Math.min(retry.attempts, 2) },
    approval: { ...approval, maxQuestions: Math.min(approval.maxQuestions, 1) },
    replan: {
      ...replan,
      maxByComplexity: maxByComplexity && {
        simple: Math.min(maxByComplexity.simple, maxReplans),
        medium: Math.min(maxByComplexity.medium, maxReplans),
        complex: Math.min(maxByComplexity.complex, maxReplans),
      },
    },
  });
};
