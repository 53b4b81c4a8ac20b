export { postgresStore } from './postgres-store.js';

export type { PostgresStoreOptions } from './options.js';
export type { PostgresClient, PostgresPool, Statement } from './pool.js';
