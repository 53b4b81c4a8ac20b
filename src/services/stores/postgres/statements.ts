import type { StoredCommand, StoredEntry, StoredState } from '../../run-store.js';
import { parseStored, tornError } from '../stored-json.js';
import { INBOX_LIMIT } from '../../store-limits.js';
import { lookupId } from '../../stored-id.js';
import type { Ask, SqlRow } from './database.js';
import { numberOf } from './schema.js';

/** What changes about a run. */
export interface RunRow {
  /** PostgreSQL's own number of it. */
  readonly id: string;
  readonly runId: string;
  readonly ended: boolean;
  readonly entryCount: number | null;
  readonly owner: string | null;
  readonly token: number;
  readonly waiting: number;
}

const RUN_COLUMNS = 'id, run_id, ended, entry_count, owner, token, waiting';

export const runOf = (row: SqlRow): RunRow => ({
  id: String(row['id']),
  runId: String(row['run_id']),
  ended: row['ended'] === true,
  entryCount: row['entry_count'] as number | null,
  owner: row['owner'] as string | null,
  token: numberOf(row, 'token'),
  waiting: numberOf(row, 'waiting'),
});

/** What came of a command. */
export interface Posted {
  readonly isEnded: boolean;
  readonly isKept: boolean;
}

/** The statements of one schema. */
export class Statements {
  readonly #schema: string;

  /** @param schema quoted */
  constructor(schema: string) {
    this.#schema = schema;
  }

  /** The run, which nobody else may change until the transaction is over. */
  async locked(ask: Ask, runId: string): Promise<RunRow | undefined> {
    const sql = `SELECT ${RUN_COLUMNS} FROM ${this.#schema}.runs WHERE run_id = $1 FOR UPDATE`;
    const { rows } = await ask(sql, lookupId(runId));
    return rows[0] && runOf(rows[0]);
  }

  async withHeader(ask: Ask, runId: string): Promise<SqlRow | undefined> {
    const sql = `SELECT ${RUN_COLUMNS}, header FROM ${this.#schema}.runs WHERE run_id = $1`;
    return (await ask(sql, lookupId(runId))).rows[0];
  }

  async list(
    ask: Ask,
    ended: boolean | null,
    after: string,
    limit: number,
  ): Promise<readonly SqlRow[]> {
    const sql = `SELECT ${RUN_COLUMNS}, header, ${this.#count('runs.id')} AS count
      FROM ${this.#schema}.runs
      WHERE run_id > $1 AND ($2::boolean IS NULL OR ended = $2) ORDER BY run_id LIMIT $3`;
    return (await ask(sql, lookupId(after), ended, limit)).rows;
  }

  /** Whether there was none with this id. */
  async insertRun(ask: Ask, runId: string, header: string): Promise<boolean> {
    const sql = `INSERT INTO ${this.#schema}.runs (run_id, header) VALUES ($1, $2) ON CONFLICT DO NOTHING`;
    return (await ask(sql, runId, header)).count === 1;
  }

  /** One statement: PostgreSQL looks again at a row that somebody has changed while it waited. */
  async claim(
    ask: Ask,
    runId: string,
    owner: string,
    leaseEndsAt: number,
    now: number,
  ): Promise<SqlRow | undefined> {
    const sql = `UPDATE ${this.#schema}.runs SET
        token = CASE WHEN owner = $2 THEN token ELSE token + 1 END,
        takeovers = CASE WHEN owner <> $2 THEN takeovers + 1 ELSE takeovers END,
        owner = $2, lease_ends_at = $3
      WHERE run_id = $1 AND NOT ended AND (owner IS NULL OR owner = $2 OR lease_ends_at <= $4)
      RETURNING token, takeovers`;
    return (await ask(sql, lookupId(runId), owner, leaseEndsAt, now)).rows[0];
  }

  async release(ask: Ask, runId: string, token: number): Promise<void> {
    const sql = `UPDATE ${this.#schema}.runs SET owner = NULL, lease_ends_at = NULL WHERE run_id = $1 AND token = $2`;
    if (Number.isSafeInteger(token)) await ask(sql, lookupId(runId), token);
  }

  async count(ask: Ask, run: RunRow): Promise<number> {
    const { rows } = await ask(`SELECT ${this.#count('$1::bigint')} AS count`, run.id);
    return numberOf(rows[0], 'count');
  }

  async entries(ask: Ask, run: RunRow): Promise<StoredEntry[]> {
    const sql = `SELECT sequence, body FROM ${this.#schema}.entries WHERE run = $1 ORDER BY sequence`;
    const { rows } = await ask(sql, run.id);
    const isWhole = rows.every(({ sequence }, index) => sequence === index);
    if (!isWhole || (run.entryCount ?? rows.length) !== rows.length) {
      throw tornError(`The journal of run '${run.runId}'`);
    }
    return rows.map(({ body }, sequence) => {
      const what = `Entry ${sequence} of run '${run.runId}'`;
      return parseStored(body, what) as StoredEntry;
    });
  }

