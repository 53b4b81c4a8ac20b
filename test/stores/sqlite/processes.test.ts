import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import Database from 'libsql';
import { afterAll, describe, expect, it } from 'vitest';

import { StoreUnavailableError } from '../../../src/errors.js';
import { sqliteStore } from '../../../src/services/stores/sqlite/index.js';
import { runProcess } from '../../faults/time-own-process.js';
import type { NotedEntry } from '../stored-runs.js';
import { entriesFrom, headerOf } from '../stored-runs.js';
import { temporaryFolder } from '../temporary-folder.js';
import type { Wins } from './racing-process.js';

const folder = temporaryFolder();
afterAll(folder.dispose);

const ROUNDS = 150;
const racingProcess = new URL('racing-process.ts', import.meta.url);

describe('several processes on one SQLite file', () => {
  it('create it once, and every race has exactly one winner', async () => {
    const path = folder.newPath();
    const names = ['one', 'two', 'three'];
    const results = await Promise.all(
      names.map((name) => runProcess(racingProcess, path, name, `${ROUNDS}`)),
    );
    const wins = results.map(([said]) => said as Wins);
    const sum = (kind: keyof Wins): number => wins.reduce((total, each) => total + each[kind], 0);
    expect(sum('creates')).toBe(ROUNDS);
    expect(sum('claims')).toBe(ROUNDS);

    const store = sqliteStore<NotedEntry>({ path });
    const entries = (await store.read('shared'))?.entries ?? [];
    // A process that is behind finds every position taken, and one that is ahead finds it missing: no position twice.
    expect(entries).toHaveLength(sum('appends'));
    expect(entries.map(({ sequence }) => sequence)).toEqual([...entries.keys()]);
    expect(await store.inbox('shared')).toHaveLength(names.length * ROUNDS);
    await store.close?.();
  });
});

/** A separate disk, small enough to be full soon. Only root may create one. */
const smallDisk = (path: string): boolean => {
  mkdirSync(path);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400k', 'tmpfs', path], { stdio: 'pipe' });
    return true;
  } catch {
    process.stdout.write(
      `SKIPPED: the tests on a full disk, because this user may not mount one.\n`,
    );
    return false;
  }
};

const disk = join(folder.path, 'disk');
const hasDisk = smallDisk(disk);
afterAll(() => {
  if (hasDisk) execFileSync('umount', ['--lazy', disk]);
});

describe.skipIf(!hasDisk)('a full disk', () => {
  it('refuses the next append with a typed error, keeps earlier entries, and works again with room', async () => {
    const path = join(disk, 'runs.db');
    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, Buffer.alloc(60_000));
    const store = sqliteStore<NotedEntry>({ path });
    await store.create(headerOf('run'));
    await store.post('run', { id: 'a', at: 0, command: 'a' });
    let count = 0;
    const append = (): unknown =>
      store.append('run', count, entriesFrom(count, count + 1, 4_000), { state: { count } });
    expect(() => {
      for (; count < 1_000; count += 1) append();
    }).toThrow(StoreUnavailableError);
    expect(count).toBeGreaterThan(5);

    const taking = (): unknown =>
      store.append('run', count, entriesFrom(count, count + 30, 4_000), {
        taken: [{ id: 'a', answer: null }],
        ended: true,
      });
    expect(taking).toThrow(StoreUnavailableError);
    const full = await store.read('run');
    expect(full).toMatchObject({ ended: false, state: { sequence: count } });
    expect(full?.entries).toEqual(entriesFrom(0, count, 4_000));
    expect(await store.inbox('run')).toHaveLength(1);

    rmSync(ballast);
    append();
    expect((await store.read('run'))?.entries).toHaveLength(count + 1);
    await store.close?.();
  });

  it('has no room for a new file, and leaves no partial one', () => {
    const ballast = join(disk, 'ballast');
    rmSync(join(disk, 'runs.db'), { force: true });
    expect(() => {
      for (let index = 0; ; index += 1) writeFileSync(`${ballast}-${index}`, Buffer.alloc(16_000));
    }).toThrow('ENOSPC');
    expect(() => sqliteStore({ path: join(disk, 'new.db') })).toThrow(StoreUnavailableError);
    expect(readdirSync(disk).filter((name) => name.startsWith('new.db'))).toEqual([]);
  });
});

describe('a file that another connection locks', () => {
  it('does not block the event loop: calls wait for it, and each is executed once', async () => {
    const path = folder.newPath();
    const store = sqliteStore<NotedEntry>({ path });
    await store.create(headerOf('run'));
    const other = new Database(path);
    other.exec('BEGIN IMMEDIATE');
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 1);
    const appended = store.append('run', 0, entriesFrom(0, 1));
    const posted = store.post('run', { id: 'a', at: 0, command: null });
    expect(appended).toBeInstanceOf(Promise);
    while (ticks < 20) await new Promise((resolve) => setTimeout(resolve, 1));
    other.exec('COMMIT');
    await Promise.all([appended, posted]);
    clearInterval(ticking);
    expect((await store.read('run'))?.entries).toEqual(entriesFrom(0, 1));
    expect(await store.inbox('run')).toHaveLength(1);
    other.close();
    await store.close?.();
  });
});

describe.skipIf(!existsSync('/proc/self/fd'))('a closed store', () => {
  it('keeps no descriptor once its statements are collected, though the store is referenced', async () => {
    const collect = collector();
    const path = folder.newPath();
    const open = (): number =>
      readdirSync('/proc/self/fd').filter((descriptor) => {
        try {
          return readlinkSync(`/proc/self/fd/${descriptor}`).includes(path);
        } catch {
          return false;
        }
      }).length;
    const kept = Array.from({ length: 10 }, () => sqliteStore({ path }));
    expect(open()).toBeGreaterThan(10);
    for (const store of kept) await store.close?.();
    for (let round = 0; round < 100 && open() > 0; round += 1) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(open()).toBe(0);
    expect(kept).toHaveLength(10);
  });
});

/** Collects garbage in a process that was started without a flag for it. */
const collector = (): (() => void) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return collect;
};
