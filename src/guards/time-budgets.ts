/**
 * Budgets that follow from a policy. Pure: the charts use them as delays, the price tag as bounds.
 */

import type { Policy } from '../model/policy.js';

// Seed 004: planning and verification get a tenth each, but never more than these.
const planningCapMs = 15 * 60_000;
const verificationCapMs = 10 * 60_000;

/** What one planning phase may take. Rounded down, so a limit below 10 ms leaves it nothing. */
export function planningBudgetMs({ time }: Pick<Policy, 'time'>): number {
  return time.planningMs ?? Math.min(tenthOf(time.limitMs), planningCapMs);
}

/** What the verification of the goal may take. */
export function verificationBudgetMs({ time }: Pick<Policy, 'time'>): number {
  return time.verificationMs ?? Math.min(tenthOf(time.limitMs), verificationCapMs);
}

/**
 * What is left for the steps: at least 80 % of the limit unless the policy gives the phases more.
 */
export function executionBudgetMs(policy: Pick<Policy, 'time'>): number {
  return policy.time.limitMs - planningBudgetMs(policy) - verificationBudgetMs(policy);
}

/** What one whole step may take: its share of the execution time, or all of it. */
export function stepBudgetMs(policy: Pick<Policy, 'time'>, stepCount: number): number {
  const executionMs = executionBudgetMs(policy);
  if (!policy.time.stepShare) {
    return executionMs;
  }
  return Math.max(1, Math.floor(executionMs / Math.max(1, stepCount)));
}

/** What one fix cycle may take, the fix and the tests after it: 30 % of its step, or all of the step's time. */
export function fixBudgetMs(policy: Pick<Policy, 'time'>, stepMs: number): number {
  if (!policy.time.stepShare) {
    return stepMs;
  }
  // In two parts, because three times a very long step would not be exact.
  const wholeTenths = Math.floor(stepMs / 10) * 3;
  return Math.max(1, wholeTenths + Math.floor(((stepMs % 10) * 3) / 10));
}

/** How many failed steps a plan of this size tolerates; one more ends the run. */
export function failureLimit({ limits }: Pick<Policy, 'limits'>, stepCount: number): number {
  return limits.maxFailures ?? Math.max(2, Math.ceil(stepCount / 3));
}

function tenthOf(durationMs: number): number {
  return Math.floor(durationMs / 10);
}
