import type { JournalEntry } from '../../journal/entry.js';
import type { Fact } from '../../model/facts.js';
import type { Check } from './evidence.js';
import { Findings, parentOf } from './evidence.js';

/**
 * Invariant 11 for takeovers: a run that is taken over repeatedly without progress is ended, and no other run is ended
 * for that.
 */
export const checkRecoveries: Check = ({ entries, policy: { limits } }) => {
  const findings = new Findings();
  const expect = (isKept: boolean, message: string): void =>
    findings.expect(isKept, 'recoveries-bounded', message);
  let seen = 0;
  let atProgress = 0;
  const inFlight = new Set<string>();
  for (const entry of entries) {
    findings.lookAt(entry.facts[0] ?? null);
    const takeovers = takeoversIn(entry);
    if (takeovers !== undefined)
      expect(inFlight.size > 0, 'a takeover is counted without a call in flight');
    for (const fact of entry.facts) noteCall(fact, inFlight);
    const isOver = entry.facts.some(({ type }) => type === 'run.ended');
    seen = takeovers ?? seen;
    const isOneTooMany = takeovers !== undefined && seen - atProgress > limits.maxRecoveries;
    if (isOneTooMany)
      expect(isOver, `the run continues after ${seen - atProgress} takeovers in a row`);
    else
      expect(!entry.facts.some(isDeath), `the run is ended after ${seen - atProgress} takeovers`);
    if (entry.facts.some(isProgress)) atProgress = seen;
  }
  return findings.violations;
};

/** Calls that ended with their step may stay here: too many only allow a takeover, too few never do. */
const noteCall = (fact: Fact, inFlight: Set<string>): void => {
  if (fact.type === 'agent.called') inFlight.add(fact.key);
  if (fact.type === 'agent.answered' || fact.type === 'agent.failed') inFlight.delete(fact.key);
};

const takeoversIn = ({ event }: JournalEntry): number | undefined =>
  event.kind === 'commanded' && event.event.type === 'run.recovered'
    ? (event.event as { readonly takeovers?: number }).takeovers
    : undefined;

const isDeath = (fact: Fact): boolean =>
  fact.type === 'run.ended' && fact.reason === 'max-recoveries';

/** Progress of a sub-plan counts for its step. */
const isProgress = (fact: Fact): boolean => {
  if (fact.type === 'plan.adopted') return fact.parentStepId === null;
  return fact.type === 'step.completed' && parentOf(fact.stepId) === null;
};
