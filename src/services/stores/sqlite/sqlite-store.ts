import { unknownOptions } from '../../../closest-name.js';
import {
  ConfigurationError,
  InboxFullError,
  RunConflictError,
  RunNotFoundError,
} from '../../../errors.js';
import { systemClock } from '../../clock.js';
import type {
  AppendOptions,
  MaybePromise,
  PostedCommand,
  RunClaim,
  RunStore,
  StoredCommand,
  StoredEntry,
  StoredRun,
} from '../../../model/run-store.js';
import { INBOX_LIMIT } from '../../store-limits.js';
import { refuseConflict } from '../../store-refusals.js';
import { StoreRetry } from '../../store-retry.js';
import { checkId } from '../../stored-id.js';
import type { Connection } from './connection.js';
import { JournalRows } from './journal-rows.js';
import { openFile } from './open-file.js';
import { OwnerRows } from './owner-rows.js';
import type { RunRow } from './run-row.js';
import { headerOf, runOf, summaryOf } from './run-row.js';
import { RunRows } from './run-rows.js';
import { isBusyError } from './sqlite-error.js';

/**
 * The retry pace while another process has locked the file; its transactions take milliseconds. Waiting inside SQLite
 * would block the event loop, and with it every run of this process.
 */
const WHILE_BUSY = {
  windowMs: 10_000,
  pace: { firstPauseMs: 2, longestPauseMs: 50, isPassing: isBusyError },
  onError: () => undefined,
} as const;

export interface SqliteStoreOptions {
  /** The file; created when there is none. ':memory:' lasts as long as the store. */
  readonly path: string;
}

/**
 * Keeps runs in one SQLite file: the store for a program on one machine. Written data is on the disk before a call
 * returns; several processes may use one file.
 *
 * It answers synchronously unless another process has locked the file: then it returns a promise and retries, without
 * blocking this process.
 *
 * @example
 * ```ts
 * import { sqliteStore } from 'planwright/store/sqlite';
 *
 * const store = sqliteStore({ path: 'runs.db' });
 * const orchestrator = createOrchestrator({ agents, planner, store });
 * ```
 */
export function sqliteStore<Entry extends StoredEntry = StoredEntry>(
  options: SqliteStoreOptions,
): RunStore<Entry> {
  const connection = openFile(checkedPath(options));
  const retry = new StoreRetry({ ...WHILE_BUSY, clock: systemClock() });
  const tables = {
    runs: new RunRows(connection),
    journals: new JournalRows(connection),
    owners: new OwnerRows(connection),
  };
  const { runs, journals, owners } = tables;
  const write = <Result>(work: () => Result): MaybePromise<Result> =>
    retry.run(() => connection.write(work));
  const read = <Result>(work: () => Result): MaybePromise<Result> =>
    retry.run(() => connection.read(work));

  return {
    create: (header, owner) => {
      checkId(header.runId, 'runId');
      return write(() => {
        if (runs.find(header.runId) !== undefined)
          throw new RunConflictError(`There is a run '${header.runId}' already`);
        runs.insert(header, owner ?? null);
      });
    },
    append: (runId, expectedSequence, entries, options = {}) =>
      write(() => append(tables, runId, expectedSequence, entries, options)),
    read: (runId, from = 0) =>
      read(() => readRun(tables, runId, from) as StoredRun<Entry> | undefined),
    list: (filter = {}) => read(() => runs.list(filter).map(summaryOf)),
    renew: (owner, leaseMs, now) => write(() => owners.renew(owner, leaseMs, now)),
    claim: (runId, owner, now) => write(() => claim(tables, runId, owner, now)),
    owned: (owner, filter = {}) =>
      read(() => runs.owned(owner, filter).map(({ runId, token }) => ({ runId, token }))),
    claimable: (now, filter = {}) =>
      read(() => runs.claimable(now, filter).map(({ runId, takeovers }) => ({ runId, takeovers }))),
    release: (runId, token) =>
      write(() => {
        const run = runs.find(runId);
        if (run?.token !== token || run.owner === null) return;
        runs.update({ ...run, owner: null, isTakeover: false });
      }),
    retire: (owner) => write(() => owners.remove(owner)),
    post: (runId, command) => {
      checkId(command.id, 'command.id');
      return write(() => post(tables, runId, command));
    },
    inbox: (runId) =>
      read(() => {
        const run = runs.find(runId);
        return run === undefined ? [] : journals.waiting(run);
      }),
    delete: (runId) =>
      retry.run(() => {
        connection.write(() => deleteRun(tables, runId));
        // The file was overwritten with zeros, but its content may still be in the log.
        emptyLog(connection);
      }),
    close: () => {
      emptyLog(connection);
      connection.close();
    },
  };
}

