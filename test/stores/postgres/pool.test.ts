import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { ConfigurationError, createOrchestrator, defineAgent } from '../../../src/index.js';
import { postgresStore } from '../../../src/services/stores/postgres/index.js';
import type { ContractEntry, ContractStore } from '../../../src/testing.js';
import { storeContract } from '../../../src/testing.js';
import { isPostgresMissed, sayIfPostgresIsMissed } from '../postgres-server.js';
import { sharedPostgres } from '../shared-postgres.js';

sayIfPostgresIsMissed();

describe.skipIf(isPostgresMissed)('postgresStore with a pool of the user', () => {
  let pool: pg.Pool;
  let schemas = 0;

  beforeAll(async () => {
    pool = new pg.Pool({ connectionString: await sharedPostgres(), max: 8 });
  });
  afterAll(() => pool.end());

  const open = (): ContractStore =>
    postgresStore<ContractEntry>({ pool, schema: `pool_${schemas}` });
  const create = (): ContractStore => {
    schemas += 1;
    return open();
  };
  const createShared = () => [create(), open()] as const;
  describe('keeps the contract of a store', () => {
    for (const { name, run } of storeContract(create, { createShared, hasOwnClock: true }))
      it(name, run);
  });

  it('runs a goal, gives every connection back and leaves the pool open', async () => {
    const echo = defineAgent({ name: 'echo', description: 'Echoes', run: ({ task }) => task });
    const store = postgresStore({ pool, schema: 'pool_run' });
    const orchestrator = createOrchestrator({ agents: [echo], store });
    const plan = { steps: [{ id: 'a', agent: 'echo', task: 'Say it once more' }] } as const;
    const report = await orchestrator.start({ goal: 'Echo', plan }).done;
    expect(report.status).toBe('completed');
    await orchestrator.close();
    await store.close?.();
    await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0);
    expect(pool.listenerCount('error')).toBe(0);
    const { rows } = await pool.query<{ one: number }>('SELECT 1 AS one');
    expect(rows).toEqual([{ one: 1 }]);
  });

  it('closes the connection that listened, so that no other caller gets it', async () => {
    const store = postgresStore({ pool, schema: 'pool_listen' });
    let told = 0;
    store.watch?.('run', () => {
      told += 1;
    });
    await expect.poll(() => told).toBeGreaterThan(0);
    await store.close?.();
    const channels = await Promise.all(
      Array.from({ length: 8 }, () => pool.query('SELECT pg_listening_channels() AS name')),
    );
    expect(channels.flatMap(({ rows }) => rows as unknown[])).toEqual([]);
  });

  it('refuses a pool that cannot serve it, and a pool with an address', () => {
    const single = new pg.Pool({ max: 1 });
    const messageOf = (options: object): string => {
      try {
        postgresStore(options as never);
      } catch (error) {
        if (ConfigurationError.isInstance(error)) return error.message;
      }
      return 'accepted';
    };
    expect(messageOf({ pool: single })).toContain('a pool of at least 2 connections');
    expect(messageOf({ pool, url: 'postgres://localhost/a' })).toContain('Expected a `pool` alone');
    expect(messageOf({ pool: 'postgres://localhost/a' })).toContain('new pg.Pool(');
    expect(messageOf({ pol: pool })).toContain('Did you mean `pool`?');
  });
});
