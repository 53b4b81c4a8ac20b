import { Client } from 'pg';

import { postgresStore } from '../../src/services/stores/postgres/postgres-store.js';
import type { OpenStore, PostgresAddress } from './store-address.js';
import { tellBeforeCommit } from './store-address.js';

/**
 * An append is one statement, which commits by itself, so the point before the commit is the one before the
 * statement.
 */
const isAppend = (statement: unknown): boolean =>
  /INSERT INTO \S+\.entries/.test((statement as { readonly text?: string }).text ?? '');

export const openPostgres: OpenStore<PostgresAddress> = ({ url, schema }, beforeCommit) => {
  tellBeforeCommit(Client.prototype, 'query', beforeCommit, isAppend);
  const store = postgresStore({ url, schema, maxConnections: 2 });
  return { store, close: async () => store.close?.() };
};