interface Tables {
  readonly runs: RunRows;
  readonly journals: JournalRows;
  readonly owners: OwnerRows;
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
  { token, ended = false, taken = [], standing, state, hasProgressed = false }: AppendOptions,
): void {
  const run = known(runs, runId);
  refuseConflict({ ...run, ended: run.endedAt !== null }, expectedSequence, token);
  const entryCount = run.entryCount + entries.length;
  journals.append(run, run.entryCount, entries);
  const waitingCommands = run.waitingCommands - journals.take(run, taken);
  if (state !== undefined) journals.keepState(run, entryCount, state);
  const takeovers = hasProgressed ? 0 : run.takeovers;
  const counts = { waitingCommands, entryCount, takeovers };
  const written = { ...run, ...standing, ...counts, ...timesAfter(run, entries, ended) };
  const hasMoved = written.status !== run.status || waitingCommands !== run.waitingCommands;
  if (ended || hasMoved) runs.update(written);
  else runs.progress(written);
}

/** The times of a run after an append. */
function timesAfter(
  run: RunRow,
  entries: readonly StoredEntry[],
  ended: boolean,
): Pick<RunRow, 'updatedAt' | 'endedAt'> {
  const updatedAt = entries.at(-1)?.at ?? run.updatedAt;
  return { updatedAt, endedAt: ended ? updatedAt : null };
}

function post(
  { runs, journals, owners }: Tables,
  runId: string,
  command: StoredCommand,
): PostedCommand {
  const run = known(runs, runId);
  const isOwned = run.owner !== null && owners.hasLease(run.owner, command.at);
  const posted = journals.posted(run, command.id);
  if (posted !== undefined) return { ...posted, isOwned };
  if (run.endedAt !== null) throw new RunConflictError(`Run '${runId}' has ended`);
  if (run.waitingCommands >= INBOX_LIMIT)
    throw new InboxFullError(`${INBOX_LIMIT} commands wait for run '${runId}'`);
  journals.post(run, command);
  runs.update({ ...run, waitingCommands: run.waitingCommands + 1 });
  return { isOwned };
}

function readRun({ runs, journals }: Tables, runId: string, from: number): StoredRun | undefined {
  const row = runs.findWithHeader(runId);
  if (row === undefined) return undefined;
  const run = runOf(row);
  const entries = Object.freeze(journals.entries(run, from));
  const state = journals.state(run);
  return Object.freeze({
    header: headerOf(row),
    entries,
    ended: run.endedAt !== null,
    ...(run.owner === null ? {} : { token: run.token }),
    ...(state === undefined ? {} : { state }),
  });
}

function claim(
  { runs, owners }: Tables,
  runId: string,
  owner: string,
  now: number,
): RunClaim | undefined {
  const run = runs.find(runId);
  if (run === undefined || run.endedAt !== null) return undefined;
  const isHeld = run.owner !== null && run.owner !== owner;
  if (isHeld && owners.hasLease(run.owner, now)) return undefined;
  const token = run.token + 1;
  // An owner that repeats a claim, because the answer was lost, gets the same answer.
  const isTakeover = isHeld || (run.owner === owner && run.isTakeover);
  const takeovers = run.takeovers + (isHeld ? 1 : 0);
  runs.update({ ...run, owner, token, isTakeover, takeovers });
  return { token, isTakeover };
}

function deleteRun({ runs, journals }: Tables, runId: string): void {
  const run = runs.find(runId);
  if (run === undefined) return;
  journals.delete(run);
  runs.delete(run);
}

/** Moves everything into the file itself, unless another process is reading: then the next one does it. */
function emptyLog(connection: Connection): void {
  try {
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // Committed data is durable, in the log or in the file.
  }
}

function checkedPath(options: unknown): string {
  const isObject = typeof options === 'object' && options !== null;
  const issues = isObject ? unknownOptions(options, ['path']) : [];
  if (!isObject) {
    const message = "Expected options: sqliteStore({ path: 'runs.db' })";
    issues.push({ code: 'invalid-options', path: '', message });
  }
  if (issues.length > 0) throw new ConfigurationError(issues);
  return (options as SqliteStoreOptions).path;
}
