import { readableText } from '../canonical-json.js';
import { cutMessage } from '../failure.js';
import type { Fact } from '../model/facts.js';
import type { RunStanding } from '../model/run-store.js';

/** The changes that facts make to the status, phase and reason of a run. Phases of sub-plans do not count. */
export const standingAfter = (facts: readonly Fact[]): Partial<RunStanding> | undefined => {
  let standing: Partial<RunStanding> | undefined;
  for (const fact of facts) {
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
  return standing;
};
