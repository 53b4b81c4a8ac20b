import type {
  ClaimableFilter,
  OwnedFilter,
  RunFilter,
  RunHeader,
} from '../../../model/run-store.js';
import { listLimit } from '../../store-limits.js';
import { listQuery } from './list-query.js';
import { lookupId } from '../../stored-id.js';
import type { Connection, SqlRow, Statement } from './connection.js';
import type { RunRow } from './run-row.js';
import {
  HEADER_COLUMNS,
  insertValues,
  progressValues,
  RUN_COLUMNS,
  RUN_INSERT,
  RUN_PROGRESS,
  RUN_UPDATE,
  runOf,
  updateValues,
} from './run-row.js';

/** The table of runs. */
export class RunRows {
  readonly #find: Statement;
  readonly #findWithHeader: Statement;
  readonly #prepare: Connection['prepare'];
  /** One statement for every combination of filters. */
  readonly #lists = new Map<string, Statement>();
  readonly #insert: Statement;
  readonly #update: Statement;
  readonly #progress: Statement;
  readonly #delete: Statement;
  readonly #owned: Statement;
  readonly #withCommands: Statement;
  readonly #claimable: Statement;

  constructor({ prepare }: Connection) {
    this.#prepare = prepare;
    this.#find = prepare(`SELECT ${RUN_COLUMNS} FROM runs WHERE run_id = ?`);
    this.#findWithHeader = prepare(
      `SELECT ${RUN_COLUMNS}, ${HEADER_COLUMNS} FROM runs WHERE run_id = ?`,
    );
    this.#insert = prepare(RUN_INSERT);
    this.#update = prepare(RUN_UPDATE);
    this.#progress = prepare(RUN_PROGRESS);
    this.#delete = prepare('DELETE FROM runs WHERE run_id = ?');
    this.#owned = prepare(`SELECT ${RUN_COLUMNS} FROM runs WHERE ended_at IS NULL AND owner = ?`);
    this.#withCommands = prepare(
      `SELECT ${RUN_COLUMNS} FROM runs WHERE ended_at IS NULL AND waiting_commands > 0 AND owner = ?`,
    );
    // Owner by owner, so that the runs of owners with a valid lease are not read.
    this.#claimable = prepare(
      `WITH RECURSIVE holders (owner) AS (
         SELECT min(owner) FROM runs WHERE ended_at IS NULL AND owner IS NOT NULL
         UNION ALL
         SELECT (SELECT min(runs.owner) FROM runs WHERE ended_at IS NULL AND runs.owner > holders.owner)
         FROM holders WHERE holders.owner IS NOT NULL
       ), claimable AS (
         SELECT run_id FROM runs WHERE ended_at IS NULL AND owner IS NULL AND run_id > ?1
         UNION ALL
         SELECT runs.run_id FROM holders JOIN runs ON runs.owner = holders.owner
         WHERE runs.ended_at IS NULL AND run_id > ?1 AND NOT EXISTS (
           SELECT 1 FROM owners WHERE owners.owner = holders.owner AND lease_ends_at > ?2
         )
       )
       SELECT ${RUN_COLUMNS} FROM runs WHERE run_id IN (SELECT run_id FROM claimable) ORDER BY run_id LIMIT ?3`,
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

  list(filter: RunFilter): readonly SqlRow[] {
    const most = listLimit(filter.limit);
    const { sql, values } = listQuery(filter);
    const statement = this.#lists.get(sql) ?? this.#prepare(sql);
    this.#lists.set(sql, statement);
    return statement.all(...values, most);
  }

  owned(owner: string, { hasCommands = false }: OwnedFilter): readonly RunRow[] {
    return (hasCommands ? this.#withCommands : this.#owned).all(owner).map(runOf);
  }

  claimable(now: number, { after = '', limit }: ClaimableFilter): readonly RunRow[] {
    return this.#claimable.all(after, now, listLimit(limit)).map(runOf);
  }

  insert(header: RunHeader, owner: string | null): void {
    const run: RunRow = {
      runId: header.runId,
      status: 'running',
      phase: null,
      reason: null,
      openApprovals: 0,
      updatedAt: Math.floor(header.startedAt),
      endedAt: null,
      owner,
      token: owner === null ? 0 : 1,
      isTakeover: false,
      takeovers: 0,
      entryCount: 0,
      waitingCommands: 0,
    };
    this.#insert.run(...insertValues(run, header));
  }

  update(run: RunRow): void {
    this.#update.run(...updateValues(run));
  }

  /** Like `update`, for a run whose end, owner and commands are unchanged. */
  progress(run: RunRow): void {
    this.#progress.run(...progressValues(run));
  }

  delete(run: RunRow): void {
    this.#delete.run(run.runId);
  }
}
