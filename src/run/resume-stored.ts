import {
  JournalMismatchError,
  PlanwrightError,
  RunClaimedError,
  RunNotFoundError,
} from '../errors.js';
import type { JournalEntry } from '../journal/entry.js';
import type { JournalFormat } from '../journal/format/journal-format.js';
import type { ReadJournal } from '../journal/read-journal.js';
import { readJournal } from '../journal/read-journal.js';
import type { Kernel } from '../kernel/kernel.types.js';
import type { RunHeader, RunStore, StoredRun } from '../model/run-store.js';
import type { Lease } from './lease.js';
import type { Meanwhile } from './missed-events.js';
import type { ReplayedRun } from './replayed-run.js';
import { replayedRun } from './replayed-run.js';

/** A run that has ended: it is shown, not run. */
interface EndedRun {
  readonly kind: 'ended';
  readonly header: RunHeader;
  readonly entries: readonly JournalEntry[];
}

/** A run of the store in our hands. */
interface OwnedRun {
  readonly header: RunHeader;
  /** How to write on. */
  readonly format: JournalFormat;
  /** What happened to it while no process ran it. */
  readonly meanwhile: Meanwhile;
}

export type TakenUp =
  | EndedRun
  | (OwnedRun &
      /** Nothing was written yet. */
      ({ readonly kind: 'new' } | { readonly kind: 'unfinished'; readonly replayed: ReplayedRun }));

/** What a run must have been made with to go on here. */
export interface Present {
  readonly kernel: Kernel;
  readonly policyFingerprint: string;
  readonly chartFingerprint: string;
}

export interface TakeUpParts extends Present {
  readonly store: RunStore;
  readonly lease: Lease;
  /** Told once of a stored state that is damaged; the whole journal is replayed instead. */
  readonly onError: (error: unknown) => void;
}

/** Claims a run of the store, reads and replays it. A run that cannot be resumed here is given back as it was. */
export const takeUp = async (runId: string, parts: TakeUpParts): Promise<TakenUp> => {
  const claim = await parts.lease.take();
  if (claim === undefined) return notClaimed(runId, parts.store);
  try {
    const stored = await readRun(runId, parts.store);
    const { journal, replayed, stateError } = understand(stored, runId, parts);
    if (stateError !== undefined) parts.onError(stateError);
    const { isTakeover, token } = claim;
    const owned = {
      header: stored.header,
      format: journal.format,
      meanwhile: { isTakeover, heldBack: heldBackFor(token, replayed.entries) },
    };
    if (replayed.entries.length === 0) return { kind: 'new', ...owned };
    return { kind: 'unfinished', ...owned, replayed };
  } catch (error) {
    await parts.lease.release();
    throw error;
  }
};

/** Calls that the previous owner did not make. They count only if no other owner came between. */
const heldBackFor = (token: number, entries: readonly JournalEntry[]): readonly string[] => {
  const last = entries.at(-1)?.event;
  return last?.kind === 'heldBack' && last.token === token - 1 ? last.keys : [];
};

const readRun = async (runId: string, store: RunStore): Promise<StoredRun> => {
  const stored = await store.read(runId);
  if (stored === undefined) throw new RunNotFoundError(`Run '${runId}' is not in the store`);
  return stored;
};

const endedRun = (stored: StoredRun, runId: string): EndedRun => {
  const { entries } = readJournal(stored, runId);
  return { kind: 'ended', header: stored.header, entries };
};

/** Another process owns the run, or it has ended, or there is none. */
const notClaimed = async (runId: string, store: RunStore): Promise<TakenUp> => {
  const stored = await readRun(runId, store);
  if (stored.ended) return endedRun(stored, runId);
  throw new RunClaimedError(`Run '${runId}' is owned by another process`);
};

interface Understood {
  readonly journal: ReadJournal;
  readonly replayed: ReplayedRun;
  readonly stateError: PlanwrightError | undefined;
}

/** A run keeps the bounds and the charts it began with: under others its journal would lead elsewhere. */
const understand = (stored: StoredRun, runId: string, present: Present): Understood => {
  const journal = readJournal(stored, runId);
  const change = changeSince(stored.header, present);
  if (change !== undefined) {
    const difference = firstDifference(present.kernel, journal.entries);
    throw new JournalMismatchError(`Run '${runId}' was started ${change}. ${difference}`);
  }
  return { journal, ...replayedFrom(journal, present.kernel) };
};

/** From the stored state on. When that is damaged, or leads elsewhere than the journal, the journal alone is right. */
const replayedFrom = (
  { entries, state, stateError }: ReadJournal,
  kernel: Kernel,
): Omit<Understood, 'journal'> => {
  if (state === undefined) return { replayed: replayedRun(kernel, entries), stateError };
  try {
    return { replayed: replayedRun(kernel, entries, state), stateError };
  } catch (error) {
    if (!JournalMismatchError.isInstance(error)) throw error;
    return { replayed: replayedRun(kernel, entries), stateError: error };
  }
};

const changeSince = (header: RunHeader, present: Present): string | undefined => {
  if (header.policyFingerprint !== present.policyFingerprint) {
    return 'under another policy: resume it with an orchestrator that has that policy';
  }
  // Journals from before charts were told apart are held to their facts alone.
  const isSame = (header.chartFingerprint ?? present.chartFingerprint) === present.chartFingerprint;
  return isSame ? undefined : 'on other charts: resume it with the version that started it';
};

/** What the run would have told otherwise, here. */
const firstDifference = (kernel: Kernel, entries: readonly JournalEntry[]): string => {
  try {
    replayedRun(kernel, entries);
    return 'So far it tells the same facts here.';
  } catch (error) {
    if (PlanwrightError.isInstance(error)) return error.message;
    throw error;
  }
};
