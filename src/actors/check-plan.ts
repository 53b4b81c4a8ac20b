import type { PlanToCheck, Proposal } from '../model/proposal.js';
import { validatePlan } from '../plan/validate.js';

/** Judges the plan that came with a goal; null when none came. */
export const checkPlan = ({ plan, ...rules }: PlanToCheck): Proposal | null => {
  if (plan === null || plan === undefined) return null;
  const validation = validatePlan(plan, rules);
  return validation.ok
    ? { plan: validation.plan, issues: [], origin: 'given' }
    : { plan: null, issues: validation.issues, origin: 'given' };
};
