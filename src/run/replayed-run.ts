import { JournalMismatchError } from '../errors.js';
import type { JournalEntry } from '../journal/entry.js';
import { chartEntries } from '../journal/entry.js';
import { differenceOf, isSameFact } from '../journal/same-fact.js';
import type { Fact } from '../model/facts.js';
import type { Kernel, KernelState, KernelStep, SavedState } from '../kernel/kernel.types.js';
import { replay } from '../kernel/replay.js';
import { restoredState, savedState } from '../kernel/saved-state.js';
import { factsOf } from './run-memory.js';

/** A journal and its final state. */
export interface ReplayedRun {
  readonly entries: readonly JournalEntry[];
  readonly state: KernelState;
  readonly status: KernelStep['status'];
}

/** A stored state, and the number of entries it covers. */
export interface KeptState {
  readonly sequence: number;
  readonly saved: unknown;
}

/**
 * Replays a journal, from a stored state if there is one: its facts are recomputed and must equal the stored ones.
 * Pure; refuses by throwing.
 */
export const replayedRun = (
  kernel: Kernel,
  entries: readonly JournalEntry[],
  kept?: KeptState,
): ReplayedRun => {
  const from = kept === undefined ? kernel.initialState : restored(kernel, kept);
  const tail = chartEntries(kept === undefined ? entries : entries.slice(kept.sequence));
  let factCount = lastFact(entries.slice(0, kept?.sequence ?? 0));
  const check = (entry: JournalEntry, step: KernelStep): void => {
    checkFacts(entry, factsOf(step, entry.at, factCount));
    factCount += entry.facts.length;
  };
  const { state, status } = replay(kernel, tail, check, from);
  return { entries, state, status };
};

/**
 * For tests: the present state, rebuilt from a copy of the journal and a copy of the resulting state. That is slow, and
 * shows that both are complete.
 */
export const rebuiltFromCopies =
  (copy: <Value>(value: Value) => Value) =>
  (kernel: Kernel, entries: readonly JournalEntry[]): KernelState =>
    restoredState(kernel, copy(savedState(kernel, replayedRun(kernel, copy(entries)).state)));

/** The number of the last fact: not every entry has one. */
const lastFact = (entries: readonly JournalEntry[]): number =>
  entries.findLast(({ facts }) => facts.length > 0)?.facts.at(-1)?.sequence ?? 0;

const restored = (kernel: Kernel, { saved }: KeptState): KernelState => {
  try {
    return restoredState(kernel, saved as SavedState);
  } catch (cause) {
    throw new JournalMismatchError('The stored state does not fit these charts', { cause });
  }
};

const checkFacts = (entry: JournalEntry, facts: readonly Fact[]): void => {
  const length = Math.max(facts.length, entry.facts.length);
  for (let index = 0; index < length; index += 1) {
    const [stored, told] = [entry.facts[index], facts[index]];
    if (isSameFact(stored, told)) continue;
    const sequence = (stored ?? told)?.sequence ?? 0;
    const difference = { sequence, ...differenceOf(stored, told) };
    const message = `Fact ${sequence} (entry ${entry.sequence}) of its journal is ${difference.expected}; these charts and this policy tell ${difference.actual}`;
    throw new JournalMismatchError(message, { difference });
  }
};
