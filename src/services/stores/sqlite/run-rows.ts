import type { RunFilter, RunHeader } from '../../run-store.js';
import { listLimit } from '../../store-limits.js';
import { lookupId } from '../../stored-id.js';
import type { Connection, SqlRow, Statement } from './connection.js';
import type { RunRow } from './run-row.js';
import {
  HEADER_COLUMN,
  headerChecksum,
  RUN_COLUMNS,
  RUN_UPDATE,
  runChecksum,
  runOf,
  updateValues,
} from './run-row.js';

/** The table of runs. */
export class RunRows {
  readonly #find: Statement;
  readonly #findWithHeader: Statement;
  readonly #list: Statement;
  readonly #nextId: Statement;
  readonly #insert: Statement;
  readonly #update: Statement;
  readonly #delete: Statement;

  constructor({ prepare }: Connection) {
    this.#find = prepare(`SELECT ${RUN_COLUMNS} FROM runs WHERE run_id = ?`);
    this.#findWithHeader = prepare(
      `SELECT ${RUN_COLUMNS}, ${HEADER_COLUMN} FROM runs WHERE run_id = ?`,
    );
    this.#list = prepare(
      `SELECT ${RUN_COLUMNS}, ${HEADER_COLUMN} FROM runs WHERE run_id > ? AND ended IN (?, ?) ORDER BY run_id LIMIT ?`,
    );
    this.#nextId = prepare(`SELECT seq + 1 AS id FROM sqlite_sequence WHERE name = 'runs'`);
    this.#insert = prepare(
      `INSERT INTO runs (id, run_id, ended, entry_count, owner, lease_ends_at, token, takeovers, waiting, checksum, header_checksum, header)
       VALUES (?, ?, 0, NULL, NULL, NULL, 0, 0, 0, ?, ?, ?)`,
    );
    this.#update = prepare(RUN_UPDATE);
    this.#delete = prepare('DELETE FROM runs WHERE id = ?');
  }

  find(runId: string): RunRow | undefined {
    const row = this.#find.get(lookupId(runId));
    return row && runOf(row);
  }

  /** The row with its header, which may be long. */
  findWithHeader(runId: string): SqlRow | undefined {
    return this.#findWithHeader.get(lookupId(runId));
  }

  list({ ended, after = '', limit }: RunFilter): readonly SqlRow[] {
    const [one, other] = ended === undefined ? [0, 1] : [Number(ended), Number(ended)];
    return this.#list.all(after, one, other, listLimit(limit));
  }

  insert(header: RunHeader): void {
    const { runId } = header;
    const id = Number(this.#nextId.get()?.['id'] ?? 1);
    const text = JSON.stringify(header);
    const fresh = {
      ended: false,
      entryCount: null,
      owner: null,
      leaseEndsAt: null,
      token: 0,
      takeovers: 0,
      waiting: 0,
    };
    const checksum = runChecksum({ id, runId, ...fresh });
    this.#insert.run(id, runId, checksum, headerChecksum(runId, text), text);
  }

  update(run: RunRow): void {
    this.#update.run(...updateValues(run));
  }

  delete(run: RunRow): void {
    this.#delete.run(run.id);
  }
}
