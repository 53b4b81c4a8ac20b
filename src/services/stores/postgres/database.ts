import type { QueryResult } from 'pg';
import { Pool } from 'pg';

import type { ConnectionOptions } from './connection.js';
import { clientConfig } from './connection.js';
import { storeError } from './postgres-error.js';

type SqlValue = string | number | boolean | null | readonly string[];

export type SqlRow = Readonly<Record<string, unknown>>;

/** Asks one question, inside a transaction or by itself. Texts and numbers go as values, never into the statement. */
export type Ask = (sql: string, ...values: readonly SqlValue[]) => Promise<readonly SqlRow[]>;

/** The tables of one store, and how to reach them. */
export interface Tables {
  /** One statement, which is a transaction of its own. */
  readonly ask: Ask;
  /** Quoted. */
  readonly schema: string;
  /** Where watchers listen. */
  readonly channel: string;
}

/**
 * A few connections to one server. Everything it throws is an error of this package.
 *
 * A connection on which something failed is closed at once, whatever the reason: the server then rolls back what was
 * not committed, and the next call gets a new connection. What became of a statement whose answer was lost is for the
 * caller to read.
 */
export class Database {
  readonly #pool: Pool;

  constructor(maxConnections: number, options: ConnectionOptions) {
    this.#pool = new Pool({
      ...clientConfig(options),
      max: maxConnections,
      // A program that has nothing else to do may end.
      allowExitOnIdle: true,
    });
    // The call that waits for an answer learns of a broken connection. The event besides, which may come several times,
    // would end the process.
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

  /** Several statements on one connection: all of them happen, or none. */
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

/** PostgreSQL gives its longer integers as texts. */
export const numberOf = (row: SqlRow | undefined, column: string): number => Number(row?.[column]);
