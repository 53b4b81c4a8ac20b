import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openService } from '../../../examples/postgres-store.js';
import {
  ConfigurationError,
  JournalCorruptError,
  StoreUnavailableError,
} from '../../../src/errors.js';
import type { RunStore } from '../../../src/model/run-store.js';
import { postgresStore } from '../../../src/services/stores/postgres/index.js';
import type { PostgresServer } from '../postgres-server.js';
import { isPostgresMissed, startPostgres } from '../postgres-server.js';
import type { NotedEntry } from '../stored-runs.js';
import { contentOf, entriesFrom, fillStore, headerOf } from '../stored-runs.js';

describe.skipIf(isPostgresMissed)('postgresStore', () => {
  let server: PostgresServer;
  const stores: RunStore<NotedEntry>[] = [];

  beforeAll(() => {
    // Its own server: it is stopped and started again here.
    server = startPostgres();
  });
  afterAll(async () => {
    for (const store of stores) await store.close?.();
    server.dispose();
  });

  const open = (schema: string, url = server.url): RunStore<NotedEntry> => {
    const store = postgresStore<NotedEntry>({ url, schema });
    stores.push(store);
    return store;
  };

  const query = async (sql: string): Promise<void> => {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };

  it('is unavailable while the server is down, loses nothing, and works again when it is back', async () => {
    const store = open('outage');
    await fillStore(store);
    const before = await contentOf(store);
    let told = 0;
    store.watch?.('open', () => {
      told += 1;
    });
    await expect.poll(() => told, { timeout: 30_000 }).toBeGreaterThan(0);

    // As a power cut would: confirmed writes must still be there.
    server.stop('immediate');
    const refused = store.append('ended', 12, entriesFrom(12, 13));
    await expect(refused).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(store.read('open')).rejects.toBeInstanceOf(StoreUnavailableError);

    server.start();
    await expect
      .poll(() => contentOf(store).catch(() => undefined), { timeout: 30_000 })
      .toEqual(before);
    // It listens again by itself.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const toldBefore = told;
    const other = open('outage');
    await other.post('open', { id: 'later', at: 0, command: null });
    await expect.poll(() => told, { timeout: 30_000 }).toBeGreaterThan(toldBefore);
  });

  it('loses no append and duplicates none when connections are cut and the writer reads back', async () => {
    const store = open('cut');
    await store.create(headerOf('run'));
    const cut = { isOver: false };
    const cutting = (async () => {
      while (!cut.isOver) {
        await query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE application_name = 'planwright' AND state <> 'idle' AND pid <> pg_backend_pid()`,
        );
      }
    })();
    let count = 0;
    let refusals = 0;
    const readBack = async (): Promise<number> => {
      for (;;) {
        try {
          return (await store.read('run', count))?.entries.length ?? 0;
        } catch (error) {
          expect(error).toBeInstanceOf(StoreUnavailableError);
        }
      }
    };
    for (let round = 0; round < 150; round += 1) {
      try {
        await store.append('run', count, entriesFrom(count, count + 1));
        count += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(StoreUnavailableError);
        refusals += 1;
        count += await readBack();
      }
    }
    cut.isOver = true;
    await cutting;
    expect(count).toBeGreaterThan(0);
    expect(refusals).toBeGreaterThan(0);
    expect((await store.read('run'))?.entries).toEqual(entriesFrom(0, count));
  });

  it('creates its tables once under concurrent opens', async () => {
    const several = Array.from({ length: 4 }, () => open('together'));
    await Promise.all(several.map(async (store, index) => store.create(headerOf(`run-${index}`))));
    expect(await several[0]?.list()).toHaveLength(4);
  });

  it('needs no right to create tables once they exist', async () => {
    await open('granted').create(headerOf('run'));
    await query(`
      CREATE ROLE worker LOGIN;
      GRANT USAGE ON SCHEMA granted TO worker;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA granted TO worker;`);
    const worker = open('granted', server.url.replace('planwright@', 'worker@'));
    await fillStore(worker);
    await worker.delete('ended');
    expect(await worker.list()).toHaveLength(2);
    const elsewhere = open('forbidden', server.url.replace('planwright@', 'worker@'));
    await expect(elsewhere.list()).rejects.toBeInstanceOf(StoreUnavailableError);
  });

  it('refuses tables of a later version, and those of another program, and does not change them', async () => {
    await open('newer').create(headerOf('run'));
    await query('INSERT INTO newer.versions (version) VALUES (2)');
    await expect(open('newer').list()).rejects.toMatchObject({ reason: 'newer' });
    await query('CREATE SCHEMA shop; CREATE TABLE shop.runs (id integer)');
    await expect(open('shop').list()).rejects.toMatchObject({ reason: 'foreign' });
    await expect(query('SELECT id FROM shop.runs')).resolves.toBeUndefined();
    await expect(query('SELECT 1 FROM shop.versions')).rejects.toThrow('does not exist');
  });

  it.each([
    ['a lost entry', `DELETE FROM torn.entries WHERE sequence = 3`],
    ['lost last entries', `DELETE FROM torn.entries WHERE sequence > 9`],
    [
      'the lost end of an unfinished journal',
      `DELETE FROM torn.entries WHERE sequence = 7 AND run_id = 'open'`,
    ],
    ['a whole unfinished journal that is lost', `DELETE FROM torn.entries WHERE run_id = 'open'`],
    [
      'an entry that is another',
      `UPDATE torn.entries SET body = '{}' WHERE sequence = 7 AND run_id = 'open'`,
    ],
    ['an entry of another time', `UPDATE torn.entries SET at = at + interval '1 second'`],
    ['an entry of another kind', `UPDATE torn.entries SET kind = 'answered'`],
    [
      'an entry too many',
      `INSERT INTO torn.entries SELECT run_id, 8, at, kind, body FROM torn.entries WHERE sequence = 7 AND run_id = 'open'`,
    ],
    ['a header that is no object', `UPDATE torn.runs SET header = '7'`],
    ['a missing table', 'DROP TABLE torn.states'],
  ])('detects damage when it reads: %s', async (_name, sql) => {
    await query('DROP SCHEMA IF EXISTS torn CASCADE');
    const store = open('torn');
    await fillStore(store);
    await query(sql);
    await expect(contentOf(store)).rejects.toBeInstanceOf(JournalCorruptError);
  });

  it('is shared by two processes of a service: the example of docs/stores.md', async () => {
    const [one, other] = [openService(server.url), openService(server.url)];
    const plan = { steps: [{ id: 'one', agent: 'worker', task: 'Do it' }] };
    const report = await one.orchestrator.start({ goal: 'One part', runId: 'part', plan }).done;
    expect(report.status).toBe('completed');
    const seen = await other.orchestrator.resume('part');
    expect(await seen.done).toEqual(report);
    await one.close();
    await other.close();
  });

  it('reports all issues of its options', () => {
    const options = { url: 'localhost', schema: 'a"; drop', maxConnections: 0, timeoutMs: 0.5 };
    expect(() => postgresStore(options)).toThrow(ConfigurationError);
    expect(() => postgresStore(options)).toThrow(/url[^]*schema[^]*maxConnections[^]*timeoutMs/);
  });

  it('is unavailable without a server, and with a wrong password', async () => {
    const absent = open('any', 'postgres://localhost:1/absent');
    await expect(absent.list()).rejects.toBeInstanceOf(StoreUnavailableError);
    const unknown = open('any', server.url.replace('/postgres?', '/absent?'));
    await expect(unknown.create(headerOf('run'))).rejects.toBeInstanceOf(StoreUnavailableError);
  });
});
