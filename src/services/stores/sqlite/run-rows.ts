import type {
  ClaimableFilter,
  OwnedFilter,
  RunFilter,
  RunHeader,
} from '../../../model/run-store.js';
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
  readonly #owned: Statement;
  readonly #withCommands: Statement;
  readonly #claimable: Statement;

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
      `INSERT INTO runs (id, run_id, ended, entry_count, owner, token, is_takeover, takeovers, waiting, checksum, header_checksum, header)
       VALUES (?, ?, 0, 0, ?, ?, 0, 0, 0, ?, ?, ?)`,
    );
    this.#update = prepare(RUN_UPDATE);
    this.#delete = prepare('DELETE FROM runs WHERE id = ?');
    this.#owned = prepare(`SELECT ${RUN_COLUMNS} FROM runs WHERE NOT ended AND owner = ?`);
    this.#withCommands = prepare(
      `SELECT ${RUN_COLUMNS} FROM runs WHERE NOT ended AND waiting > 0 AND owner = ?`,
    );
    // Owner by owner, so that the runs of living owners are not looked at.
    this.#claimable = prepare(
      `WITH RECURSIVE holders (owner) AS (
         SELECT min(owner) FROM runs WHERE NOT ended AND owner IS NOT NULL
         UNION ALL
         SELECT (SELECT min(runs.owner) FROM runs WHERE NOT ended AND runs.owner > holders.owner)
         FROM holders WHERE holders.owner IS NOT NULL
       ), claimable AS (
         SELECT id FROM runs WHERE NOT ended AND owner IS NULL AND run_id > ?1
         UNION ALL
         SELECT runs.id FROM holders JOIN runs ON runs.owner = holders.owner
         WHERE NOT runs.ended AND run_id > ?1 AND NOT EXISTS (
           SELECT 1 FROM owners WHERE owners.owner = holders.owner AND lease_ends_at > ?2
         )
       )
       SELECT ${RUN_COLUMNS} FROM runs WHERE id IN (SELECT id FROM claimable) ORDER BY run_id LIMIT ?3`,
    );
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

  owned(owner: string, { hasCommands = false }: OwnedFilter): readonly RunRow[] {
    return (hasCommands ? this.#withCommands : this.#owned).all(owner).map(runOf);
  }

  claimable(now: number, { after = '', limit }: ClaimableFilter): readonly RunRow[] {
    return this.#claimable.all(after, now, listLimit(limit)).map(runOf);
  }

  insert(header: RunHeader, owner: string | null): void {
    const { runId } = header;
    const id = Number(this.#nextId.get()?.['id'] ?? 1);
    const text = JSON.stringify(header);
    const fresh = {
      ended: false,
      entryCount: 0,
      owner,
      token: owner === null ? 0 : 1,
      isTakeover: false,
      takeovers: 0,
      waiting: 0,
    };
    const checksum = runChecksum({ id, runId, ...fresh });
    const { token } = fresh;
    this.#insert.run(id, runId, owner, token, checksum, headerChecksum(runId, text), text);
  }

  update(run: RunRow): void {
    this.#update.run(...updateValues(run));
  }

  delete(run: RunRow): void {
    this.#delete.run(run.id);
  }
}
