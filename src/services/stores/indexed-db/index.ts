export { indexedDbStore } from './indexed-db-store.js';

export type { IndexedDbStoreOptions } from './indexed-db-store.js';
