export { sqliteStore } from '../services/stores/sqlite/sqlite-store.js';

export type { SqliteStoreOptions } from '../services/stores/sqlite/sqlite-store.js';
