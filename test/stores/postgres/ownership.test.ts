import { setTimeout as sleep } from 'node:timers/promises';

import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import type { RunClaim, RunStore } from '../../../src/model/run-store.js';
import { claimableSql, ownedSql } from '../../../src/services/stores/postgres/ownership.js';
import { postgresStore } from '../../../src/services/stores/postgres/index.js';
import { isPostgresMissed } from '../postgres-server.js';
import { sharedPostgres } from '../shared-postgres.js';
import type { NotedEntry } from '../stored-runs.js';
import { entriesFrom, headerOf } from '../stored-runs.js';

/* Leases by the clock of the server, and concurrent claims. */

const LONG_MS = 60_000;

describe.skipIf(isPostgresMissed)('a lease in postgresStore', () => {
  let url = '';
  let client: Client;
  let store: RunStore<NotedEntry>;
  let other: RunStore<NotedEntry>;
  let schemas = 0;
  let schema = '';
  const opened: RunStore<NotedEntry>[] = [];

  beforeAll(async () => {
    url = await sharedPostgres();
    client = new Client({ connectionString: url });
    await client.connect();
  });
  beforeEach(async () => {
    schemas += 1;
    schema = `ownership_${schemas}`;
    [store, other] = [open(), open()];
    await store.create(headerOf('run'));
    await other.list();
  });
  afterAll(async () => {
    for (const each of opened) await each.close?.();
    await client.end();
  });

  const open = (): RunStore<NotedEntry> => {
    const each = postgresStore<NotedEntry>({ url, schema });
    opened.push(each);
    return each;
  };

  /** Runs a function while a statement of the store waits for a row that is locked here. */
  const whileWaiting = async <Result>(
    lock: string,
    start: () => unknown,
    ...meanwhile: readonly string[]
  ): Promise<Result> => {
    await client.query('BEGIN');
    await client.query(lock);
    const waiting = Promise.resolve(start());
    await expect.poll(waitingStatements, { timeout: 30_000 }).toBe(1);
    for (const statement of meanwhile) await client.query(statement);
    await client.query('COMMIT');
    return (await waiting) as Result;
  };

  const waitingStatements = async (): Promise<number> => {
    const { rows } = await client.query(
      `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${schema}"%'`,
    );
    return rows.length;
  };

  const takeoversOf = async (runId: string): Promise<number | undefined> =>
    (await store.claimable(0)).find((run) => run.runId === runId)?.takeovers;

  it('uses the clock of the server: a machine whose clock is ahead takes over no live run', async () => {
    await store.renew('owner', LONG_MS, 0);
    expect(await store.claim('run', 'owner', 0)).toEqual({ token: 1, isTakeover: false });
    const ahead = Date.now() + 10 * LONG_MS;
    expect(await other.claim('run', 'other', ahead)).toBeUndefined();
    expect(await other.claimable(ahead)).toEqual([]);
    // A machine whose clock is behind gives no lease that has already ended.
    await store.renew('owner', LONG_MS, -LONG_MS * 10);
    expect(await other.claim('run', 'other', Date.now())).toBeUndefined();
  });

  it('and the time of a command use the clock of the server', async () => {
    const { rows } = await client.query(`SELECT extract(epoch FROM now())::float8 * 1000 AS now`);
    const before = (rows[0] as { now: number }).now;
    await store.post('run', { id: 'command', at: 5, command: { type: 'pause' } });
    const [command] = await store.inbox('run');
    expect(command).toMatchObject({ id: 'command', command: { type: 'pause' } });
    expect(Math.abs((command?.at ?? 0) - before)).toBeLessThan(LONG_MS);
  });

  it('lets another owner take over when it has ended, or its owner has retired', async () => {
    await store.renew('first', 1, 0);
    await store.claim('run', 'first', 0);
    await sleep(20);
    expect(await store.claim('run', 'second', 0)).toEqual({ token: 2, isTakeover: true });
    expect(await takeoversOf('run')).toBe(1);
    await store.renew('second', LONG_MS, 0);
    expect(await store.claim('run', 'third', 0)).toBeUndefined();
    await store.retire('second');
    await store.retire('second');
    expect(await store.claim('run', 'third', 0)).toEqual({ token: 3, isTakeover: true });
    expect(await store.claim('run', 'third', 0)).toEqual({ token: 4, isTakeover: true });
    expect(await takeoversOf('run')).toBe(2);
    await store.append('run', 0, entriesFrom(0, 1), { token: 4, hasProgressed: true });
    expect(await takeoversOf('run')).toBe(0);
    await store.release('run', 3);
    expect((await store.read('run'))?.token).toBe(4);
    await store.release('run', 4);
    expect(await store.read('run')).not.toHaveProperty('token');
    expect(await store.claim('run', 'third', 0)).toEqual({ token: 5, isTakeover: false });
  });

  it('goes to one of many owners that claim a run at the same moment', async () => {
    const stores = [store, other, open(), open()];
    for (let race = 0; race < 20; race += 1) {
      await store.create(headerOf(`race-${race}`));
      const owners = Array.from({ length: 12 }, (_, index) => `owner-${race}-${index}`);
      for (const owner of owners) await store.renew(owner, LONG_MS, 0);
      const claims = await Promise.all(
        owners.map(async (owner, index) => stores[index % 4]?.claim(`race-${race}`, owner, 0)),
      );
      expect(claims.filter((claim) => claim !== undefined)).toEqual([
        { token: 1, isTakeover: false },
      ]);
    }
  });

  it('has a new token each time an owner claims its own run several times at once', async () => {
    const claims = await Promise.all(
      Array.from({ length: 8 }, async (_, index) =>
        (index % 2 === 0 ? store : other).claim('run', 'owner', 0),
      ),
    );
    const tokens = claims.map((claim) => claim?.token ?? 0).sort((left, right) => left - right);
    expect(tokens).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('is kept by a renewal that commits while a claim waits for it', async () => {
    await store.renew('owner', 1, 0);
    await store.claim('run', 'owner', 0);
    await sleep(20);
    const claim = await whileWaiting<RunClaim | undefined>(
      `UPDATE ${schema}.owners SET lease_ends_at = 'infinity' WHERE owner = 'owner'`,
      () => other.claim('run', 'other', 0),
    );
    expect(claim).toBeUndefined();
    expect((await store.read('run'))?.token).toBe(1);
  });

  it('goes to the claim that commits while another waits, although its owner was unknown before', async () => {
    const claim = await whileWaiting<RunClaim | undefined>(
      `SELECT 1 FROM ${schema}.runs FOR UPDATE`,
      () => other.claim('run', 'other', 0),
      `INSERT INTO ${schema}.owners VALUES ('quick', 'infinity')`,
      `UPDATE ${schema}.runs SET owner = 'quick', token = token + 1`,
    );
    expect(claim).toBeUndefined();
    expect(await store.owned('quick')).toEqual([{ runId: 'run', token: 1 }]);
  });

  it('goes to a claim that waits while the run is released', async () => {
    await store.renew('first', 1, 0);
    await store.claim('run', 'first', 0);
    await sleep(20);
    const claim = await whileWaiting<RunClaim | undefined>(
      `UPDATE ${schema}.runs SET owner = NULL`,
      () => other.claim('run', 'other', 0),
    );
    expect(claim).toEqual({ token: 2, isTakeover: false });
  });

  it('answers a command that was posted, taken and ended with its run while it is posted again', async () => {
    const posted = await whileWaiting(
      `SELECT 1 FROM ${schema}.runs FOR UPDATE`,
      () => other.post('run', { id: 'command', at: 0, command: null }),
      `INSERT INTO ${schema}.commands (run_id, command_id, posted_at, answer)
        SELECT run_id, 'command', now(), '{"accepted":true}' FROM ${schema}.runs`,
      `UPDATE ${schema}.runs SET ended_at = now()`,
    );
    expect(posted).toEqual({ isOwned: false, answer: { accepted: true } });
  });

  it('is independent of the count of waiting commands, which is right under concurrent posts and takes', async () => {
    const { token } = (await store.claim('run', 'owner', 0)) ?? { token: 0 };
    const ids = Array.from({ length: 60 }, (_, index) => `command-${index}`);
    const posting = Promise.all(
      ids.map(async (id) => other.post('run', { id, at: 0, command: { type: id } })),
    );
    let count = 0;
    const answered: string[] = [];
    while (answered.length < ids.length) {
      const waiting = await store.inbox('run');
      const taken = waiting.map(({ id }) => ({ id, answer: { id } }));
      await store.append('run', count, entriesFrom(count, count + 1), { token, taken });
      count += 1;
      answered.push(...taken.map(({ id }) => id));
    }
    await posting;
    expect(answered.sort()).toEqual([...ids].sort());
    const { rows } = await client.query(`SELECT waiting_commands, entry_count FROM ${schema}.runs`);
    expect(rows).toEqual([{ waiting_commands: 0, entry_count: count }]);
    expect(await store.owned('owner', { hasCommands: true })).toEqual([]);
    const again = await other.post('run', { id: ids[7] ?? '', at: 0, command: null });
    expect(again).toEqual({ isOwned: false, answer: { id: ids[7] } });
  });

  it('of an owner that is gone for more than a day is removed, and only that', async () => {
    const dayMs = 24 * 60 * 60 * 1_000;
    await store.renew('gone', -dayMs - LONG_MS, 0);
    await store.renew('expired', -dayMs + LONG_MS, 0);
    await store.renew('owner', LONG_MS, 0);
    const { rows } = await client.query(`SELECT owner FROM ${schema}.owners ORDER BY owner`);
    expect(rows).toEqual([{ owner: 'expired' }, { owner: 'owner' }]);
  });

  it('costs no more reads when ten thousand runs have live owners', async () => {
    await client.query(`
      INSERT INTO ${schema}.owners SELECT 'live-' || n, 'infinity' FROM generate_series(1, 5) AS n;
      INSERT INTO ${schema}.owners VALUES ('late', 'epoch');
      INSERT INTO ${schema}.runs (run_id, goal, created_at, updated_at, header, owner, token)
        SELECT 'late-' || n, '', now(), now(), '{}', 'late', 1 FROM generate_series(1, 3) AS n;
      INSERT INTO ${schema}.runs (run_id, goal, created_at, updated_at, header, owner, token, waiting_commands)
        SELECT 'told-' || n, '', now(), now(), '{}', 'live-1', 1, 1 FROM generate_series(1, 2) AS n`);
    const hold = (from: number, to: number) =>
      client.query(`INSERT INTO ${schema}.runs (run_id, goal, created_at, updated_at, header, owner, token)
        SELECT 'held-' || n, '', now(), now(), '{}', 'live-' || 1 + n % 5, 1 FROM generate_series(${from}, ${to}) AS n`);
    const cost = async () => ({
      claimable: await rowsRead(claimableSql(schema), '', 100),
      commands: await rowsRead(ownedSql(schema, true), 'live-1'),
    });
    await hold(1, 100);
    const before = await cost();
    await hold(101, 10_000);
    expect(await cost()).toEqual(before);
    await client.query(`ANALYZE ${schema}.runs`);
    expect(await cost()).toEqual(before);
    const claimable = (await store.claimable(0)).map(({ runId }) => runId);
    expect(claimable).toEqual(['late-1', 'late-2', 'late-3', 'run']);
    expect(await store.claimable(0, { after: 'late-1', limit: 2 })).toMatchObject([
      { runId: 'late-2' },
      { runId: 'late-3' },
    ]);
    expect(await store.owned('live-1', { hasCommands: true })).toHaveLength(2);
  });

  interface PlanNode {
    readonly 'Node Type': string;
    readonly 'Actual Rows': number;
    readonly 'Actual Loops': number;
    readonly 'Rows Removed by Filter'?: number;
    readonly Plans?: readonly PlanNode[];
  }

  /** How many table rows a statement reads. */
  const rowsRead = async (sql: string, ...values: readonly unknown[]): Promise<number> => {
    const explain = `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`;
    const { rows } = await client.query<{ 'QUERY PLAN': readonly { Plan: PlanNode }[] }>(
      explain,
      values as unknown[],
    );
    const sum = (node: PlanNode): number =>
      (/^(?:Seq|Index|Bitmap Heap)/.test(node['Node Type'])
        ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
        : 0) + (node.Plans ?? []).reduce((total, plan) => total + sum(plan), 0);
    return rows[0]?.['QUERY PLAN'].reduce((total, { Plan }) => total + sum(Plan), 0) ?? 0;
  };
});
