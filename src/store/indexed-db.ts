export { indexedDbStore } from '../services/stores/indexed-db/indexed-db-store.js';

export type { IndexedDbStoreOptions } from '../services/stores/indexed-db/indexed-db-store.js';
