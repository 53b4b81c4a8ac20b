import { ConfigurationError, RunClaimedError, RunConflictError } from '../errors.js';
import { isWhole } from './durability.js';
import type { Clock } from '../services/clock.js';
import type { RunClaim, RunFilter, RunStore } from '../model/run-store.js';

export interface RetentionParts {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly claim: (runId: string) => Promise<RunClaim | undefined>;
  readonly isLive: (runId: string) => boolean;
}

/** Deletes a run that no process runs. False when there is no such run. */
export const deleteRun = async (
  runId: string,
  { store, claim, isLive }: RetentionParts,
): Promise<boolean> => {
  if (isLive(runId)) throw new RunConflictError(`Run '${runId}' is running: end it first`);
  const stored = await store.read(runId, Number.MAX_SAFE_INTEGER);
  if (stored === undefined) return false;
  // Only the owner of an unfinished run may delete it: it is claimed first.
  const isOurs = stored.ended || (await claim(runId)) !== undefined;
  if (!isOurs) throw new RunClaimedError(`Run '${runId}' is owned by another process`);
  await store.delete(runId);
  return true;
};

/** Which runs are deleted. */
export interface RetentionOptions {
  /** Runs that ended longer ago than this are deleted. */
  readonly olderThanMs: number;
  /** How many runs are read at once. @default 100 */
  readonly pageSize?: number;
}

/** Deletes runs that ended long ago, page by page. Returns their number. */
export const deleteEndedRuns = async (
  { olderThanMs, pageSize = 100 }: RetentionOptions,
  { store, clock }: RetentionParts,
): Promise<number> => {
  checkOptions(olderThanMs, pageSize);
  const before = clock.now() - olderThanMs;
  let deleted = 0;
  for (let after: RunFilter['after']; ;) {
    const from = after === undefined ? {} : { after };
    const page = await store.list({ ended: true, limit: pageSize, ...from });
    for (const { header, updatedAt } of page) {
      if (updatedAt >= before) continue;
      await store.delete(header.runId);
      deleted += 1;
    }
    after = page.at(-1)?.header;
    if (page.length < pageSize || after === undefined) return deleted;
  }
};

const checkOptions = (olderThanMs: unknown, pageSize: unknown): void => {
  const issues = [
    ...(isWhole(olderThanMs, 0) ? [] : [issueAt('olderThanMs', 0)]),
    ...(isWhole(pageSize, 1) ? [] : [issueAt('pageSize', 1)]),
  ];
  if (issues.length > 0) throw new ConfigurationError(issues);
};

const issueAt = (path: string, least: number) => ({
  code: 'invalid-option',
  path,
  message: `Expected a whole number of at least ${least}`,
});
