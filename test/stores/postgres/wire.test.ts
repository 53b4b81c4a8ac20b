import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { RunConflictError, StoreUnavailableError } from '../../../src/errors.js';
import type { RunStore } from '../../../src/model/run-store.js';
import { postgresStore } from '../../../src/services/stores/postgres/index.js';
import type { PostgresProxy } from '../postgres-proxy.js';
import { startProxy } from '../postgres-proxy.js';
import type { PostgresServer } from '../postgres-server.js';
import { isPostgresMissed, startPostgres } from '../postgres-server.js';
import type { NotedEntry } from '../stored-runs.js';
import { entriesFrom, headerOf } from '../stored-runs.js';

/* The store on a network that loses, delays and swallows messages. */

const APPEND = 'INSERT INTO "wire".entries';
const POST = 'INSERT INTO "wire".commands';
const CREATE = 'INSERT INTO "wire".runs';
const CLAIM = 'RETURNING runs.token';

describe.skipIf(isPostgresMissed)('postgresStore on a network that fails', () => {
  let server: PostgresServer;
  let proxy: PostgresProxy;
  let store: RunStore<NotedEntry>;
  let runs = 0;
  const opened: RunStore<NotedEntry>[] = [];

  beforeAll(async () => {
    // Its own server: it is stopped and started again here.
    server = startPostgres();
    proxy = await startProxy(server.url);
  });
  beforeEach(async () => {
    store = open();
    await store.list();
  });
  afterEach(async () => {
    proxy.heal();
    proxy.resetOpen();
    for (const each of opened.splice(0)) await each.close?.();
  });
  afterAll(async () => {
    await proxy.close();
    server.dispose();
  });

  const open = (timeoutMs = 1_000, maxConnections = 3): RunStore<NotedEntry> => {
    const options = { url: proxy.url, schema: 'wire', timeoutMs, maxConnections };
    const each = postgresStore<NotedEntry>(options);
    opened.push(each);
    return each;
  };

  const newRun = async (): Promise<string> => {
    const runId = `run-${(runs += 1)}`;
    await store.create(headerOf(runId));
    return runId;
  };

  const unavailable = (promise: unknown): Promise<void> =>
    expect(promise).rejects.toBeInstanceOf(StoreUnavailableError);

  it('reports an append as uncertain when its answer is lost, and reading shows that it happened', async () => {
    const runId = await newRun();
    const token = (await store.claim(runId, 'owner', 0))?.token ?? 0;
    await store.append(runId, 0, entriesFrom(0, 2), { token });
    proxy.strike('lose-answer', APPEND);
    await unavailable(store.append(runId, 2, entriesFrom(2, 4), { token }));
    const found = await store.read(runId, 2);
    expect(found).toMatchObject({ token, ended: false });
    expect(found?.entries).toEqual(entriesFrom(2, 4));
  });

  it('reports an append as uncertain when its request is lost, and reading shows that it did not happen', async () => {
    const runId = await newRun();
    const token = (await store.claim(runId, 'owner', 0))?.token ?? 0;
    proxy.strike('lose-request', APPEND);
    await unavailable(store.append(runId, 0, entriesFrom(0, 2), { token }));
    expect(await store.read(runId, 0)).toMatchObject({ token, entries: [] });
    await store.append(runId, 0, entriesFrom(0, 2), { token });
    expect((await store.read(runId))?.entries).toEqual(entriesFrom(0, 2));
  });

  it('gives up an append that is never answered, and continues on a new connection', async () => {
    const runId = await newRun();
    proxy.strike('silence', APPEND);
    await unavailable(store.append(runId, 0, entriesFrom(0, 1)));
    await store.append(runId, 0, entriesFrom(0, 1));
    expect((await store.read(runId))?.entries).toEqual(entriesFrom(0, 1));
  });

  it('waits for no dead connection: after as many lost answers as connections the next call succeeds', async () => {
    const ids = await Promise.all([newRun(), newRun(), newRun()]);
    // Long enough to notice a call that waited for a timeout, its own or another's.
    const patient = open(20_000);
    await patient.list();
    proxy.strike('lose-answer', APPEND, ids.length);
    await Promise.all(ids.map((runId) => unavailable(patient.append(runId, 0, entriesFrom(0, 1)))));
    const reads = Promise.all(ids.map(async (runId) => (await patient.read(runId))?.entries));
    const first = await Promise.race([reads, sleep(10_000, 'stalled', { ref: false })]);
    expect(first).toEqual(ids.map(() => entriesFrom(0, 1)));
  });

  it('keeps a command once when it is posted again after a lost answer', async () => {
    const runId = await newRun();
    const command = { id: 'command', at: 0, command: { type: 'pause' } };
    for (const fault of ['lose-answer', 'lose-request', 'silence'] as const) {
      proxy.strike(fault, POST);
      await unavailable(store.post(runId, { ...command, id: fault }));
      expect(await store.post(runId, { ...command, id: fault })).toEqual({ isOwned: false });
    }
    const ids = (await store.inbox(runId)).map(({ id }) => id);
    expect(ids).toEqual(['lose-answer', 'lose-request', 'silence']);
  });

  it('recognizes a run by its header when its creation is repeated after a lost answer', async () => {
    proxy.strike('lose-answer', CREATE);
    const header = headerOf('created');
    await unavailable(store.create(header));
    await expect(store.create(header)).rejects.toBeInstanceOf(RunConflictError);
    expect((await store.read('created'))?.header).toEqual(header);
  });

  it('gives a new token when a claim is repeated after a lost answer, and counts the takeover once', async () => {
    const runId = await newRun();
    await store.claim(runId, 'dead', 0);
    proxy.strike('lose-answer', CLAIM);
    await unavailable(store.claim(runId, 'owner', 0));
    expect(await store.claim(runId, 'owner', 0)).toEqual({ token: 3, isTakeover: true });
    const claimable = await store.claimable(0, { limit: 1_000 });
    expect(claimable.find((run) => run.runId === runId)).toMatchObject({ takeovers: 1 });
  });

  it('replaces a LISTEN connection that went silent, and calls its watchers', async () => {
    const runId = await newRun();
    const watching = open(800);
    let told = 0;
    const stop = watching.watch?.(runId, () => {
      told += 1;
    });
    await expect.poll(() => told).toBeGreaterThan(0);
    await sleep(100);
    proxy.silenceOpen();
    const before = { told, connections: proxy.connections() };
    await expect
      .poll(() => proxy.connections(), { timeout: 20_000 })
      .toBeGreaterThan(before.connections);
    await expect.poll(() => told, { timeout: 20_000 }).toBeGreaterThan(before.told + 1);
    // Notifications arrive again.
    const heard = told;
    const direct = postgresStore<NotedEntry>({ url: server.url, schema: 'wire' });
    await direct.post(runId, { id: 'heard', at: 0, command: null });
    await expect.poll(() => told, { timeout: 20_000 }).toBeGreaterThan(heard);
    await direct.close?.();
    stop?.();
  });

  it('closes although the server is silent', async () => {
    const each = open(500);
    each.watch?.('any', () => undefined);
    await Promise.all([each.list(), each.list()]);
    await sleep(100);
    proxy.silenceOpen();
    await each.close?.();
    expect(opened.splice(opened.indexOf(each), 1)).toEqual([each]);
  });

  it('is unavailable when connections are reset, and works when answers are slow', async () => {
    const runId = await newRun();
    proxy.slowDown(100);
    await store.append(runId, 0, entriesFrom(0, 1));
    const refused = unavailable(store.append(runId, 1, entriesFrom(1, 2)));
    await sleep(20);
    proxy.resetOpen();
    await refused;
    expect((await open().read(runId))?.entries.slice(0, 1)).toEqual(entriesFrom(0, 1));
  });

  it('keeps confirmed writes over restarts of the server during appends', async () => {
    const runId = await newRun();
    const read = async (from: number): Promise<readonly NotedEntry[]> => {
      for (;;) {
        try {
          return (await store.read(runId, from))?.entries ?? [];
        } catch (error) {
          expect(error).toBeInstanceOf(StoreUnavailableError);
          await sleep(20);
        }
      }
    };
    let promised = 0;
    const load = { isOver: false };
    const appending = (async () => {
      while (!load.isOver) {
        try {
          await store.append(runId, promised, entriesFrom(promised, promised + 1));
          promised += 1;
        } catch (error) {
          const isKnown =
            error instanceof StoreUnavailableError || error instanceof RunConflictError;
          expect(isKnown, String(error)).toBe(true);
          // The answer may have been lost.
          promised += (await read(promised)).length;
        }
      }
    })();
    for (let restarts = 0; restarts < 3; restarts += 1) {
      const before = promised;
      await expect.poll(() => promised, { timeout: 30_000 }).toBeGreaterThan(before + 10);
      server.stop('immediate');
      const sure = promised;
      server.start();
      expect((await read(0)).length).toBeGreaterThanOrEqual(sure);
    }
    load.isOver = true;
    await appending;
    expect(await read(0)).toEqual(entriesFrom(0, promised));
  });
});
