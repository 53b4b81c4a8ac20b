import { afterAll, describe, it } from 'vitest';

import { sqliteStore } from '../../../src/services/stores/sqlite/index.js';
import type { ContractEntry } from '../../../src/testing.js';
import { storeContract } from '../../../src/testing.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
afterAll(folder.dispose);

describe('sqliteStore on a file keeps the contract of a store', () => {
  const createShared = () => {
    const path = folder.newPath();
    return [sqliteStore<ContractEntry>({ path }), sqliteStore<ContractEntry>({ path })] as const;
  };
  const create = () => sqliteStore<ContractEntry>({ path: folder.newPath() });
  for (const { name, run } of storeContract(create, { createShared })) it(name, run);
});

describe('sqliteStore in memory keeps the contract of a store', () => {
  for (const { name, run } of storeContract(() => sqliteStore({ path: ':memory:' }))) it(name, run);
});
