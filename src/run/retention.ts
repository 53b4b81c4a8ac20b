import { ConfigurationError, RunClaimedError, RunConflictError } from '../errors.js';
import type { Clock } from '../services/clock.js';
import type { RunStore } from '../services/run-store.js';

export interface RetentionParts {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly newOwner: () => string;
  readonly isLive: (runId: string) => boolean;
}

/** Long enough to delete a run, short enough not to matter when that fails. */
const DELETION_LEASE_MS = 10_000;

/** Forgets a run that nobody runs. False when there is none. */
export const deleteRun = async (
  runId: string,
  { store, clock, newOwner, isLive }: RetentionParts,
): Promise<boolean> => {
  if (isLive(runId)) throw new RunConflictError(`Run '${runId}' is running: end it first`);
  const stored = await store.read(runId);
  if (stored === undefined) return false;
  // Whoever holds an unfinished run is the only one who may end it, and that includes us.
  const isOurs =
    stored.ended ||
    (await store.claim(runId, newOwner(), DELETION_LEASE_MS, clock.now())) !== undefined;
  if (!isOurs) throw new RunClaimedError(`Run '${runId}' is being run by somebody else`);
  await store.delete(runId);
  return true;
};

/** What is kept, and for how long. */
export interface RetentionOptions {
  /** Runs that ended longer ago than this are deleted. */
  readonly olderThanMs: number;
  /** How many runs are looked at in one go. @default 100 */
  readonly pageSize?: number;
}

/** Forgets runs that ended long ago, page by page. Gives their number. */
export const deleteEndedRuns = async (
  { olderThanMs, pageSize = 100 }: RetentionOptions,
  { store, clock }: RetentionParts,
): Promise<number> => {
  checkOptions(olderThanMs, pageSize);
  const before = clock.now() - olderThanMs;
  let deleted = 0;
  for (let after: string | undefined; ;) {
    const from = after === undefined ? {} : { after };
    const page = await store.list({ ended: true, limit: pageSize, ...from });
    for (const { header } of page) {
      // A run that began later ended later: its journal need not be read.
      if (header.startedAt >= before || !(await hasEndedBefore(store, header.runId, before)))
        continue;
      await store.delete(header.runId);
      deleted += 1;
    }
    after = page.at(-1)?.header.runId;
    if (page.length < pageSize || after === undefined) return deleted;
  }
};

const hasEndedBefore = async (store: RunStore, runId: string, before: number): Promise<boolean> => {
  const stored = await store.read(runId);
  const lastAt = stored?.entries.at(-1)?.at;
  return stored?.ended === true && lastAt !== undefined && lastAt < before;
};

const checkOptions = (olderThanMs: unknown, pageSize: unknown): void => {
  const issues = [
    ...(isWhole(olderThanMs, 0) ? [] : [issueAt('olderThanMs', 0)]),
    ...(isWhole(pageSize, 1) ? [] : [issueAt('pageSize', 1)]),
  ];
  if (issues.length > 0) throw new ConfigurationError(issues);
};

const isWhole = (value: unknown, least: number): boolean =>
  Number.isSafeInteger(value) && (value as number) >= least;

const issueAt = (path: string, least: number) => ({
  code: 'invalid-option',
  path,
  message: `Expected a whole number of at least ${least}`,
});