  async insertEntries(
    ask: Ask,
    run: RunRow,
    from: number,
    bodies: readonly string[],
  ): Promise<void> {
    const sql = `INSERT INTO ${this.#schema}.entries (run, sequence, body)
      SELECT $1::bigint, $2::integer + number::integer - 1, body
      FROM unnest($3::text[]) WITH ORDINALITY AS given (body, number)`;
    await ask(sql, run.id, from, bodies);
  }

  async end(ask: Ask, run: RunRow, entryCount: number): Promise<void> {
    const sql = `UPDATE ${this.#schema}.runs SET ended = true, entry_count = $2 WHERE id = $1`;
    await ask(sql, run.id, entryCount);
  }

  async state(ask: Ask, run: RunRow): Promise<StoredState | undefined> {
    const sql = `SELECT sequence, body FROM ${this.#schema}.states WHERE run = $1`;
    const row = (await ask(sql, run.id)).rows[0];
    if (row === undefined) return undefined;
    const body = parseStored(row['body'], `The state of run '${run.runId}'`);
    return { sequence: numberOf(row, 'sequence'), body };
  }

  async keepState(ask: Ask, run: RunRow, sequence: number, body: string): Promise<void> {
    const sql = `INSERT INTO ${this.#schema}.states (run, sequence, body) VALUES ($1, $2, $3)
      ON CONFLICT (run) DO UPDATE SET sequence = excluded.sequence, body = excluded.body`;
    await ask(sql, run.id, sequence, body);
  }

  async inbox(ask: Ask, runId: string): Promise<StoredCommand[]> {
    const sql = `SELECT commands.command_id, commands.body FROM ${this.#schema}.commands
      JOIN ${this.#schema}.runs ON runs.id = commands.run
      WHERE runs.run_id = $1 AND commands.body IS NOT NULL ORDER BY commands.id`;
    const { rows } = await ask(sql, lookupId(runId));
    return rows.map((row) => {
      const id = String(row['command_id']);
      const what = `Command '${id}' of run '${runId}'`;
      const kept = parseStored(row['body'], what) as Pick<StoredCommand, 'at' | 'command'>;
      return { id, at: kept.at, command: kept.command };
    });
  }

  /**
   * One statement, so one trip to the server and no transaction to be left open. Tells about the run, and whether
   * the command was kept, now or before; undefined when there is no such run.
   */
  async post(
    ask: Ask,
    runId: string,
    commandId: string,
    body: string,
    channel: string,
  ): Promise<Posted | undefined> {
    const sql = `WITH run AS (
        SELECT id, ended, waiting FROM ${this.#schema}.runs WHERE run_id = $1 FOR UPDATE
      ), added AS (
        INSERT INTO ${this.#schema}.commands (run, command_id, body)
        SELECT id, $2, $3 FROM run WHERE NOT ended AND waiting < $4 ON CONFLICT DO NOTHING RETURNING run
      ), counted AS (
        UPDATE ${this.#schema}.runs SET waiting = runs.waiting + 1 FROM added WHERE runs.id = added.run
      )
      SELECT ended, waiting, (SELECT pg_notify($5, $1) FROM added),
        EXISTS (SELECT 1 FROM ${this.#schema}.commands WHERE commands.run = run.id AND command_id = $2) AS known
      FROM run`;
    const row = (await ask(sql, lookupId(runId), commandId, body, INBOX_LIMIT, channel)).rows[0];
    if (row === undefined) return undefined;
    // Where there is room it was added, or was there already.
    const isKept = row['known'] === true || numberOf(row, 'waiting') < INBOX_LIMIT;
    return { isEnded: row['ended'] === true, isKept };
  }

  /** Empties commands; their ids stay, so that they cannot be posted again. */
  async take(ask: Ask, run: RunRow, commandIds: readonly string[]): Promise<void> {
    const take = `UPDATE ${this.#schema}.commands SET body = NULL
      WHERE run = $1 AND command_id = ANY($2::text[]) AND body IS NOT NULL`;
    const { count } = await ask(take, run.id, commandIds.map(lookupId));
    if (count === 0) return;
    await ask(
      `UPDATE ${this.#schema}.runs SET waiting = waiting - $2 WHERE id = $1`,
      run.id,
      count,
    );
  }

  async delete(ask: Ask, runId: string): Promise<void> {
    await ask(`DELETE FROM ${this.#schema}.runs WHERE run_id = $1`, lookupId(runId));
  }

  #count(run: string): string {
    return `(SELECT coalesce(max(sequence) + 1, 0) FROM ${this.#schema}.entries WHERE run = ${run})`;
  }
}
