import Database from 'libsql';

import { sqliteStore } from '../../src/services/stores/sqlite/sqlite-store.js';
import type { OpenStore, SqliteAddress } from './store-address.js';
import { tellBeforeCommit } from './store-address.js';

export const openSqlite: OpenStore<SqliteAddress> = ({ path }, beforeCommit) => {
  tellBeforeCommit(Database.prototype, 'exec', beforeCommit);
  const store = sqliteStore({ path });
  return { store, close: async () => store.close?.() };
};
