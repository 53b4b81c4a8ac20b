import type { PlanwrightError } from '../errors.js';
import { JournalMismatchError, RunClaimedError, RunNotFoundError } from '../errors.js';
import type { JournalEntry } from '../journal/entry.js';
import type { JournalFormat } from '../journal/format/journal-format.js';
import type { ReadJournal } from '../journal/read-journal.js';
import { readJournal } from '../journal/read-journal.js';
import { createRecordBuilder } from '../journal/record.js';
import { entriesUpToUpgrade, isSameVersion, versionOf } from '../journal/run-version.js';
import type { Kernel } from '../kernel/kernel.types.js';
import type { RunHeader, RunStore, StoredRun } from '../model/run-store.js';
import type { RunUpgraded, RunVersion } from '../model/run-upgraded.js';
import type { Lease } from './lease.js';
import type { MissedEvents } from './missed-events.js';
import type { ReplayedRun } from './replayed-run.js';
import { replayedRun } from './replayed-run.js';

/** A run that has ended: it is shown, not run. */
interface EndedRun {
  readonly kind: 'ended';
  readonly header: RunHeader;
  readonly entries: readonly JournalEntry[];
}

/** A stored run that this process owns. */
interface OwnedRun {
  readonly header: RunHeader;
  /** The format for further entries. */
  readonly format: JournalFormat;
  /** What happened while it had no owner. */
  readonly missed: MissedEvents;
}

export type ResumedRun =
  | EndedRun
  | (OwnedRun &
      /** The journal has no entries yet. */
      ({ readonly kind: 'new' } | { readonly kind: 'unfinished'; readonly replayed: ReplayedRun }));

/** The kernel and version that a run is resumed with here. */
export interface Present {
  readonly kernel: Kernel;
  readonly version: RunVersion;
}

export interface ResumeParts extends Present {
  readonly store: RunStore;
  readonly lease: Lease;
  /** Receives the error of a damaged stored state, once; the whole journal is replayed instead. */
  readonly onError: (error: unknown) => void;
}

/** Claims, reads and replays a stored run. A run that cannot be resumed here is released unchanged. */
export const resumeStored = async (runId: string, parts: ResumeParts): Promise<ResumedRun> => {
  const claim = await parts.lease.take();
  if (claim === undefined) return notClaimed(runId, parts.store);
  try {
    const stored = await readRun(runId, parts.store);
    const { journal, replayed, upgrade, stateError } = understand(stored, runId, parts);
    if (stateError !== undefined) parts.onError(stateError);
    const { isTakeover, token } = claim;
    const owned = {
      header: stored.header,
      format: journal.format,
      missed: { isTakeover, upgrade, heldBack: heldBackFor(token, replayed.entries) },
    };
    if (replayed.entries.length === 0) return { kind: 'new', ...owned };
    return { kind: 'unfinished', ...owned, replayed };
  } catch (error) {
    await parts.lease.release();
    throw error;
  }
};

/** Calls that the previous owner did not make. They count only if no other owner came in between. */
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
const notClaimed = async (runId: string, store: RunStore): Promise<ResumedRun> => {
  const stored = await readRun(runId, store);
  if (stored.ended) return endedRun(stored, runId);
  throw new RunClaimedError(`Run '${runId}' is owned by another process`);
};

export interface Understood {
  readonly journal: ReadJournal;
  readonly replayed: ReplayedRun;
  /** Set when the charts, the policy or the team have changed since the run was last run. */
  readonly upgrade: RunUpgraded | undefined;
  readonly stateError: PlanwrightError | undefined;
}

/**
 * Replays a run on the present charts, under the present policy. It continues when the facts are the same so far and
 * the agents of its open steps are in the team; otherwise this throws JournalMismatchError with the first difference.
 * Pure.
 */
export const understand = (stored: StoredRun, runId: string, present: Present): Understood => {
  const journal = readJournal(stored, runId);
  const upgrade = upgradeOf(stored.header, journal.entries, present.version);
  try {
    const replayed = replayedFrom(journal, present.kernel, upgrade !== undefined);
    refuseMissingAgents(stored.header, journal.entries, present);
    return { journal, upgrade, ...replayed };
  } catch (error) {
    if (!JournalMismatchError.isInstance(error)) throw error;
    const { message, difference, cause } = error;
    throw new JournalMismatchError(`Run '${runId}' cannot be resumed here. ${message}. ${ADVICE}`, {
      cause,
      ...(difference === undefined ? {} : { difference }),
    });
  }
};

/** A run without entries starts with the present team. */
const upgradeOf = (
  header: RunHeader,
  entries: readonly JournalEntry[],
  to: RunVersion,
): RunUpgraded | undefined => {
  const from = versionOf(header, entries) ?? { ...header, agents: to.agents };
  if (isSameVersion(from, to)) return undefined;
  const { chartFingerprint, policyFingerprint, agents } = from;
  return { type: 'run.upgraded', from: { chartFingerprint, policyFingerprint, agents }, to };
};

const ADVICE =
  'Resume it with the build that ran it last, or pass `carryOver: true` to give it a successor';

/**
 * Replays from the stored state, if this version stored it. When the state is damaged, or contradicts the journal, the
 * whole journal is replayed.
 */
const replayedFrom = (
  { entries, state, stateError }: ReadJournal,
  kernel: Kernel,
  isUpgrade: boolean,
): Pick<Understood, 'replayed' | 'stateError'> => {
  const isOurs = !isUpgrade && state !== undefined && state.sequence >= entriesUpToUpgrade(entries);
  if (!isOurs) return { replayed: replayedRun(kernel, entries), stateError };
  try {
    return { replayed: replayedRun(kernel, entries, state), stateError };
  } catch (error) {
    if (!JournalMismatchError.isInstance(error)) throw error;
    return { replayed: replayedRun(kernel, entries), stateError: error };
  }
};

/** Steps that have ended need no agent. */
const refuseMissingAgents = (
  header: RunHeader,
  entries: readonly JournalEntry[],
  { version }: Present,
): void => {
  const builder = createRecordBuilder(header);
  for (const { facts } of entries) for (const fact of facts) builder.add(fact);
  const step = builder
    .record()
    .steps.find(({ agent, endedAt }) => endedAt === null && !version.agents.includes(agent));
  if (step === undefined) return;
  throw new JournalMismatchError(
    `Step '${step.id}' is not done, and its agent '${step.agent}' is not in the team: ${version.agents.join(', ')}`,
  );
};
