import { beforeAll, describe, it } from 'vitest';

import { postgresStore } from '../../../src/services/stores/postgres/index.js';
import type { ContractEntry, ContractStore } from '../../../src/testing.js';
import { storeContract } from '../../../src/testing.js';
import { isPostgresMissed, sayIfPostgresIsMissed } from '../postgres-server.js';
import { sharedPostgres } from '../shared-postgres.js';

sayIfPostgresIsMissed();

describe.skipIf(isPostgresMissed)('postgresStore keeps the contract of a store', () => {
  let url = '';
  let schemas = 0;

  beforeAll(async () => {
    url = await sharedPostgres();
  });

  const open = (): ContractStore =>
    postgresStore<ContractEntry>({ url, schema: `contract_${schemas}` });
  const create = (): ContractStore => {
    schemas += 1;
    return open();
  };
  const createShared = () => [create(), open()] as const;
  for (const { name, run } of storeContract(create, { createShared, hasOwnClock: true }))
    it(name, run);
});
