import { InboxFullError, RunConflictError, RunNotFoundError } from '../../../errors.js';
import type { AppendOptions, RunHeader, StoredEntry, StoredRun } from '../../run-store.js';
import { INBOX_LIMIT } from '../../store-limits.js';
import { parseStored, tornError } from '../stored-json.js';
import type { Ask, SqlRow } from './database.js';
import type { Posted, RunRow, Statements } from './statements.js';
import { runOf } from './statements.js';

/* What takes more than one statement. */

/** A transaction and what it can say. */
interface Talk {
  readonly ask: Ask;
  readonly statements: Statements;
}

async function known({ ask, statements }: Talk, runId: string): Promise<RunRow> {
  const run = await statements.locked(ask, runId);
  if (run === undefined) throw new RunNotFoundError(`There is no run '${runId}'`);
  if (run.ended) throw new RunConflictError(`Run '${runId}' has ended`);
  return run;
}

export async function append(
  talk: Talk,
  runId: string,
  expectedSequence: number,
  entries: readonly StoredEntry[],
  options: AppendOptions,
): Promise<void> {
  const { ask, statements } = talk;
  const run = await known(talk, runId);
  if ((run.owner === null ? undefined : run.token) !== options.token) {
    throw new RunConflictError(`Run '${runId}' is claimed by ${run.owner ?? 'nobody'}`);
  }
  const count = await statements.count(ask, run);
  if (count !== expectedSequence) {
    throw new RunConflictError(
      `Expected run '${runId}' to have ${expectedSequence} entries, got ${count}`,
    );
  }
  const bodies = entries.map((entry) => JSON.stringify(entry));
  if (bodies.length > 0) await statements.insertEntries(ask, run, count, bodies);
  await keepOptions(talk, run, count + entries.length, options);
}

async function keepOptions(
  { ask, statements }: Talk,
  run: RunRow,
  entryCount: number,
  { ended = false, taken = [], state }: AppendOptions,
): Promise<void> {
  if (taken.length > 0) await statements.take(ask, run, taken);
  if (state !== undefined) await statements.keepState(ask, run, entryCount, JSON.stringify(state));
  if (ended) await statements.end(ask, run, entryCount);
}

export async function readRun(
  { ask, statements }: Talk,
  runId: string,
): Promise<StoredRun | undefined> {
  const row = await statements.withHeader(ask, runId);
  if (row === undefined) return undefined;
  const run = runOf(row);
  const entries = Object.freeze(await statements.entries(ask, run));
  const state = await statements.state(ask, run);
  const stored = { header: headerOf(row), entries, ended: run.ended };
  return Object.freeze(state === undefined ? stored : { ...stored, state });
}

/** Refuses what was not kept. */
export function checkPosted(runId: string, posted: Posted | undefined): void {
  if (posted === undefined) throw new RunNotFoundError(`There is no run '${runId}'`);
  if (posted.isEnded) throw new RunConflictError(`Run '${runId}' has ended`);
  if (!posted.isKept) throw new InboxFullError(`${INBOX_LIMIT} commands wait for run '${runId}'`);
}

export function headerOf(row: SqlRow): RunHeader {
  const what = `The header of run '${String(row['run_id'])}'`;
  const header = parseStored(row['header'], what);
  if (typeof header !== 'object' || header === null) throw tornError(what);
  return header as RunHeader;
}
