import type { JournalEntry } from '../journal/entry.js';
import { RunConflictError, RunNotFoundError } from '../errors.js';
import type { RunHeader, RunStore, StoredEntry, StoredRun } from './run-store.js';

interface KeptRun<Entry> {
  readonly header: RunHeader;
  readonly entries: Entry[];
  ended: boolean;
  /** How many owners the run has had: the token of the latest. */
  owners: number;
  claim:
    { readonly owner: string; readonly token: number; readonly leaseEndsAt: number } | undefined;
}

const defaultListLimit = 1000;

/**
 * A store that lasts as long as the process and answers at once. It keeps entries as they are given, without a
 * copy, and finished runs until they are deleted: a long-lived service deletes what it has reported.
 *
 * @example
 * ```ts
 * const store = memoryStore();
 * const orchestrator = createOrchestrator({ agents, planner, store });
 * ```
 */
export function memoryStore<Entry extends StoredEntry = JournalEntry>(): RunStore<Entry> {
  const runs = new Map<string, KeptRun<Entry>>();

  return {
    create: (header) => {
      if (runs.has(header.runId))
        throw new RunConflictError(`There is a run '${header.runId}' already`);
      const kept = Object.freeze({ ...header });
      runs.set(header.runId, {
        header: kept,
        entries: [],
        ended: false,
        owners: 0,
        claim: undefined,
      });
    },
    append: (runId, expectedSequence, entries, { token, ended = false } = {}) => {
      const run = runs.get(runId);
      if (!run) throw new RunNotFoundError(`There is no run '${runId}'`);
      refuseConflict(run, expectedSequence, token);
      for (const entry of entries) run.entries.push(entry);
      run.ended = ended;
    },
    read: (runId) => {
      const run = runs.get(runId);
      return run && snapshotOf(run);
    },
    list: ({ ended, after = '', limit = defaultListLimit } = {}) => {
      if (!Number.isInteger(limit) || limit < 1) {
        throw new RangeError(`Expected \`limit\` to be a positive integer, got \`${limit}\``);
      }
      return [...runs.values()]
        .filter((run) => run.header.runId > after && (ended === undefined || run.ended === ended))
        .sort((left, right) => (left.header.runId < right.header.runId ? -1 : 1))
        .slice(0, limit)
        .map((run) => ({ header: run.header, entryCount: run.entries.length, ended: run.ended }));
    },
    claim: (runId, owner, leaseMs, now) => {
      const run = runs.get(runId);
      if (!run || run.ended) return undefined;
      const isHeld =
        run.claim !== undefined && run.claim.owner !== owner && now < run.claim.leaseEndsAt;
      if (isHeld) return undefined;
      const token = run.claim?.owner === owner ? run.claim.token : (run.owners += 1);
      run.claim = { owner, token, leaseEndsAt: now + leaseMs };
      return { token };
    },
    release: (runId, token) => {
      const run = runs.get(runId);
      if (run?.claim?.token === token) run.claim = undefined;
    },
    delete: (runId) => {
      runs.delete(runId);
    },
  };
}

function refuseConflict(run: KeptRun<unknown>, expectedSequence: number, token?: number): void {
  const { header, entries, ended, claim } = run;
  if (ended) throw new RunConflictError(`Run '${header.runId}' has ended`);
  if (claim?.token !== token) {
    throw new RunConflictError(`Run '${header.runId}' is claimed by ${claim?.owner ?? 'nobody'}`);
  }
  if (entries.length !== expectedSequence) {
    throw new RunConflictError(
      `Expected run '${header.runId}' to have ${expectedSequence} entries, got ${entries.length}`,
    );
  }
}

function snapshotOf<Entry extends StoredEntry>(run: KeptRun<Entry>): StoredRun<Entry> {
  return Object.freeze({
    header: run.header,
    entries: Object.freeze(run.entries.slice()),
    ended: run.ended,
  });
}
