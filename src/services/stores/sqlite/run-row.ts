import { readableText } from '../../../canonical-json.js';
import type { RunHeader, RunStanding, RunSummary } from '../../../model/run-store.js';
import { parseStored, tornError } from '../stored-json.js';
import { checksumOf } from './checksum.js';
import type { SqlRow, SqlValue } from './connection.js';
import { textColumn, textOf } from './connection.js';

/** The mutable data of a run. */
export interface RunRow extends RunStanding {
  readonly runId: string;
  readonly updatedAt: number;
  /** Null until the run has ended. */
  readonly endedAt: number | null;
  readonly owner: string | null;
  /** The number of claims: the token of the latest. */
  readonly token: number;
  /** The latest claim took the run over from an owner whose lease had ended. */
  readonly isTakeover: boolean;
  /** Since the run last made progress. */
  readonly takeovers: number;
  /** Stored with every entry, so that a deleted tail of the journal is detected. */
  readonly entryCount: number;
  /** The number of commands in the inbox: counting them would take longer with each. */
  readonly waitingCommands: number;
}

/** The columns that an append to an unfinished run changes. No index has them, so no index page is written. */
const PROGRESS = [
  'phase',
  'reason',
  'open_approvals',
  'updated_at',
  'takeovers',
  'entry_count',
] as const;

/** The columns that change, in the order of `changingValues`. */
const CHANGING = [
  ...PROGRESS,
  'status',
  'ended_at',
  'owner',
  'token',
  'is_takeover',
  'waiting_commands',
] as const;

const FIXED = ['run_id', 'goal', 'labels', 'created_at', 'header', 'header_checksum'] as const;

const TEXTS: ReadonlySet<string> = new Set([
  'run_id',
  'status',
  'phase',
  'reason',
  'owner',
  'goal',
  'labels',
  'header',
]);

const selected = (columns: readonly string[]): string =>
  columns.map((column) => (TEXTS.has(column) ? textColumn(column) : column)).join(', ');

export const RUN_COLUMNS = selected(['run_id', ...CHANGING, 'checksum']);

export const HEADER_COLUMNS = selected([
  'goal',
  'labels',
  'created_at',
  'header',
  'header_checksum',
]);

const updateOf = (columns: readonly string[]): string =>
  `UPDATE runs SET ${[...columns, 'checksum'].map((column) => `${column} = ?`).join(', ')} WHERE run_id = ?`;

export const RUN_UPDATE = updateOf(CHANGING);

export const RUN_PROGRESS = updateOf(PROGRESS);

export const RUN_INSERT = `INSERT INTO runs (${[...CHANGING, 'checksum', ...FIXED].join(', ')})
  VALUES (${Array.from({ length: CHANGING.length + 1 + FIXED.length }, () => '?').join(', ')})`;

export const updateValues = (run: RunRow): SqlValue[] => [
  ...changingValues(run),
  runChecksum(run),
  run.runId,
];

export const progressValues = (run: RunRow): SqlValue[] => [
  ...changingValues(run).slice(0, PROGRESS.length),
  runChecksum(run),
  run.runId,
];

/** The values of a new run, including those that never change. */
export const insertValues = (run: RunRow, header: RunHeader): SqlValue[] => {
  const { goal, labels, startedAt } = header;
  const fixed = {
    goal: readableText(goal),
    labels: JSON.stringify(labels ?? {}),
    createdAt: Math.floor(startedAt),
    header: JSON.stringify(header),
  };
  return [
    ...changingValues(run),
    runChecksum(run),
    run.runId,
    ...Object.values(fixed),
    checksumOf(run.runId, ...Object.values(fixed)),
  ];
};

const runChecksum = (run: RunRow): number => checksumOf(run.runId, ...changingValues(run));

const changingValues = (run: RunRow): SqlValue[] => [
  run.phase,
  run.reason,
  run.openApprovals,
  run.updatedAt,
  run.takeovers,
  run.entryCount,
  run.status,
  run.endedAt,
  run.owner,
  run.token,
  run.isTakeover ? 1 : 0,
  run.waitingCommands,
];

/** A row with RUN_COLUMNS, checked. */
export function runOf(row: SqlRow): RunRow {
  const runId = textOf(row['run_id'], 'The name of a run');
  const textOrNull = (name: string): string | null => {
    const value = row[name] ?? null;
    return value === null ? null : textOf(value, `The ${name} of run '${runId}'`);
  };
  const run: RunRow = {
    runId,
    status: textOrNull('status') ?? '',
    phase: textOrNull('phase'),
    reason: textOrNull('reason'),
    openApprovals: Number(row['open_approvals']),
    updatedAt: Number(row['updated_at']),
    endedAt: row['ended_at'] === null ? null : Number(row['ended_at']),
    owner: textOrNull('owner'),
    token: Number(row['token']),
    isTakeover: row['is_takeover'] === 1,
    takeovers: Number(row['takeovers']),
    entryCount: Number(row['entry_count']),
    waitingCommands: Number(row['waiting_commands']),
  };
  if (row['checksum'] !== runChecksum(run)) throw tornError(`Run '${runId}'`);
  return run;
}

/** The header of a row with HEADER_COLUMNS, checked together with the columns that show it. */
export function headerOf(row: SqlRow): RunHeader {
  const runId = textOf(row['run_id'], 'The name of a run');
  const what = `The header of run '${runId}'`;
  const [goal, labels, header] = ['goal', 'labels', 'header'].map((name) =>
    textOf(row[name], what),
  );
  const checksum = checksumOf(
    runId,
    goal ?? null,
    labels ?? null,
    Number(row['created_at']),
    header ?? null,
  );
  if (row['header_checksum'] !== checksum) throw tornError(what);
  return parseStored(header, what) as RunHeader;
}

/** A row with both, as a list returns it. */
export function summaryOf(row: SqlRow): RunSummary {
  const { status, phase, reason, openApprovals, updatedAt, endedAt, entryCount } = runOf(row);
  const standing = { status, phase, reason, openApprovals, updatedAt };
  return { header: headerOf(row), entryCount, ended: endedAt !== null, ...standing };
}

/** Throws when the row was changed after it was written. */
export function checkRunRow(row: SqlRow): void {
  runOf(row);
  headerOf(row);
}
