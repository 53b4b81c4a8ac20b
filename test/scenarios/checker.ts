import type { Fact } from '../../src/journal/facts.js';
import type { Bounds } from '../../src/policy/bounds.js';
import type { Policy } from '../../src/policy/types.js';
import { checkApprovals } from './checks/approvals.js';
import { checkCalls } from './checks/calls.js';
import type { Violation } from './checks/check.types.js';
import { checkEnding } from './checks/endings.js';
import { checkPlans } from './checks/plans.js';
import { checkSteps } from './checks/steps.js';
import { checkVotes } from './checks/votes.js';

const CHECKS = [checkSteps, checkCalls, checkPlans, checkApprovals, checkVotes, checkEnding];

/**
 * Every invariant of section 6 of the reliability reference that can be read off the facts of a run that ended.
 * It trusts nothing but the facts and the policy: none of the code that made them is asked, except what a cycle is.
 *
 * @example
 * expect(checkInvariants(facts, policy)).toEqual([]);
 */
export const checkInvariants = (
  facts: readonly Fact[],
  policy: Policy,
  maxima?: Bounds,
): Violation[] => CHECKS.flatMap((check) => check({ facts, policy, maxima }));
