import { readableText } from '../canonical-json.js';
import { cutMessage } from '../failure.js';
import type { Fact } from '../model/facts.js';
import type { RunStanding } from '../model/run-store.js';
import type { OpenApprovals } from './open-approvals.js';

/**
 * The changes that facts make to the status, phase, reason and open approvals of a run. Phases of sub-plans do not
 * count. `open` counts the approvals before them, and afterwards those after them.
 */
export const standingAfter = (
  facts: readonly Fact[],
  open: OpenApprovals,
): Partial<RunStanding> | undefined => {
  const before = open.count;
  let standing: Partial<RunStanding> | undefined;
  for (const fact of facts) {
    open.add(fact);
    if (fact.type === 'phase.entered' && fact.parentStepId === null) {
      standing = { ...standing, phase: fact.phase };
    }
    if (fact.type === 'run.ended') {
      standing = {
        ...standing,
        status: fact.status,
        reason: cutMessage(readableText(fact.reason)),
      };
    }
  }
  return open.count === before ? standing : { ...standing, openApprovals: open.count };
};
