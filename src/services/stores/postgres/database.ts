import type { PoolClient, QueryResult } from 'pg';
import { Pool } from 'pg';

import { StoreUnavailableError } from '../../../errors.js';
import type { Clock } from '../../clock.js';
import { isConnectionLost, storeError } from './postgres-error.js';

export type SqlValue = string | number | boolean | null | readonly (string | number)[];

export type SqlRow = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly rows: readonly SqlRow[];
  /** How many rows were changed or found. */
  readonly count: number;
}

/** Asks one question, inside a transaction or by itself. Texts and numbers go as values, never into the statement. */
export type Ask = (sql: string, ...values: readonly SqlValue[]) => Promise<Answer>;

export interface DatabaseOptions {
  readonly url: string;
  readonly maxConnections: number;
}

const CONNECT_TIMEOUT_MS = 10_000;

/** How often, and after how long, a lost connection is asked what became of its transaction. */
const OUTCOME_TRIES = 20;
const OUTCOME_PAUSE_MS = 250;

/** A few connections to one server. Everything it throws is an error of ours. */
export class Database {
  readonly #pool: Pool;
  readonly #clock: Clock;

  constructor({ url, maxConnections }: DatabaseOptions, clock: Clock) {
    this.#clock = clock;
    this.#pool = new Pool({
      connectionString: url,
      max: maxConnections,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: 'planwright',
      // A program that has nothing else to do may end.
      allowExitOnIdle: true,
    });
    // An idle connection that breaks is nobody's trouble: the next question opens another.
    this.#pool.on('error', () => undefined);
  }

  readonly ask: Ask = async (sql, ...values) => {
    try {
      return answerOf(await this.#pool.query(sql, values as unknown[]));
    } catch (error) {
      throw storeError(error);
    }
  };

  /** Does all of the work or none of it. */
  async write<Result>(work: (ask: Ask) => Promise<Result>): Promise<Result> {
    return this.#transaction('BEGIN', work, true);
  }

  /** Sees one state of the database, whoever writes meanwhile. */
  async read<Result>(work: (ask: Ask) => Promise<Result>): Promise<Result> {
    return this.#transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work, false);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #transaction<Result>(
    begin: string,
    work: (ask: Ask) => Promise<Result>,
    isWriting: boolean,
  ): Promise<Result> {
    const client = await this.#connection();
    const connection = { isLost: false };
    const ask: Ask = async (sql, ...values) => {
      try {
        return answerOf(await client.query(sql, values as unknown[]));
      } catch (error) {
        connection.isLost ||= isConnectionLost(error);
        throw storeError(error);
      }
    };
    try {
      await ask(begin);
      const result = await work(ask);
      const number = isWriting ? await transactionNumber(ask) : null;
      await ask('COMMIT').catch((error: unknown) =>
        this.#outcome(number, connection.isLost, error),
      );
      return result;
    } catch (error) {
      if (!connection.isLost) await ask('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      client.release(connection.isLost);
    }
  }

  async #connection(): Promise<PoolClient> {
    try {
      const client = await this.#pool.connect();
      // While it is ours, the pool does not listen; the question under way hears of it, too.
      if (client.listenerCount('error') === 0) client.on('error', () => undefined);
      return client;
    } catch (error) {
      throw storeError(error);
    }
  }

  /**
   * The connection broke while the server was asked to commit: it may have done so. The server knows, so it is asked
   * until it answers; only when it cannot be reached for long does the caller get an error that leaves it open.
   */
  async #outcome(number: string | null, isLost: boolean, error: unknown): Promise<void> {
    if (!isLost || number === null) throw error;
    for (let tries = 0; tries < OUTCOME_TRIES; tries += 1) {
      const status = await this.ask('SELECT pg_xact_status($1::xid8) AS status', number)
        .then(({ rows }) => rows[0]?.['status'])
        .catch(() => undefined);
      if (status === 'committed') return;
      if (status === 'aborted') throw error;
      await new Promise<void>((resolve) => {
        this.#clock.setTimeout(resolve, OUTCOME_PAUSE_MS);
      });
    }
    const text = 'PostgreSQL was lost during a commit: it is not known whether it has happened';
    throw new StoreUnavailableError(text, { cause: error });
  }
}

const transactionNumber = async (ask: Ask): Promise<string | null> => {
  const { rows } = await ask('SELECT pg_current_xact_id_if_assigned()::text AS number');
  const number = rows[0]?.['number'];
  return typeof number === 'string' ? number : null;
};

const answerOf = ({ rows, rowCount }: QueryResult<SqlRow>): Answer => ({
  rows,
  count: rowCount ?? 0,
});
