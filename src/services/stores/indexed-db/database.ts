import type { PlanwrightError } from '../../../errors.js';
import { JournalCorruptError, StoreUnavailableError } from '../../../errors.js';
import { toFailure } from '../../../failure.js';

/** The version of the object stores below. */
const VERSION = 1;

/** The object stores and their keys. JSON is stored as text. */
export const STORES = [
  'headers',
  'runs',
  'owners',
  'entries',
  'states',
  'commands',
  'commandIds',
] as const;

export type StoreName = (typeof STORES)[number];

/** An object store inside a transaction, with promises instead of events. */
export interface Table {
  get(key: IDBValidKey): Promise<unknown>;
  getAll(range?: IDBKeyRange, limit?: number): Promise<readonly unknown[]>;
  put(value: unknown, key: IDBValidKey): void;
  delete(key: IDBValidKey | IDBKeyRange): void;
  /** The runs of one kind, in the order of their ids. */
  getAllByEnd(range: IDBKeyRange, limit?: number): Promise<readonly unknown[]>;
}

export type Tables = Readonly<Record<StoreName, Table>>;

/** One database of the browser. Throws only errors of this package. */
export class Database {
  readonly #name: string;
  #opened: Promise<IDBDatabase> | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** Reads one consistent state of the database, even while other tabs write. */
  read<Result>(work: (tables: Tables) => Promise<Result>): Promise<Result> {
    return this.#transaction('readonly', work);
  }

  /** Does all of the work or none of it, without concurrent writes from this tab or another. */
  write<Result>(work: (tables: Tables) => Promise<Result>): Promise<Result> {
    return this.#transaction('readwrite', work);
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    this.#opened = Promise.reject(new StoreUnavailableError('The store is closed'));
    this.#opened.catch(() => undefined);
    opened?.close();
  }

  async #transaction<Result>(
    mode: IDBTransactionMode,
    work: (tables: Tables) => Promise<Result>,
  ): Promise<Result> {
    const database = await this.#database();
    // Strict: the transaction completes only when the data is on the disk.
    const transaction = begun(database, mode);
    const completed = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => {
        resolve();
      };
      transaction.onabort = () => {
        reject(storeError(transaction.error));
      };
    });
    completed.catch(() => undefined);
    try {
      const result = await work(tablesOf(transaction));
      await completed;
      return result;
    } catch (error) {
      abort(transaction);
      throw error;
    }
  }

  #database(): Promise<IDBDatabase> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #open(): Promise<IDBDatabase> {
    const { indexedDB } = globalThis as { readonly indexedDB?: IDBFactory };
    if (indexedDB === undefined) throw new StoreUnavailableError('IndexedDB is not available here');
    const request = indexedDB.open(this.#name, VERSION);
    request.onupgradeneeded = () => {
      createStores(request.result);
    };
    const database = await settled(request);
    const names = [...database.objectStoreNames];
    if (names.join() !== [...STORES].sort().join()) {
      database.close();
      throw new JournalCorruptError('foreign', `'${this.#name}' is a database of another program`);
    }
    const forget = (): void => {
      this.#opened = undefined;
    };
    // Another tab has a later version of the package, or the user has cleared the site: the next call opens the
    // database again.
    database.onversionchange = () => {
      forget();
      database.close();
    };
    database.onclose = forget;
    return database;
  }
}

function createStores(database: IDBDatabase): void {
  for (const name of STORES) {
    const store = database.createObjectStore(name);
    if (name === 'runs') store.createIndex('byEnd', ['ended', 'runId']);
  }
}

function begun(database: IDBDatabase, mode: IDBTransactionMode): IDBTransaction {
  try {
    return database.transaction(STORES, mode, { durability: 'strict' });
  } catch (error) {
    throw storeError(error);
  }
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // The transaction is over already.
  }
}

const tablesOf = (transaction: IDBTransaction): Tables =>
  Object.fromEntries(
    STORES.map((name) => [name, tableOf(transaction.objectStore(name))]),
  ) as Record<StoreName, Table>;

const tableOf = (store: IDBObjectStore): Table => ({
  get: (key) => settled(store.get(key)),
  getAll: (range, limit) => settled(store.getAll(range, limit)),
  // These errors abort the transaction, which reports them.
  put: (value, key) => {
    store.put(value, key);
  },
  delete: (key) => {
    store.delete(key);
  },
  getAllByEnd: (range, limit) => settled(store.index('byEnd').getAll(range, limit)),
});

const settled = <Result>(request: IDBRequest<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => {
      resolve(request.result);
    };
    request.onerror = () => {
      reject(storeError(request.error));
    };
  });

/** Converts a browser error into one of our errors. */
function storeError(thrown: unknown): PlanwrightError {
  const { name, message } = toFailure(thrown);
  if (name === 'VersionError') {
    const text = 'The database in the browser was written by a later version of planwright';
    return new JournalCorruptError('newer', text, { cause: thrown });
  }
  return new StoreUnavailableError(`IndexedDB cannot be used: ${name}: ${message}`, {
    cause: thrown,
  });
}
