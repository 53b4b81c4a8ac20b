import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { StoreUnavailableError } from '../../../src/errors.js';
import { createOrchestrator, definePolicy, defineAgent } from '../../../src/index.js';
import { sqliteStore } from '../../../src/services/stores/sqlite/index.js';
import { entriesFrom, headerOf } from '../stored-runs.js';
import type { NotedEntry } from '../stored-runs.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
afterAll(folder.dispose);

/** Every byte that belongs to a store. */
const bytesOf = (path: string): Buffer =>
  Buffer.concat(
    ['', '-wal', '-journal']
      .map((suffix) => `${path}${suffix}`)
      .filter((file) => existsSync(file))
      .map((file) => readFileSync(file)),
  );

describe('the file of sqliteStore', () => {
  it('is readable by its owner only', async () => {
    const path = folder.newPath();
    const store = sqliteStore<NotedEntry>({ path });
    await store.create(headerOf('run'));
    for (const suffix of ['', '-wal'])
      expect(statSync(`${path}${suffix}`).mode & 0o777).toBe(0o600);
    await store.close?.();
  });

  it('is the only file left, and complete without a log, when the store is closed', async () => {
    const path = folder.newPath();
    const store = sqliteStore<NotedEntry>({ path });
    await store.create(headerOf('run'));
    await store.append('run', 0, entriesFrom(0, 5));
    await store.close?.();
    const copy = folder.newPath();
    writeFileSync(copy, readFileSync(path));
    const other = sqliteStore<NotedEntry>({ path: copy });
    expect((await other.read('run'))?.entries).toEqual(entriesFrom(0, 5));
    await other.close?.();
  });

  it('is created without leaving a draft, and old drafts of dead processes are removed', async () => {
    const path = folder.newPath();
    const [old, young] = [`${path}.new-0`, `${path}.new-1`];
    for (const draft of [old, young]) writeFileSync(draft, 'half a file');
    utimesSync(old, 1_000, 1_000);
    await sqliteStore<NotedEntry>({ path }).close?.();
    const drafts = readdirSync(folder.path).filter((name) => name.includes('.new-'));
    expect(drafts).toEqual([basename(young)]);
  });

  it('has no byte of a deleted run', async () => {
    const path = folder.newPath();
    const store = sqliteStore<NotedEntry>({ path });
    const canary = 'canary-3f1c9a';
    for (const runId of ['kept', canary]) {
      await store.create({ ...headerOf(runId), plan: { secret: `${runId} in the plan` } });
      const note = `${runId} in an entry`.repeat(500);
      await store.append(runId, 0, [{ sequence: 0, at: 0, kind: 'noted', note }], {
        state: `${runId} in a state`,
      });
      await store.post(runId, { id: `${runId} in an id`, at: 0, command: `${runId} in a command` });
    }
    expect(bytesOf(path).includes(canary)).toBe(true);
    await store.delete(canary);
    expect(bytesOf(path).includes(canary)).toBe(false);
    expect(bytesOf(path).includes('kept in an entry')).toBe(true);
    await store.close?.();
  });

  it('cannot be used after the store is closed', async () => {
    const store = sqliteStore<NotedEntry>({ path: folder.newPath() });
    await store.close?.();
    expect(() => store.create(headerOf('run'))).toThrow(StoreUnavailableError);
    expect(() => store.read('run')).toThrow(StoreUnavailableError);
  });
});

describe('bytes that sqliteStore writes', () => {
  it('per step do not grow with the number of steps', async () => {
    const bytesPerStep: number[] = [];
    const logBytesPerStep: number[] = [];
    for (const stepCount of [50, 100, 200, 400]) {
      const path = folder.newPath();
      const store = sqliteStore<NotedEntry>({ path });
      await store.create(headerOf('run'));
      const [fileBefore, logBefore] = [statSync(path).size, statSync(`${path}-wal`).size];
      for (let step = 0; step < stepCount; step += 1) {
        await store.append('run', step, entriesFrom(step, step + 1, 1_150));
      }
      logBytesPerStep.push((statSync(`${path}-wal`).size - logBefore) / stepCount);
      await store.close?.();
      bytesPerStep.push((statSync(path).size - fileBefore) / stepCount);
    }
    const [first = 0, ...others] = bytesPerStep;
    for (const bytes of others) expect(bytes).toBeLessThan(1.1 * first);
    // 1,200 bytes of entry, and the overhead of SQLite.
    expect(Math.max(...bytesPerStep)).toBeLessThan(1_500);
    // Pages of 4 KiB: those of the entry, of its index and of the run's row, and occasionally a new one and its
    // parent.
    expect(Math.max(...logBytesPerStep)).toBeLessThan(4 * 4_120);
  });
});

describe('a run in an SQLite file', () => {
  it('is available to the next process, which repeats no call', async () => {
    const path = folder.newPath();
    const calls: string[] = [];
    const open = () => {
      const store = sqliteStore({ path });
      const worker = defineAgent({
        name: 'worker',
        description: 'Works',
        run: ({ key }) => {
          calls.push(key);
          return `did ${key}`;
        },
      });
      const policy = definePolicy({ approval: { plan: true } });
      return { store, orchestrator: createOrchestrator({ agents: [worker], store, policy }) };
    };
    const plan = { steps: [{ id: 'one', agent: 'worker', task: 'Do it' }] } as const;
    const first = open();
    first.orchestrator.start({ goal: 'One part', runId: 'part', plan });
    await first.orchestrator.close();
    await first.store.close?.();
    expect(calls).toEqual([]);

    const second = open();
    const run = await second.orchestrator.resume('part');
    const [request] = run.record().approvals;
    expect(await run.approve(request?.requestId ?? '')).toEqual({ accepted: true });
    expect(await run.done).toMatchObject({ status: 'completed' });
    expect(calls).toEqual(['part/one/1/worker']);
    await second.orchestrator.close();
    await second.store.close?.();

    const third = open();
    const ended = await third.orchestrator.resume('part');
    expect(await ended.done).toEqual(await run.done);
    expect(calls).toHaveLength(1);
    await third.store.close?.();
  });
});
