import Database from 'libsql';

import { storeError } from './sqlite-error.js';

/** A value of a row. Blobs are not used, and integers fit a number. */
export type SqlValue = string | number | null;

export type SqlRow = Readonly<Record<string, SqlValue>>;

/** A statement that is prepared once. */
export interface Statement {
  /** How many rows it changed. */
  run(...values: readonly SqlValue[]): number;
  get(...values: readonly SqlValue[]): SqlRow | undefined;
  all(...values: readonly SqlValue[]): readonly SqlRow[];
}

/** What the store needs of a driver: everything that knows libsql by name is in this file. */
export interface Connection {
  readonly path: string;
  readonly exec: (sql: string) => void;
  readonly prepare: (sql: string) => Statement;
  /** Does all of the work or none of it, with nobody else writing meanwhile. */
  readonly write: <Result>(work: () => Result) => Result;
  /** Sees one state of the file, whoever writes meanwhile. */
  readonly read: <Result>(work: () => Result) => Result;
  readonly close: () => void;
}

/** How long another process may hold the file before a call gives up. Its transactions take milliseconds. */
const BUSY_TIMEOUT_MS = 10_000;

/** Opens a file, or a URI of one. */
export function connect(uri: string, path: string): Connection {
  const guarded = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw storeError(error, path);
    }
  };
  const database = guarded(() => new Database(uri, { timeout: BUSY_TIMEOUT_MS }));
  const exec = (sql: string): void => {
    guarded(() => database.exec(sql));
  };
  const transaction = <Result>(begin: string, work: () => Result): Result => {
    exec(begin);
    try {
      const result = work();
      exec('COMMIT');
      return result;
    } catch (error) {
      rollBack(database);
      throw error;
    }
  };
  return {
    path,
    exec,
    prepare: (sql) => {
      const statement = guarded(() => database.prepare(sql));
      return {
        run: (...values) => guarded(() => statement.run(...values).changes),
        get: (...values) => guarded(() => statement.get(...values) as SqlRow | undefined),
        all: (...values) => guarded(() => statement.all(...values) as SqlRow[]),
      };
    },
    write: (work) => transaction('BEGIN IMMEDIATE', work),
    read: (work) => transaction('BEGIN', work),
    close: () => {
      guarded(() => database.close());
    },
  };
}

/** SQLite may have rolled back by itself: then there is nothing left to do. */
function rollBack(database: Database.Database): void {
  try {
    if (database.inTransaction) database.exec('ROLLBACK');
  } catch {
    // The first error says what is wrong.
  }
}
