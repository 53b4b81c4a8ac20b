import type { RunFilter } from '../../../model/run-store.js';
import type { SqlValue } from './connection.js';
import { HEADER_COLUMNS, RUN_COLUMNS } from './run-row.js';

/** A condition, and the values of its parameters. */
interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The statement of a list; its last parameter is the limit. Values are never part of the statement. */
export function listQuery({ ended, status, labels = {}, since, order = 'id', after }: RunFilter): {
  readonly sql: string;
  readonly values: readonly SqlValue[];
} {
  const conditions: readonly Condition[] = [
    ended === undefined ? [] : { sql: `ended_at IS ${ended ? 'NOT NULL' : 'NULL'}`, values: [] },
    status === undefined ? [] : { sql: 'status = ?', values: [status] },
    since === undefined ? [] : { sql: 'created_at >= ?', values: [since] },
    Object.entries(labels).map((values) => ({ sql: HAS_LABEL, values })),
    after === undefined ? [] : behind(after, order),
  ].flat();
  const where = conditions.map(({ sql }) => sql).join(' AND ') || 'true';
  return {
    sql: `SELECT ${RUN_COLUMNS}, ${HEADER_COLUMNS} FROM runs WHERE ${where} ORDER BY ${ORDERS[order]} LIMIT ?`,
    values: conditions.flatMap(({ values }) => values),
  };
}

const HAS_LABEL = 'EXISTS (SELECT 1 FROM json_each(labels) WHERE key = ? AND value = ?)';

/** With the name of the table: a selected column of the same name is a copy, which would have to be sorted. */
const ORDERS = {
  id: 'runs.run_id',
  newest: 'runs.created_at DESC, runs.run_id DESC',
  oldest: 'runs.created_at, runs.run_id',
} as const;

/** The runs behind another one in the order of a list. */
const behind = (
  { runId, startedAt }: NonNullable<RunFilter['after']>,
  order: keyof typeof ORDERS,
): Condition => {
  if (order === 'id') return { sql: 'run_id > ?', values: [runId] };
  const sign = order === 'newest' ? '<' : '>';
  return {
    sql: `(created_at, run_id) ${sign} (?, ?)`,
    values: [Math.floor(startedAt), runId],
  };
};
