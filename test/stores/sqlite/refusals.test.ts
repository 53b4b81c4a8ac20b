import { copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import Database from 'libsql';
import { afterAll, describe, expect, it } from 'vitest';

import {
  ConfigurationError,
  JournalCorruptError,
  PlanwrightError,
  StoreUnavailableError,
} from '../../../src/errors.js';
import { sqliteStore } from '../../../src/services/stores/sqlite/index.js';
import { contentOf, fillStore, headerOf } from '../stored-runs.js';
import type { NotedEntry } from '../stored-runs.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
afterAll(folder.dispose);

const filled = async (): Promise<string> => {
  const path = folder.newPath();
  const store = sqliteStore<NotedEntry>({ path });
  await fillStore(store);
  await store.close?.();
  return path;
};

const refusal = (path: string): unknown => {
  try {
    sqliteStore({ path });
  } catch (error) {
    return error;
  }
  return undefined;
};

/** The file is refused for this reason, twice, and its bytes are unchanged. */
const expectRefused = (path: string, reason: string): void => {
  const before = readFileSync(path);
  for (const time of ['once', 'twice']) {
    const error = refusal(path);
    expect(error, time).toBeInstanceOf(JournalCorruptError);
    expect(error).toMatchObject({ code: 'journal-corrupt', reason });
    expect((error as Error).message).toContain(path);
  }
  expect(readFileSync(path).equals(before)).toBe(true);
};

const changedBy = async (sql: string): Promise<string> => {
  const path = await filled();
  const database = new Database(path);
  database.exec(sql);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  return path;
};

describe('sqliteStore refuses, and does not change,', () => {
  it.each([
    ['an empty file', '', 'torn'],
    ['a text', 'Dear diary, today I was not a database. '.repeat(200), 'foreign'],
    ['JSON', '{}', 'foreign'],
    ['null', 'null', 'foreign'],
    ['a web page', '<!doctype html><title>404</title>'.repeat(40), 'foreign'],
  ])('%s', (_name, content, reason) => {
    const path = folder.newPath();
    writeFileSync(path, content);
    expectRefused(path, reason);
  });

  it('a folder, and a file in a folder that does not exist, with what to pass instead', () => {
    const path = dirname(folder.newPath());
    expect(refusal(path)).toBeInstanceOf(ConfigurationError);
    expect((refusal(path) as Error).message).toContain(
      `'${path}' is a folder: pass the path of a file in it, such as '${join(path, 'runs.db')}'`,
    );
    const missing = join(path, 'missing', 'runs.db');
    expect((refusal(missing) as Error).message).toContain(
      `there is no folder '${dirname(missing)}'. Create it first`,
    );
  });

  it('other options than a path', () => {
    expect(() => sqliteStore('runs.db' as never)).toThrow("sqliteStore({ path: 'runs.db' })");
    expect(() => sqliteStore({ file: 'runs.db' } as never)).toThrow('There is no option `file`');
  });

  it('an SQLite file of another program', () => {
    const path = folder.newPath();
    const database = new Database(path);
    database.exec('CREATE TABLE runs (id INTEGER PRIMARY KEY); INSERT INTO runs VALUES (1)');
    database.close();
    expectRefused(path, 'foreign');
  });

  it('a file of a later version', async () => {
    expectRefused(await changedBy('PRAGMA user_version = 2'), 'newer');
  });

  it.each([
    ['without a version', 'PRAGMA user_version = 0'],
    ['without its journals', 'DROP TABLE entries'],
    ['with a table that is not ours', 'CREATE TABLE more (id INTEGER PRIMARY KEY)'],
    ['with a run that was changed', `UPDATE runs SET ended_at = 1 WHERE run_id = 'open'`],
    ['with a goal that was changed', `UPDATE runs SET goal = 'Another' WHERE run_id = 'open'`],
    ['with a run under another name', `UPDATE runs SET run_id = 'hidden' WHERE run_id = 'open'`],
    ['with a header that was changed', `UPDATE runs SET header = '{}' WHERE run_id = 'open'`],
  ])('a file %s', async (_name, sql) => {
    expectRefused(await changedBy(sql), 'torn');
  });

  it('a file cut off at any page, and in the middle of one', async () => {
    const whole = await filled();
    const { length } = readFileSync(whole);
    for (let size = 1_000; size < length; size += 3_096) {
      const path = folder.newPath();
      copyFileSync(whole, path);
      truncateSync(path, size);
      expect(refusal(path), `${size} of ${length} bytes`).toBeInstanceOf(JournalCorruptError);
      expect(readFileSync(path).length).toBe(size);
    }
  });

  it('a file of a later version whose writer has died, log included', async () => {
    const path = await filled();
    const database = new Database(path);
    database.exec('PRAGMA user_version = 2');
    const copy = folder.newPath();
    for (const suffix of ['', '-wal']) copyFileSync(`${path}${suffix}`, `${copy}${suffix}`);
    const log = readFileSync(`${copy}-wal`);
    expect(log.length).toBeGreaterThan(0);
    expectRefused(copy, 'newer');
    expect(readFileSync(`${copy}-wal`).equals(log)).toBe(true);
    database.close();
  });
});

describe('sqliteStore detects damage in a journal when it is read:', () => {
  it.each([
    ['a changed entry', `UPDATE entries SET body = replace(body, '3 ', '4 ')`],
    ['an entry of another kind', `UPDATE entries SET kind = 'answered'`],
    ['an entry of another time', 'UPDATE entries SET at = at + 1'],
    ['a lost entry', 'DELETE FROM entries WHERE sequence = 3'],
    ['a moved entry', 'UPDATE entries SET sequence = 100 WHERE sequence = 7'],
    ['a command of another time', 'UPDATE commands SET posted_at = 7'],
    ['a changed command', `UPDATE commands SET body = replace(body, 'say', 'abort')`],
    ['a swapped command', `UPDATE commands SET command_id = command_id || 'x'`],
  ])('%s', async (_name, sql) => {
    const store = sqliteStore<NotedEntry>({ path: await changedBy(sql) });
    await expect(contentOf(store)).rejects.toMatchObject({
      code: 'journal-corrupt',
      reason: 'torn',
    });
    await store.close?.();
  });

  it.each([
    ['a changed state', `UPDATE states SET body = '{}'`],
    ['a state for another position', 'UPDATE states SET sequence = 3'],
  ])('%s: the state is omitted, and the entries are returned', async (_name, sql) => {
    const store = sqliteStore<NotedEntry>({ path: await changedBy(sql) });
    const run = await store.read('open');
    expect(run?.entries).toHaveLength(8);
    expect(run?.state).toEqual({ sequence: 0, body: null });
    await store.close?.();
  });

  it.each([
    ['ended', 11],
    ['open', 7],
  ])('the loss of the last entries of the run %s', async (runId, sequence) => {
    const path = await changedBy(
      `DELETE FROM entries WHERE run_id = '${runId}' AND sequence = ${sequence}`,
    );
    const store = sqliteStore({ path });
    expect(() => store.read(runId)).toThrow(JournalCorruptError);
    await store.close?.();
  });
});

describe('sqliteStore on a path', () => {
  it.each(['', 'a\0b', 7, undefined])('that is invalid (%j) is refused', (path) => {
    expect(() => sqliteStore({ path: path as string })).toThrow(ConfigurationError);
  });

  it('in a missing folder is unavailable, and does not create it', () => {
    const path = `${folder.path}/missing/runs.db`;
    expect(() => sqliteStore({ path })).toThrow(StoreUnavailableError);
    expect(existsSync(`${folder.path}/missing`)).toBe(false);
  });

  it('that is a folder is unavailable', () => {
    expect(refusal(folder.path)).toSatisfy(PlanwrightError.isInstance);
  });

  it('that looks like a URI or an address is a file of that name', async () => {
    for (const name of ['file:memory?mode=memory', 'a%20b #1?.db', "it's.db"]) {
      const path = `${folder.path}/${name}`;
      const store = sqliteStore<NotedEntry>({ path });
      await store.create(headerOf('run'));
      await store.close?.();
      expect(existsSync(path), name).toBe(true);
      const again = sqliteStore<NotedEntry>({ path });
      expect(await again.read('run')).toBeDefined();
      await again.close?.();
    }
  });
});
