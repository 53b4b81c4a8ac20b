import type { QueryResult } from 'pg';
import { Pool } from 'pg';

import type { ConnectionOptions } from './connection.js';
import { clientConfig } from './connection.js';
import { storeError } from './postgres-error.js';

type SqlValue = string | number | boolean | null | readonly string[];

export type SqlRow = Readonly<Record<string, unknown>>;

/**
 * Runs one query, inside a transaction or by itself. Texts and numbers are passed as values, never inside the
 * statement.
 */
export type Ask = (sql: string, ...values: readonly SqlValue[]) => Promise<readonly SqlRow[]>;

/** The tables of one store, and the connection to them. */
export interface Tables {
  /** One statement in its own transaction. */
  readonly ask: Ask;
  /** Quoted. */
  readonly schema: string;
  /** The channel that watchers listen to. */
  readonly channel: string;
}

/**
 * A few connections to one server. Throws only errors of this package.
 *
 * A connection is closed after any error: the server then rolls back uncommitted work, and the next call gets a new
 * connection. The caller reads back the outcome of a statement whose answer was lost.
 */
export class Database {
  readonly #pool: Pool;

  constructor(maxConnections: number, options: ConnectionOptions) {
    this.#pool = new Pool({
      ...clientConfig(options),
      max: maxConnections,
      // An idle program may exit.
      allowExitOnIdle: true,
    });
    // The waiting call gets the error of a broken connection. Without a listener the additional event, which may come
    // several times, would end the process.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  readonly ask: Ask = async (sql, ...values) => {
    try {
      const { rows } = await this.#pool.query<SqlRow>(sql, values as unknown[]);
      return rows;
    } catch (error) {
      throw storeError(error);
    }
  };

  /** Several statements in one transaction: all of them happen, or none. */
  async transaction(work: (ask: Ask) => Promise<void>): Promise<void> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw storeError(error);
    });
    const ask: Ask = async (sql, ...values) => {
      try {
        const { rows }: QueryResult<SqlRow> = await client.query(sql, values as unknown[]);
        return rows;
      } catch (error) {
        throw storeError(error);
      }
    };
    try {
      await ask('BEGIN');
      await work(ask);
      await ask('COMMIT');
      client.release();
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** PostgreSQL returns its longer integers as texts. */
export const numberOf = (row: SqlRow | undefined, column: string): number => Number(row?.[column]);
