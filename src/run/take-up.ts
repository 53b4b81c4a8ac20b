import { JournalMismatchError, RunClaimedError, RunNotFoundError } from '../errors.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Kernel } from '../kernel/kernel.types.js';
import type { RunHeader, RunStore, StoredRun } from '../services/run-store.js';
import type { Lease } from './lease.js';
import type { ReplayedRun } from './replayed-run.js';
import { replayedRun } from './replayed-run.js';

/** A run of the store in our hands, or one that ended and needs nobody's. */
export type TakenUp = { readonly header: RunHeader } & (
  | { readonly kind: 'ended'; readonly entries: readonly JournalEntry[] }
  /** Nothing was written yet. */
  | { readonly kind: 'new' }
  | { readonly kind: 'unfinished'; readonly replayed: ReplayedRun }
  /** It died with everybody who took it up. */
  | { readonly kind: 'abandoned'; readonly replayed: ReplayedRun; readonly reason: string }
);

export interface TakeUpParts {
  readonly store: RunStore<JournalEntry>;
  readonly lease: Lease;
  readonly kernel: Kernel;
  readonly policyFingerprint: string;
  readonly maxRecoveries: number;
}

/**
 * Takes a run of the store up. It is read and replayed first and claimed afterwards, so that a journal which is refused
 * stays as it is to the byte; what was written in between is read once more.
 */
export const takeUp = async (runId: string, parts: TakeUpParts): Promise<TakenUp> => {
  const stored = await readRun(runId, parts.store);
  const { header } = stored;
  if (stored.ended) return { kind: 'ended', header, entries: stored.entries };
  const replayed = replayedHere(stored, parts);
  const claim = await parts.lease.take();
  if (claim === undefined) return notClaimed(runId, parts.store);
  try {
    const latest = await readRun(runId, parts.store);
    const isSame = latest.entries.length === stored.entries.length;
    const current = isSame ? replayed : replayedHere(latest, parts);
    if (claim.takeovers > parts.maxRecoveries) {
      return { kind: 'abandoned', header, replayed: current, reason: 'max-recoveries' };
    }
    if (current.entries.length === 0) return { kind: 'new', header };
    return { kind: 'unfinished', header, replayed: current };
  } catch (error) {
    await parts.lease.release();
    throw error;
  }
};

const readRun = async (
  runId: string,
  store: RunStore<JournalEntry>,
): Promise<StoredRun<JournalEntry>> => {
  const stored = await store.read(runId);
  if (stored === undefined) throw new RunNotFoundError(`Run '${runId}' is not in the store`);
  return stored;
};

/** Somebody else runs it, or has ended it in the meantime. */
const notClaimed = async (runId: string, store: RunStore<JournalEntry>): Promise<TakenUp> => {
  const { header, entries, ended } = await readRun(runId, store);
  if (ended) return { kind: 'ended', header, entries };
  throw new RunClaimedError(`Run '${runId}' is being run by somebody else`);
};

const replayedHere = (
  stored: StoredRun<JournalEntry>,
  { kernel, policyFingerprint }: TakeUpParts,
): ReplayedRun => {
  checkPolicy(stored, policyFingerprint);
  return replayedRun(kernel, stored.entries);
};

/** A run keeps the bounds it began with: under another policy its journal would lead elsewhere. */
const checkPolicy = ({ header }: StoredRun, policyFingerprint: string): void => {
  if (header.policyFingerprint === policyFingerprint) return;
  throw new JournalMismatchError(
    `Run '${header.runId}' was started under another policy: resume it with an orchestrator that has that policy`,
  );
};
