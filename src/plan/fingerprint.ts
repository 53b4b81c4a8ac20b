import { fingerprint, stableStringify } from '../canonical-json.js';
import type { ProposedPlan } from '../model/plan.js';

/**
 * A fingerprint of a plan's work: the same work in the same order gives the same fingerprint whatever the steps are
 * called, so that a planner that repeats itself is detected.
 */
export const planFingerprint = (plan: ProposedPlan): string => {
  const positionById = new Map(plan.steps.map((step, index) => [step.id, index]));
  const work = plan.steps.map((step) => ({
    agent: step.agent,
    task: step.task.trim(),
    dependsOn: step.dependsOn
      .map((dependency) => positionById.get(dependency) ?? dependency)
      .sort(),
    // Votes change the fingerprint; plans without votes keep theirs.
    ...(step.votes === undefined ? {} : { votes: step.votes }),
  }));
  return fingerprint(stableStringify(work));
};
