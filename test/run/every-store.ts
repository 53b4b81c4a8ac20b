import { afterAll, describe } from 'vitest';

import type { RunStore } from '../../src/model/run-store.js';
import { memoryStore } from '../../src/services/memory-store.js';
import { postgresStore } from '../../src/services/stores/postgres/index.js';
import { sqliteStore } from '../../src/services/stores/sqlite/index.js';
import { isPostgresMissed, sayIfPostgresIsMissed } from '../stores/postgres-server.js';
import { sharedPostgres } from '../stores/shared-postgres.js';
import { temporaryFolder } from '../stores/temporary-folder.js';

/** Opens a store of one kind: an empty one, and two connections to it where the kind has connections. */
export type OpenStore = () => Promise<readonly [RunStore, RunStore]>;

/** Describes a behaviour for every kind of store; the browser has its own tests. */
export const describeEveryStore = (title: string, cases: (open: OpenStore) => void): void => {
  sayIfPostgresIsMissed();
  const folder = temporaryFolder();
  const opened: RunStore[] = [];
  afterAll(async () => {
    for (const store of opened) await store.close?.();
    folder.dispose();
  });
  const both = (make: () => RunStore): readonly [RunStore, RunStore] => {
    const stores = [make(), make()] as const;
    opened.push(...stores);
    return stores;
  };
  const kinds: Readonly<Record<string, OpenStore>> = {
    memoryStore: async () => {
      const store = memoryStore();
      return both(() => store);
    },
    sqliteStore: async () => {
      const path = folder.newPath();
      return both(() => sqliteStore({ path }));
    },
    postgresStore: async () => {
      const url = await sharedPostgres();
      const schema = `every_${Math.random().toString(36).slice(2)}`;
      return both(() => postgresStore({ url, schema }));
    },
  };
  for (const [kind, open] of Object.entries(kinds)) {
    const isMissed = kind === 'postgresStore' && isPostgresMissed;
    describe.skipIf(isMissed)(`${title}, in ${kind}`, () => cases(open));
  }
};
