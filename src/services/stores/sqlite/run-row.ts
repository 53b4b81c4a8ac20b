import type { RunHeader } from '../../../model/run-store.js';
import { parseStored, tornError } from '../stored-json.js';
import { checksumOf } from './checksum.js';
import type { SqlRow } from './connection.js';
import { textColumn, textOf } from './connection.js';

/** What changes about a run, in the order of its checksum. */
export interface RunRow {
  readonly id: number;
  readonly runId: string;
  readonly ended: boolean;
  /** Written with every entry: a journal whose tail was deleted is noticed. */
  readonly entryCount: number;
  readonly owner: string | null;
  /** How many claims the run has had: the token of the latest. */
  readonly token: number;
  /** The latest claim took the run from an owner whose lease had run out. */
  readonly isTakeover: boolean;
  /** Since the run last made progress. */
  readonly takeovers: number;
  /** How many commands wait in the inbox: counting them would take longer with each. */
  readonly waiting: number;
}

export const RUN_COLUMNS = `id, ${textColumn('run_id')}, ended, entry_count, ${textColumn('owner')}, token, is_takeover, takeovers, waiting, checksum, header_checksum`;

export const HEADER_COLUMN = textColumn('header');

/** The columns that an update writes, and the row they belong to. */
export const RUN_UPDATE =
  'UPDATE runs SET ended = ?, entry_count = ?, owner = ?, token = ?, is_takeover = ?, takeovers = ?, waiting = ?, checksum = ? WHERE id = ?';

export const updateValues = (run: RunRow): (string | number | null)[] => [
  ...changingValues(run),
  runChecksum(run),
  run.id,
];

export const runChecksum = (run: RunRow): number =>
  checksumOf(run.id, run.runId, ...changingValues(run));

export const headerChecksum = (runId: string, header: string): number => checksumOf(runId, header);

const changingValues = (run: RunRow): (string | number | null)[] => [
  run.ended ? 1 : 0,
  run.entryCount,
  run.owner,
  run.token,
  run.isTakeover ? 1 : 0,
  run.takeovers,
  run.waiting,
];

/** A row with RUN_COLUMNS, checked. */
export function runOf(row: SqlRow): RunRow {
  const run: RunRow = {
    id: Number(row['id']),
    runId: textOf(row['run_id'], 'The name of a run'),
    ended: row['ended'] === 1,
    entryCount: Number(row['entry_count']),
    owner: row['owner'] === null ? null : textOf(row['owner'], 'The owner of a run'),
    token: Number(row['token']),
    isTakeover: row['is_takeover'] === 1,
    takeovers: Number(row['takeovers']),
    waiting: Number(row['waiting']),
  };
  if (row['checksum'] !== runChecksum(run)) throw tornError(`Run '${run.runId}'`);
  return run;
}

/** The header of a row that has one, checked. */
export function headerOf(row: SqlRow): RunHeader {
  const runId = textOf(row['run_id'], 'The name of a run');
  const what = `The header of run '${runId}'`;
  const header = textOf(row['header'], what);
  if (row['header_checksum'] !== headerChecksum(runId, header)) throw tornError(what);
  return parseStored(header, what) as RunHeader;
}

/** Throws unless the row is as it was written. */
export function checkRunRow(row: SqlRow): void {
  runOf(row);
  headerOf(row);
}
