import Database from 'libsql';

import { StoreUnavailableError } from '../../../errors.js';
import { tornError } from '../stored-json.js';
import { storeError } from './sqlite-error.js';

/** A value for a statement. */
export type SqlValue = string | number | null;

/**
 * A row. Texts are read as bytes (`textColumn`): a damaged text that is not UTF-8 would end the process inside the
 * driver.
 */
export type SqlRow = Readonly<Record<string, ArrayBuffer | Uint8Array | number | null>>;

/** How a column of texts is read. */
export const textColumn = (name: string): string => `CAST(${name} AS BLOB) AS ${name}`;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A text that was read with `textColumn`. */
export function textOf(value: SqlRow[string] | undefined, what: string): string {
  if (typeof value !== 'object' || value === null) throw tornError(what);
  try {
    return decoder.decode(value);
  } catch (cause) {
    throw tornError(what, { cause });
  }
}

/** A statement that is prepared once. */
export interface Statement {
  /** How many rows it changed. */
  run(...values: readonly SqlValue[]): number;
  get(...values: readonly SqlValue[]): SqlRow | undefined;
  all(...values: readonly SqlValue[]): readonly SqlRow[];
}

/** The driver interface of the store: only this file names libsql. */
export interface Connection {
  readonly path: string;
  readonly exec: (sql: string) => void;
  readonly prepare: (sql: string) => Statement;
  /** Does all of the work or none of it, without concurrent writes. */
  readonly write: <Result>(work: () => Result) => Result;
  /** Reads one consistent state of the file, even while another process writes. */
  readonly read: <Result>(work: () => Result) => Result;
  readonly close: () => void;
}

/** How long opening a file waits for another process that locks it; afterwards the store retries instead. */
const OPEN_TIMEOUT_MS = 10_000;

/** Opens a file, or a URI of one. */
export function connect(uri: string, path: string): Connection {
  const guarded = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw storeError(error, path);
    }
  };
  const database = guarded(() => new Database(uri, { timeout: OPEN_TIMEOUT_MS }));
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
  // The driver closes the file when its last statement is collected, so none may be kept after close().
  const statements: Database.Statement[] = [];
  const statementAt = (index: number): Database.Statement => {
    const statement = statements[index];
    if (statement === undefined) throw new StoreUnavailableError(`'${path}' is closed`);
    return statement;
  };
  return {
    path,
    exec,
    prepare: (sql) => {
      const index = statements.push(guarded(() => database.prepare(sql))) - 1;
      return {
        run: (...values) => guarded(() => statementAt(index).run(...values).changes),
        get: (...values) => guarded(() => statementAt(index).get(...values) as SqlRow | undefined),
        all: (...values) => guarded(() => statementAt(index).all(...values) as SqlRow[]),
      };
    },
    write: (work) => transaction('BEGIN IMMEDIATE', work),
    read: (work) => transaction('BEGIN', work),
    close: () => {
      statements.length = 0;
      guarded(() => database.close());
    },
  };
}

/** Rolls back. SQLite may have rolled back by itself: then there is nothing to do. */
function rollBack(database: Database.Database): void {
  try {
    if (database.inTransaction) database.exec('ROLLBACK');
  } catch {
    // The first error is the relevant one.
  }
}
