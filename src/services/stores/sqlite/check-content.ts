import { JournalCorruptError } from '../../../errors.js';
import type { Connection } from './connection.js';
import { checkRunRow, RUN_COLUMNS } from './run-row.js';

/** Files up to this size are checked as a whole when they are opened: it takes less than a second. */
const WHOLE_CHECK_BYTES = 32 * 1024 * 1024;

/**
 * Looks for damage before anything is written. A run that is hidden by damage would look like one that never was, and
 * somebody would start it anew; so the table of runs is always checked with its index. Journals are checked, row by
 * row, when they are read.
 */
export function checkContent(connection: Connection): void {
  expectOk(connection, `pragma_integrity_check('runs')`);
  if (bytesOf(connection) <= WHOLE_CHECK_BYTES) expectOk(connection, 'pragma_quick_check');
  for (const row of connection.prepare(`SELECT ${RUN_COLUMNS}, header FROM runs`).all())
    checkRunRow(row);
}

function expectOk({ prepare, path }: Connection, check: string): void {
  const problems = prepare(`SELECT * FROM ${check} LIMIT 3`)
    .all()
    .map((row) => Object.values(row).join(' '));
  if (problems.join() === 'ok') return;
  throw new JournalCorruptError('torn', `'${path}' is damaged: ${problems.join('; ')}`);
}

function bytesOf({ prepare }: Connection): number {
  const sql = 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size';
  return Number(prepare(sql).get()?.['bytes']);
}
