import { fingerprint, stableStringify } from '../canonical-json.js';
import type { ProposedPlan } from '../model/plan.js';

/**
 * What a plan would do, as a short text: the same work in the same order gives the same fingerprint whatever the
 * steps are called, so that a planner that goes round in circles is seen.
 */
export const planFingerprint = (plan: ProposedPlan): string => {
  const positionById = new Map(plan.steps.map((step, index) => [step.id, index]));
  const work = plan.steps.map((step) => ({
    agent: step.agent,
    task: step.task.trim(),
    dependsOn: step.dependsOn
      .map((dependency) => positionById.get(dependency) ?? dependency)
      .sort(),
    // Asking more often is another plan; plans without votes keep the fingerprint they have always had.
    ...(step.votes === undefined ? {} : { votes: step.votes }),
  }));
  return fingerprint(stableStringify(work));
};
