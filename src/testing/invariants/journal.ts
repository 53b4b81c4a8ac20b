import { isSameJson } from '../../canonical-json.js';
import type { JournalEntry } from '../../journal/entry.js';
import type { Fact } from '../../model/facts.js';
import type { Check } from './evidence.js';
import { Findings } from './evidence.js';

/**
 * Invariants 8, 9 and 14 in the journal: entries and facts are numbered without gaps, a call is recorded before it is
 * made, a result answers a call of an earlier entry, and an output is stored unchanged.
 */
export const checkJournal: Check = ({ entries, facts }) => {
  const findings = new Findings();
  checkNumbers(facts, findings);
  const intended = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    findings.lookAt(entry.facts[0] ?? null);
    checkEntry(entry, entries[index - 1], findings);
    for (const fact of entry.facts) {
      findings.lookAt(fact);
      checkFact(fact, entry, intended, findings);
    }
    checkIntents(entry, findings);
    for (const key of entry.intents) intended.add(key);
  }
  return findings.violations;
};

const checkNumbers = (facts: readonly Fact[], findings: Findings): void => {
  for (const [index, fact] of facts.entries()) {
    findings.lookAt(fact);
    const isNext = fact.sequence === index + 1;
    findings.expect(isNext, 'journal-gapless', `fact ${fact.sequence} is at position ${index + 1}`);
  }
};

const checkEntry = (
  { sequence, at }: JournalEntry,
  before: JournalEntry | undefined,
  findings: Findings,
): void => {
  const expected = (before?.sequence ?? -1) + 1;
  const isNext = sequence === expected;
  findings.expect(isNext, 'journal-gapless', `entry ${sequence} is at position ${expected}`);
  const isLater = at >= (before?.at ?? at);
  findings.expect(isLater, 'causes-first', `time runs backwards at entry ${sequence}`);
  const isOpen = before?.facts.at(-1)?.type !== 'run.ended';
  findings.expect(isOpen, 'causes-first', `entry ${sequence} comes after the end`);
};

const checkFact = (
  fact: Fact,
  entry: JournalEntry,
  intended: ReadonlySet<string>,
  findings: Findings,
): void => {
  const isOfEntry = fact.at === entry.at;
  findings.expect(
    isOfEntry,
    'causes-first',
    `fact ${fact.sequence} has another time than its entry`,
  );
  if (fact.type === 'agent.called') {
    const isKept = entry.intents.includes(fact.key);
    findings.expect(isKept, 'intent-first', `${fact.key} is called without a stored intent`);
  }
  if (fact.type !== 'agent.answered') return;
  const isAnswer = intended.has(fact.key);
  findings.expect(isAnswer, 'intent-first', `${fact.key} is answered before it could be made`);
  const isSame = isSameJson(outputIn(entry), fact.output);
  findings.expect(isSame, 'outputs-kept', `the output of ${fact.key} differs from the answer`);
};

/** The answer in an entry: the reference for the output. */
const outputIn = ({ event }: JournalEntry): unknown => {
  const outcome: unknown = event.kind === 'answered' ? event.output : null;
  const isOutcome = typeof outcome === 'object' && outcome !== null && 'output' in outcome;
  return isOutcome ? outcome.output : null;
};

const checkIntents = ({ intents, facts, sequence }: JournalEntry, findings: Findings): void => {
  findings.lookAt(facts.at(-1) ?? null);
  for (const key of intents) {
    const isTold = facts.some((fact) => fact.type === 'agent.called' && fact.key === key);
    findings.expect(isTold, 'intent-first', `entry ${sequence} makes ${key} without an intent`);
  }
};
