import { JournalCorruptError } from '../../../errors.js';
import { toFailure } from '../../../failure.js';
import type { Connection } from './connection.js';
import { textColumn, textOf } from './connection.js';
import { checkRunRow, HEADER_COLUMNS, RUN_COLUMNS } from './run-row.js';

/** Files up to this size are checked as a whole when they are opened: it takes less than a second. */
const WHOLE_CHECK_BYTES = 32 * 1024 * 1024;

/**
 * Looks for damage before anything is written. A run hidden by damage would look as if it did not exist, and would be
 * started again; so the table of runs is always checked with its index. Journals are checked, row by row, when they are
 * read.
 */
export function checkContent(connection: Connection): void {
  expectOk(connection, `pragma_integrity_check('runs')`);
  if (bytesOf(connection) <= WHOLE_CHECK_BYTES) expectOk(connection, 'pragma_quick_check');
  const rows = connection.prepare(`SELECT ${RUN_COLUMNS}, ${HEADER_COLUMNS} FROM runs`).all();
  try {
    for (const row of rows) checkRunRow(row);
  } catch (cause) {
    throw damaged(connection, toFailure(cause).message, { cause });
  }
}

function expectOk(connection: Connection, check: string): void {
  const column = check.replace(/^pragma_(\w+).*$/, '$1');
  const problems = connection
    .prepare(`SELECT ${textColumn(column)} FROM ${check} LIMIT 3`)
    .all()
    .map((row) => textOf(row[column], 'The list of damages'));
  if (problems.join() === 'ok') return;
  throw damaged(connection, problems.join('; '));
}

const damaged = ({ path }: Connection, what: string, options?: ErrorOptions): JournalCorruptError =>
  new JournalCorruptError('torn', `'${path}' is damaged: ${what}`, options);

function bytesOf({ prepare }: Connection): number {
  const sql = 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size';
  return Number(prepare(sql).get()?.['bytes']);
}
