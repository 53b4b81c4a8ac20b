import { InboxFullError, RunConflictError, RunNotFoundError } from '../../../errors.js';
import type { JournalEntry } from '../../../journal/entry.js';
import type {
  AppendOptions,
  RunClaim,
  RunStore,
  RunSummary,
  StoredEntry,
  StoredRun,
} from '../../run-store.js';
import { INBOX_LIMIT } from '../../store-limits.js';
import { checkId } from '../../stored-id.js';
import type { Connection } from './connection.js';
import { JournalRows } from './journal-rows.js';
import { openFile } from './open-file.js';
import type { RunRow } from './run-row.js';
import { headerOf, runOf } from './run-row.js';
import { RunRows } from './run-rows.js';

export interface SqliteStoreOptions {
  /** The file; it is made when there is none. ':memory:' lasts as long as the store. */
  readonly path: string;
}

/**
 * Runs in one SQLite file: the store for a program on one machine. What it has written is on the disk before a call
 * returns; several processes may use one file.
 *
 * It answers at once, without a promise, and throws at once.
 *
 * @example
 * ```ts
 * import { sqliteStore } from 'planwright/store/sqlite';
 *
 * const store = sqliteStore({ path: 'runs.db' });
 * const orchestrator = createOrchestrator({ agents, planner, store });
 * ```
 */
export function sqliteStore<Entry extends StoredEntry = JournalEntry>({
  path,
}: SqliteStoreOptions): RunStore<Entry> {
  const connection = openFile(path);
  const tables = { runs: new RunRows(connection), journals: new JournalRows(connection) };
  const { runs, journals } = tables;

  return {
    create: (header) => {
      checkId(header.runId, 'runId');
      connection.write(() => {
        if (runs.find(header.runId) !== undefined)
          throw new RunConflictError(`There is a run '${header.runId}' already`);
        runs.insert(header);
      });
    },
    append: (runId, expectedSequence, entries, options = {}) => {
      connection.write(() => append(tables, runId, expectedSequence, entries, options));
    },
    read: (runId) => connection.read(() => readRun(tables, runId) as StoredRun<Entry> | undefined),
    list: (filter = {}) =>
      connection.read(() =>
        runs.list(filter).map((row): RunSummary => {
          const run = runOf(row);
          return { header: headerOf(row), entryCount: journals.count(run), ended: run.ended };
        }),
      ),
    claim: (runId, owner, leaseMs, now) =>
      connection.write(() => claim(runs, runId, { owner, leaseEndsAt: now + leaseMs, now })),
    release: (runId, token) => {
      connection.write(() => {
        const run = runs.find(runId);
        if (run?.token !== token || run.owner === null) return;
        runs.update({ ...run, owner: null, leaseEndsAt: null });
      });
    },
    post: (runId, command) => {
      checkId(command.id, 'command.id');
      connection.write(() => {
        const run = known(runs, runId);
        if (run.ended) throw new RunConflictError(`Run '${runId}' has ended`);
        if (journals.isKnown(run, command.id)) return;
        if (run.waiting >= INBOX_LIMIT)
          throw new InboxFullError(`${INBOX_LIMIT} commands wait for run '${runId}'`);
        journals.post(run, command);
        runs.update({ ...run, waiting: run.waiting + 1 });
      });
    },
    inbox: (runId) =>
      connection.read(() => {
        const run = runs.find(runId);
        return run === undefined ? [] : journals.waiting(run);
      }),
    delete: (runId) => {
      deleteRun(connection, tables, runId);
    },
    close: () => {
      emptyLog(connection);
      connection.close();
    },
  };
}

interface Tables {
  readonly runs: RunRows;
  readonly journals: JournalRows;
}

function known(runs: RunRows, runId: string): RunRow {
  const run = runs.find(runId);
  if (run === undefined) throw new RunNotFoundError(`There is no run '${runId}'`);
  return run;
}

function append(
  { runs, journals }: Tables,
  runId: string,
  expectedSequence: number,
  entries: readonly StoredEntry[],
  { token, ended = false, taken = [], state }: AppendOptions,
): void {
  const run = known(runs, runId);
  const count = journals.count(run);
  refuseConflict(run, count, expectedSequence, token);
  const entryCount = count + entries.length;
  journals.append(run, count, entries);
  const waiting = run.waiting - journals.take(run, taken);
  if (state !== undefined) journals.keepState(run, entryCount, state);
  // Most appends write entries and nothing else: one page.
  if (ended) runs.update({ ...run, waiting, ended, entryCount });
  else if (waiting !== run.waiting) runs.update({ ...run, waiting });
}

function refuseConflict(
  { runId, ended, owner, token }: RunRow,
  count: number,
  expectedSequence: number,
  givenToken: number | undefined,
): void {
  if (ended) throw new RunConflictError(`Run '${runId}' has ended`);
  if ((owner === null ? undefined : token) !== givenToken) {
    throw new RunConflictError(`Run '${runId}' is claimed by ${owner ?? 'nobody'}`);
  }
  if (count !== expectedSequence) {
    throw new RunConflictError(
      `Expected run '${runId}' to have ${expectedSequence} entries, got ${count}`,
    );
  }
}

function readRun({ runs, journals }: Tables, runId: string): StoredRun | undefined {
  const row = runs.findWithHeader(runId);
  if (row === undefined) return undefined;
  const run = runOf(row);
  const entries = Object.freeze(journals.entries(run));
  const state = journals.state(run);
  const stored = { header: headerOf(row), entries, ended: run.ended };
  return Object.freeze(state === undefined ? stored : { ...stored, state });
}

interface NewClaim {
  readonly owner: string;
  readonly leaseEndsAt: number;
  readonly now: number;
}

function claim(runs: RunRows, runId: string, wanted: NewClaim): RunClaim | undefined {
  const run = runs.find(runId);
  if (run === undefined || run.ended) return undefined;
  const { owner, leaseEndsAt, now } = wanted;
  if (run.owner === owner) {
    runs.update({ ...run, leaseEndsAt });
    return { token: run.token, takeovers: run.takeovers };
  }
  const isHeld = run.owner !== null;
  if (isHeld && now < (run.leaseEndsAt ?? 0)) return undefined;
  const token = run.token + 1;
  const takeovers = run.takeovers + (isHeld ? 1 : 0);
  runs.update({ ...run, owner, leaseEndsAt, token, takeovers });
  return { token, takeovers };
}

function deleteRun(connection: Connection, { runs, journals }: Tables, runId: string): void {
  const isDeleted = connection.write(() => {
    const run = runs.find(runId);
    if (run === undefined) return false;
    journals.delete(run);
    runs.delete(run);
    return true;
  });
  // The file has been overwritten with zeros, but what was there may still be in the log.
  if (isDeleted) emptyLog(connection);
}

/** Everything is in the file itself afterwards, unless somebody else is reading: then the next one does it. */
function emptyLog(connection: Connection): void {
  try {
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // What was committed is durable, in the log or in the file.
  }
}
