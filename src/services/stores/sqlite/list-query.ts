import type { RunFilter } from '../../../model/run-store.js';
import type { SqlValue } from './connection.js';
import { HEADER_COLUMNS, RUN_COLUMNS } from './run-row.js';

/** The statement of a list; its last parameter is the limit. Values are never part of the statement. */
export function listQuery({ ended, status, labels = {}, since, order = 'id', after }: RunFilter): {
  readonly sql: string;
  readonly values: readonly SqlValue[];
} {
  const values: SqlValue[] = [];
  const where: string[] = [];
  const add = (condition: string, ...given: readonly SqlValue[]): void => {
    where.push(condition);
    values.push(...given);
  };
  if (ended !== undefined) add(`ended_at IS ${ended ? 'NOT NULL' : 'NULL'}`);
  if (status !== undefined) add('status = ?', status);
  if (since !== undefined) add('created_at >= ?', since);
  for (const label of Object.entries(labels)) {
    add('EXISTS (SELECT 1 FROM json_each(labels) WHERE key = ? AND value = ?)', ...label);
  }
  if (after !== undefined) {
    if (order === 'id') add('run_id > ?', after.runId);
    else {
      const sign = order === 'newest' ? '<' : '>';
      add(`(created_at, run_id) ${sign} (?, ?)`, Math.floor(after.startedAt), after.runId);
    }
  }
  const all = where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`;
  const sql = `SELECT ${RUN_COLUMNS}, ${HEADER_COLUMNS} FROM runs${all} ORDER BY ${ORDERS[order]} LIMIT ?`;
  return { sql, values };
}

/** With the name of the table: a selected column of the same name is a copy, which would have to be sorted. */
const ORDERS = {
  id: 'runs.run_id',
  newest: 'runs.created_at DESC, runs.run_id DESC',
  oldest: 'runs.created_at, runs.run_id',
} as const;
