import type { Connections } from './pool.js';
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
 * Statements on the connections of a store. Throws only errors of this package.
 *
 * A connection is closed after any error: the server then rolls back uncommitted work, and the next call gets a new
 * connection. The caller reads back the outcome of a statement whose answer was lost.
 */
export class Database {
  readonly #connections: Connections;
  readonly #timeoutMs: number;

  constructor(connections: Connections, timeoutMs: number) {
    this.#connections = connections;
    this.#timeoutMs = timeoutMs;
  }

  readonly ask: Ask = (sql, ...values) => this.#use((ask) => ask(sql, ...values));

  /** Several statements in one transaction: all of them happen, or none. */
  async transaction(work: (ask: Ask) => Promise<void>): Promise<void> {
    await this.#use(async (ask) => {
      await ask('BEGIN');
      await work(ask);
      await ask('COMMIT');
    });
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  async #use<Result>(work: (ask: Ask) => Promise<Result>): Promise<Result> {
    const client = await this.#connections.connect().catch((error: unknown) => {
      throw storeError(error);
    });
    const query_timeout = this.#timeoutMs;
    const ask: Ask = async (text, ...values) => {
      try {
        const { rows } = await client.query({ text, values: [...values], query_timeout });
        return rows as SqlRow[];
      } catch (error) {
        throw storeError(error);
      }
    };
    try {
      const result = await work(ask);
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
}

/** PostgreSQL returns its longer integers as texts. */
export const numberOf = (row: SqlRow | undefined, column: string): number => Number(row?.[column]);
