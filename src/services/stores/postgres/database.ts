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

/** Something for whoever listens to a channel. */
export interface Notice {
  readonly channel: string;
  readonly text: string;
}

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
    // A connection that breaks is told to whoever waits for its answer. An event besides, of which there may be
    // several, would end the process.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  readonly ask: Ask = async (sql, ...values) => {
    try {
      return answerOf(await this.#pool.query(sql, values as unknown[]));
    } catch (error) {
      throw storeError(error);
    }
  };

  /** Does all of the work or none of it. Whoever listens hears the notice once it is done, and not before. */
  async write(work: (ask: Ask) => Promise<void>, notice?: Notice): Promise<void> {
    await this.#transaction('BEGIN', work, (ask) => transactionNumber(ask, notice));
  }

  /** Sees one state of the database, whoever writes meanwhile. */
  async read<Result>(work: (ask: Ask) => Promise<Result>): Promise<Result> {
    const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
    return this.#transaction(begin, work, () => Promise.resolve(null));
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #transaction<Result>(
    begin: string,
    work: (ask: Ask) => Promise<Result>,
    numberOf: (ask: Ask) => Promise<string | null>,
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
      const number = await numberOf(ask);
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
      return await this.#pool.connect();
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

/** The number under which the server will know what became of the transaction; the notice goes along with asking. */
const transactionNumber = async (ask: Ask, notice?: Notice): Promise<string | null> => {
  const question = 'SELECT pg_current_xact_id_if_assigned()::text AS number';
  const { rows } =
    notice === undefined
      ? await ask(question)
      : await ask(`${question}, pg_notify($1, $2)`, notice.channel, notice.text);
  const number = rows[0]?.['number'];
  return typeof number === 'string' ? number : null;
};

const answerOf = ({ rows, rowCount }: QueryResult<SqlRow>): Answer => ({
  rows,
  count: rowCount ?? 0,
});
