import Database from 'libsql';
import { Client } from 'pg';

import type { JournalEntry } from '../../src/journal/entry.js';
import type { RunStore } from '../../src/services/run-store.js';
import { postgresStore } from '../../src/services/stores/postgres/postgres-store.js';
import { sqliteStore } from '../../src/services/stores/sqlite/sqlite-store.js';

/** Where a store is, as a child process is told. */
export type StoreAddress =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly schema: string };

export interface OpenedStore {
  readonly store: RunStore<JournalEntry>;
  readonly close: () => Promise<void>;
}

/** Opens a store; `beforeCommit` is told when a transaction has written everything and is not durable yet. */
export const openStore = (address: StoreAddress, beforeCommit: () => void): OpenedStore => {
  tellBefore('COMMIT', beforeCommit);
  const store =
    address.kind === 'sqlite'
      ? sqliteStore({ path: address.path })
      : postgresStore({ url: address.url, schema: address.schema, maxConnections: 2 });
  return { store, close: async () => store.close?.() };
};

/** Both drivers are handed their statements as texts by a method of their own. */
const tellBefore = (statement: string, listener: () => void): void => {
  for (const [prototype, name] of [
    [Database.prototype, 'exec'],
    [Client.prototype, 'query'],
  ] as const) {
    const methods = prototype as unknown as Record<string, (...given: unknown[]) => unknown>;
    const method = methods[name];
    if (method === undefined) throw new Error(`The driver has no ${name}`);
    methods[name] = function (this: unknown, ...given) {
      if (given[0] === statement) listener();
      return method.apply(this, given);
    };
  }
};
