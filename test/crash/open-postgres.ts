import { Client } from 'pg';

import { postgresStore } from '../../src/services/stores/postgres/postgres-store.js';
import type { OpenStore, PostgresAddress } from './store-address.js';
import { tellBeforeCommit } from './store-address.js';

export const openPostgres: OpenStore<PostgresAddress> = ({ url, schema }, beforeCommit) => {
  tellBeforeCommit(Client.prototype, 'query', beforeCommit);
  const store = postgresStore({ url, schema, maxConnections: 2 });
  return { store, close: async () => store.close?.() };
};
