import Database from 'libsql';

import type { JournalEntry } from '../../src/journal/entry.js';
import type { RunStore } from '../../src/services/run-store.js';
import { sqliteStore } from '../../src/services/stores/sqlite/sqlite-store.js';

/** Where a store is, as a child process is told. */
export interface StoreAddress {
  readonly kind: 'sqlite';
  readonly path: string;
}

export interface OpenedStore {
  readonly store: RunStore<JournalEntry>;
  readonly close: () => Promise<void>;
}

/** Opens a store; `beforeCommit` is told when a transaction has written everything and is not durable yet. */
export const openStore = async (
  address: StoreAddress,
  beforeCommit: () => void,
): Promise<OpenedStore> => {
  const prototype = Database.prototype as { exec: (this: unknown, sql: string) => unknown };
  const { exec } = prototype;
  prototype.exec = function (sql) {
    if (sql === 'COMMIT') beforeCommit();
    return exec.call(this, sql);
  };
  const store = sqliteStore({ path: address.path });
  return { store, close: async () => store.close?.() };
};
