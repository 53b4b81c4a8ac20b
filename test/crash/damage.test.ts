import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

import Database from 'libsql';
import { afterAll, describe, expect, it } from 'vitest';

import { PlanwrightError } from '../../src/errors.js';
import type { RunReport } from '../../src/journal/report.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore, StoredEntry, StoredRun } from '../../src/model/run-store.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { sqliteStore } from '../../src/services/stores/sqlite/sqlite-store.js';
import { agreeTo, referenceTeam } from '../run/reference-run.js';
import { jsonCopy } from '../run/runs.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { temporaryFolder } from '../stores/temporary-folder.js';
import { timeless } from './restarts.js';

/*
 * Damaged journals, and full disks. A damaged journal is refused with a typed error or gives the same report; it
 * never starts over, and it is not changed.
 */

expectNothingUnhandled();

const folder = temporaryFolder();
afterAll(folder.dispose);

/** A random generator with a fixed seed. */
const chance = (seed: number) => {
  let state = seed >>> 0;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

interface Judged {
  readonly outcome: 'same' | 'refused';
  readonly calls: number;
}

/** Resumes a run and returns the outcome. Anything but the same report or a typed refusal fails the test. */
const judge = async (
  store: RunStore,
  lastAt: number,
  expected: RunReport,
  earlier: ReadonlySet<string>,
): Promise<Judged> => {
  const clock = virtualClock({ startMs: lastAt });
  const calls: string[] = [];
  const orchestrator = composeOrchestrator(
    { ...referenceTeam(clock, calls), store: store, durability: { leaseMs: 60_000 } },
    undefined,
  );
  try {
    const run = await orchestrator.resume('run');
    agreeTo(run, clock);
    await clock.runUntil(run.done);
    expect(timeless(await run.done)).toEqual(timeless(expected));
    expect(
      calls.filter((key) => earlier.has(key)),
      'answered calls that were made again',
    ).toEqual([]);
    return { outcome: 'same', calls: calls.length };
  } catch (error) {
    if (!PlanwrightError.isInstance(error)) throw error;
    expect(calls, 'a refused run calls no agent').toEqual([]);
    return { outcome: 'refused', calls: 0 };
  }
};

/** The reference run: its report, and a store that has its first half. */
const halfWay = async () => {
  const clock = virtualClock();
  const whole = memoryStore();
  const orchestrator = composeOrchestrator(
    { ...referenceTeam(clock, []), store: whole },
    undefined,
  );
  const run = orchestrator.start({ goal: 'The goal of the run', runId: 'run' });
  agreeTo(run, clock);
  await clock.runUntil(run.done);
  const stored = await whole.read('run');
  if (stored === undefined) throw new Error('The run is stored');
  const count = Math.floor(stored.entries.length / 2);
  const entries = stored.entries.slice(0, count);
  const earlier = new Set(
    run
      .journal()
      .slice(0, count)
      .flatMap(({ facts }) => facts)
      .flatMap((fact) =>
        fact.type === 'agent.answered' || fact.type === 'agent.failed' ? [fact.key] : [],
      ),
  );
  return { report: await run.done, header: stored.header, entries, earlier };
};

describe('a damaged journal', () => {
  it('is refused unchanged, or gives the same report: 700 SQLite files', async () => {
    const { report, header, entries, earlier } = await halfWay();
    const original = folder.newPath();
    const store = sqliteStore({ path: original });
    await store.create(header);
    await store.append('run', 0, entries);
    await store.close?.();
    const bytes = readFileSync(original);
    const random = chance(7);
    const outcomes = { same: 0, refused: 0 };
    for (let round = 0; round < 700; round += 1) {
      const path = folder.newPath();
      const isTruncated = round % 7 === 0;
      const damaged = isTruncated ? bytes.subarray(0, random(bytes.length)) : Buffer.from(bytes);
      if (!isTruncated) {
        for (let flips = 1 + random(4); flips > 0; flips -= 1)
          damaged[random(bytes.length)] = random(256);
      }
      writeFileSync(path, damaged);
      const lastAt = entries.at(-1)?.at ?? 0;
      const judged = await judgeFile(path, lastAt, report, earlier);
      outcomes[judged.outcome] += 1;
      if (judged.outcome === 'refused') {
        if (readFileSync(path).equals(damaged)) continue;
        // It has a released claim; the journal is unchanged.
        writeFileSync(`${path}.damaged`, damaged);
        expect(entriesIn(path), `round ${round}`).toEqual(entriesIn(`${path}.damaged`));
      }
    }
    expect(outcomes.refused).toBeGreaterThan(100);
    expect(outcomes.same).toBeGreaterThan(10);
  }, 300_000);

  it('gives the same report, and one warning, when only the stored state is damaged', async () => {
    const { report, header, entries } = await halfWay();
    const path = folder.newPath();
    const store = sqliteStore({ path });
    await store.create(header);
    await store.append('run', 0, entries, { state: { no: 'state of ours' } });
    for (const damage of [
      'SELECT 1',
      "UPDATE states SET body = substr(body, 1, 9) || '#'",
      'UPDATE states SET sequence = 1000',
      'UPDATE states SET checksum = checksum + 1',
    ]) {
      const file = new Database(path);
      file.exec(damage);
      file.close();
      // Each of them continues with its own copy.
      const copy = folder.newPath();
      copyFileSync(path, copy);
      if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
      const clock = virtualClock({ startMs: entries.at(-1)?.at ?? 0 });
      const errors: unknown[] = [];
      const damaged = sqliteStore({ path: copy });
      const orchestrator = composeOrchestrator(
        {
          ...referenceTeam(clock, []),
          store: damaged,
          onError: (error) => errors.push(error),
        },
        undefined,
      );
      const run = await orchestrator.resume('run');
      agreeTo(run, clock);
      await clock.runUntil(run.done);
      expect(timeless(await run.done), damage).toEqual(timeless(report));
      expect(errors, damage).toMatchObject([{ code: 'journal-corrupt', reason: 'torn' }]);
      await damaged.close?.();
    }
    await store.close?.();
  });

  it('is refused unchanged, or gives the same report: 300 journals in JSON', async () => {
    const { report, header, entries, earlier } = await halfWay();
    const text = JSON.stringify({ header, entries, ended: false });
    const random = chance(11);
    const outcomes = { same: 0, refused: 0, unreadable: 0 };
    for (let round = 0; round < 300; round += 1) {
      const position = random(text.length);
      const letter = String.fromCharCode(32 + random(95));
      const damaged =
        round % 5 === 0
          ? dropEntry(text, random)
          : `${text.slice(0, position)}${letter}${text.slice(position + 1)}`;
      const stored = parsed(damaged);
      if (stored === undefined) {
        outcomes.unreadable += 1;
        continue;
      }
      const store = storeOf(stored);
      const before = JSON.stringify(await store.read('run'));
      const { outcome } = await judge(store, entries.at(-1)?.at ?? 0, report, earlier);
      outcomes[outcome] += 1;
      if (outcome === 'refused') expect(JSON.stringify(await store.read('run'))).toBe(before);
    }
    expect(outcomes.refused).toBeGreaterThan(100);
  }, 300_000);
});

/** The rows of all journals in a file; the error where they cannot be read. */
const entriesIn = (path: string): unknown => {
  try {
    const database = new Database(path, { readonly: true });
    const rows: unknown = database
      .prepare('SELECT hex(run_id), sequence, at, hex(kind), hex(body), checksum FROM entries')
      .all();
    database.close();
    return rows;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
};

const judgeFile = async (
  path: string,
  lastAt: number,
  report: RunReport,
  earlier: ReadonlySet<string>,
): Promise<Judged> => {
  let store: RunStore | undefined;
  try {
    store = sqliteStore({ path });
    return await judge(store, lastAt, report, earlier);
  } catch (error) {
    if (!PlanwrightError.isInstance(error)) throw error;
    return { outcome: 'refused', calls: 0 };
  } finally {
    await store?.close?.();
  }
};

const parsed = (text: string): StoredRun | undefined => {
  try {
    return JSON.parse(text) as StoredRun;
  } catch {
    return undefined;
  }
};

/** An entry in the middle is missing, and the others keep their numbers. */
const dropEntry = (text: string, random: (below: number) => number): string => {
  const stored = JSON.parse(text) as { entries: StoredEntry[] };
  // Without its last entry a journal is only shorter.
  stored.entries.splice(random(stored.entries.length - 1), 1);
  return JSON.stringify(stored);
};

/** A writable store with exactly this content. */
const storeOf = (stored: StoredRun): RunStore => {
  const inner = memoryStore();
  let isTaken = false;
  let isWritten = false;
  return {
    ...inner,
    // Entries that are added later are valid.
    read: (runId, from) => (isWritten ? inner.read(runId, from) : jsonCopy(stored)),
    append: (...parameters) => {
      isWritten = true;
      return inner.append(...parameters);
    },
    claim: (runId, owner, now) => {
      if (!isTaken) {
        void inner.create({ ...stored.header, runId });
        void inner.append(runId, 0, stored.entries);
        isTaken = true;
      }
      return inner.claim(runId, owner, now);
    },
  };
};

describe('a full disk', () => {
  it('ends the run with the reason, makes no call that is not durable, and allows resuming when there is space', async () => {
    const prototype = Database.prototype as Pick<Database.Database, 'exec'>;
    const { exec } = prototype;
    const connections = new Set<Database.Database>();
    prototype.exec = function (this: Database.Database, sql: string) {
      connections.add(this);
      return exec.call(this, sql);
    };
    try {
      const path = folder.newPath();
      const store = sqliteStore({ path });
      const limitPages = (pages: number): void => {
        for (const connection of connections) {
          try {
            connection.prepare(`PRAGMA max_page_count = ${pages}`).all();
          } catch {
            // A connection that was closed.
          }
        }
      };
      const calls: string[] = [];
      const worker = agentNamed('worker', ({ key }) => {
        calls.push(key);
        // From the second step on there is no space left.
        if (calls.length === 2) limitPages(1);
        return Array.from({ length: 2_000 }, (_, index) => `${key}-${index}`).join();
      });
      const errors: unknown[] = [];
      const orchestrator = composeOrchestrator(
        { agents: [worker], store, onError: (error) => errors.push(error) },
        undefined,
      );
      const plan = { steps: steps('a', 'b<a', 'c<b', 'd<c') };
      const report = await orchestrator.start({ goal: 'The goal', runId: 'run', plan }).done;
      expect(report.status).toBe('detached');
      expect(report.reason).toMatch(/^store-unavailable: /);
      expect(errors.every((error) => PlanwrightError.isInstance(error))).toBe(true);
      expect(calls, 'no call was made after the failed write').toEqual([
        'run/a/1/worker',
        'run/b/1/worker',
      ]);

      limitPages(1_000_000);
      const run = await orchestrator.resume('run');
      expect((await run.done).status).toBe('completed');
      expect(calls.slice(2)).toEqual(['run/b/1/worker', 'run/c/1/worker', 'run/d/1/worker']);
      await store.close?.();
    } finally {
      prototype.exec = exec;
    }
  });

  it('leaves a copy of the file readable at every moment', async () => {
    const path = folder.newPath();
    const store = sqliteStore({ path });
    const { header, entries } = await halfWay();
    await store.create(header);
    for (const entry of entries.slice(0, 5))
      await store.append('run', entry.sequence, [entry] as never);
    const copy = folder.newPath();
    copyFileSync(path, copy);
    copyFileSync(`${path}-wal`, `${copy}-wal`);
    const copied = sqliteStore({ path: copy });
    expect((await copied.read('run'))?.entries).toEqual(entries.slice(0, 5));
    await copied.close?.();
    await store.close?.();
  });
});
