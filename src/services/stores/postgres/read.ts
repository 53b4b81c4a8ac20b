import type {
  RunFilter,
  RunHeader,
  RunSummary,
  StoredEntry,
  StoredRun,
} from '../../../model/run-store.js';
import { lookupId } from '../../stored-id.js';
import { parseStored, tornError } from '../stored-json.js';
import { checksumOfEntries } from './append.js';
import type { SqlRow, Tables } from './database.js';
import { numberOf } from './database.js';
import { columnOf, textIn } from './json-column.js';
import { millisecondsOf, timeOf } from './server-time.js';

/** One statement, so one state of the database: the run is the row before the first entry. */
const readSql = (schema: string): string => `WITH run AS MATERIALIZED (
    SELECT * FROM ${schema}.runs WHERE run_id = $1
  )
  SELECT -1 AS sequence, NULL AS at, NULL AS kind, json_build_object(
    'header', run.header::text, 'ended', run.ended_at IS NOT NULL, 'entryCount', run.entry_count,
    'checksum', run.checksum, 'token', CASE WHEN run.owner IS NOT NULL THEN run.token END,
    'stateSequence', states.sequence, 'stateBody', states.body::text
  )::text AS body
  FROM run LEFT JOIN ${schema}.states ON states.run_id = run.run_id
  UNION ALL
  SELECT entries.sequence, ${millisecondsOf('entries.at')}, entries.kind, entries.body::text
  FROM ${schema}.entries JOIN run ON entries.run_id = run.run_id
  WHERE entries.sequence >= $2::bigint
  ORDER BY sequence`;

/** The first row of the answer. */
interface FoundRun {
  readonly header: string;
  readonly ended: boolean;
  readonly entryCount: number;
  readonly checksum: number;
  readonly token: number | null;
  readonly stateSequence: number | null;
  readonly stateBody: string | null;
}

export async function readRun(
  { ask, schema }: Tables,
  runId: string,
  from: number,
): Promise<StoredRun | undefined> {
  const [first, ...rows] = await ask(readSql(schema), lookupId(runId), from);
  if (first === undefined) return undefined;
  const run = parseStored(first['body'], `Run '${runId}'`) as FoundRun;
  const { ended, token, stateSequence, stateBody } = run;
  return Object.freeze({
    header: headerOf(run.header, runId),
    entries: Object.freeze(entriesOf(rows, run, runId, from)),
    ended,
    ...(token === null ? {} : { token }),
    ...(stateSequence === null
      ? {}
      : {
          state: {
            sequence: stateSequence,
            body: parseStored(stateBody, `The state of run '${runId}'`),
          },
        }),
  });
}

/** Refuses a journal with a gap, a missing end, or a changed entry. */
function entriesOf(
  rows: readonly SqlRow[],
  { entryCount, checksum }: FoundRun,
  runId: string,
  from: number,
): StoredEntry[] {
  const isWhole =
    rows.length === Math.max(0, entryCount - from) &&
    rows.every(({ sequence }, index) => sequence === from + index);
  const what = `The journal of run '${runId}'`;
  if (!isWhole) throw tornError(what);
  const entries = rows.map((row): StoredEntry => {
    const sequence = numberOf(row, 'sequence');
    const body = parseStored(textIn(row['body']), `Entry ${sequence} of run '${runId}'`);
    return { sequence, at: numberOf(row, 'at'), kind: String(row['kind']), ...(body as object) };
  });
  if (from === 0 && checksumOfEntries(entries) !== checksum) throw tornError(what);
  return entries;
}

export async function listRuns(
  { ask, schema }: Tables,
  filter: RunFilter,
  limit: number,
): Promise<readonly RunSummary[]> {
  const { where, values } = conditionsOf(filter);
  const sql = `SELECT run_id, status, phase, reason, open_approvals, ${millisecondsOf('updated_at')} AS updated_at,
      ended_at IS NOT NULL AS ended, entry_count, header::text AS header FROM ${schema}.runs
    WHERE ${where} ORDER BY ${ORDERS[filter.order ?? 'id']} LIMIT $1`;
  const rows = await ask(sql, limit, ...values);
  return rows.map((row) => ({
    header: headerOf(row['header'], String(row['run_id'])),
    entryCount: numberOf(row, 'entry_count'),
    ended: row['ended'] === true,
    status: String(row['status']),
    phase: row['phase'] as string | null,
    reason: row['reason'] as string | null,
    openApprovals: numberOf(row, 'open_approvals'),
    updatedAt: numberOf(row, 'updated_at'),
  }));
}

const ORDERS = {
  id: 'run_id',
  newest: 'created_at DESC, run_id DESC',
  oldest: 'created_at, run_id',
} as const;

/** The conditions of a list, and the values of their parameters from $2 on. */
function conditionsOf({ ended, status, labels, since, order = 'id', after }: RunFilter): {
  readonly where: string;
  readonly values: readonly (string | number)[];
} {
  const values: (string | number)[] = [];
  const parameter = (value: string | number): string => `$${values.push(value) + 1}`;
  const where = [
    ended === undefined ? [] : `ended_at IS ${ended ? 'NOT NULL' : 'NULL'}`,
    status === undefined ? [] : `status = ${parameter(lookupId(status))}::text`,
    since === undefined ? [] : `created_at >= ${timeOf(parameter(since))}`,
    labels === undefined ? [] : `labels @> ${parameter(columnOf(labels))}::jsonb`,
    after === undefined ? [] : behind(after, order, parameter),
  ].flat();
  return { where: where.join(' AND ') || 'true', values };
}

/** The runs behind another one in the order of a list. */
function behind(
  { runId, startedAt }: NonNullable<RunFilter['after']>,
  order: keyof typeof ORDERS,
  parameter: (value: string | number) => string,
): string {
  const id = `${parameter(lookupId(runId))}::text COLLATE "C"`;
  if (order === 'id') return `run_id > ${id}`;
  const sign = order === 'newest' ? '<' : '>';
  return `(created_at, run_id) ${sign} (${timeOf(parameter(Math.floor(startedAt)))}, ${id})`;
}

function headerOf(text: unknown, runId: string): RunHeader {
  const what = `The header of run '${runId}'`;
  const header = parseStored(textIn(text), what);
  if (typeof header !== 'object' || header === null) throw tornError(what);
  return header as RunHeader;
}
