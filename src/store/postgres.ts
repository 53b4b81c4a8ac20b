export { postgresStore } from '../services/stores/postgres/postgres-store.js';

export type { PostgresStoreOptions } from '../services/stores/postgres/options.js';
