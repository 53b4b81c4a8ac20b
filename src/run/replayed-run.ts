import { JournalMismatchError } from '../errors.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Fact } from '../journal/facts.js';
import type { Kernel, KernelState, KernelStep } from '../kernel/kernel.types.js';
import { replay } from '../kernel/replay.js';
import { factsOf } from './run-memory.js';

/** A journal, and where it leads. */
export interface ReplayedRun {
  readonly entries: readonly JournalEntry[];
  readonly state: KernelState;
  readonly status: KernelStep['status'];
}

/** Goes through a journal: its facts are recomputed and must be the ones it holds. Pure; refuses by throwing. */
export const replayedRun = (kernel: Kernel, entries: readonly JournalEntry[]): ReplayedRun => {
  let factCount = 0;
  const { state, status } = replay(kernel, entries, (entry, step) => {
    checkFacts(entry, factsOf(entry.event, step, entry.at, factCount));
    factCount += entry.facts.length;
  });
  return { entries, state, status };
};

const checkFacts = (entry: JournalEntry, facts: readonly Fact[]): void => {
  if (JSON.stringify(facts) === JSON.stringify(entry.facts)) return;
  const differing = facts.findIndex(
    (fact, index) => JSON.stringify(fact) !== JSON.stringify(entry.facts[index]),
  );
  const expected = JSON.stringify(entry.facts[differing] ?? entry.facts.at(-1));
  throw new JournalMismatchError(
    `Entry ${entry.sequence} of the journal does not replay: expected ${expected}, got ${JSON.stringify(facts[differing])}. The charts or the policy have changed since the run was recorded.`,
  );
};
