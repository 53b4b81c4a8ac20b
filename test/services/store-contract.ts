import { describe, expect, it } from 'vitest';

import {
  ConfigurationError,
  InboxFullError,
  RunConflictError,
  RunNotFoundError,
} from '../../src/errors.js';
import type {
  RunHeader,
  RunStore,
  StoredCommand,
  StoredEntry,
} from '../../src/services/run-store.js';

interface TestEntry extends StoredEntry {
  readonly note: string;
}

type CreateStore = () => RunStore<TestEntry> | Promise<RunStore<TestEntry>>;

const header = (runId: string): RunHeader => ({
  format: 1,
  runId,
  goal: `The goal of ${runId}`,
  policyFingerprint: '0123456789abcdef',
  startedAt: 1_000,
});

const entry = (sequence: number): TestEntry => ({
  sequence,
  at: 1_000 + sequence,
  note: `entry ${sequence} with "quotes", \u2028 and 😀`,
});

const entries = (from: number, to: number): TestEntry[] =>
  Array.from({ length: to - from }, (_item, index) => entry(from + index));

/**
 * What every store promises. Call it at the top level of a test file.
 *
 * @param createStore makes a store with nothing in it
 */
export function storeContract(name: string, createStore: CreateStore): void {
  describe(`${name}: journals`, () => {
    journalContract(createStore);
  });
  describe(`${name}: lists`, () => {
    listContract(createStore);
  });
  describe(`${name}: claims`, () => {
    claimContract(createStore);
  });
  describe(`${name}: inboxes`, () => {
    inboxContract(createStore);
  });
}

function journalContract(createStore: CreateStore): void {
  it('reads back what was created and appended, in order', async () => {
    const store = await createStore();
    await store.create(header('run'));
    expect(await store.read('run')).toEqual({ header: header('run'), entries: [], ended: false });
    await store.append('run', 0, entries(0, 2));
    await store.append('run', 2, []);
    await store.append('run', 2, entries(2, 5));
    const run = await store.read('run');
    expect(run).toEqual({ header: header('run'), entries: entries(0, 5), ended: false });
  });

  it('knows nothing of a run that was never created', async () => {
    const store = await createStore();
    expect(await store.read('run')).toBeUndefined();
    await refused(RunNotFoundError, () => store.append('run', 0, entries(0, 1)));
    expect(await store.read('run')).toBeUndefined();
  });

  it('refuses an id that is taken and keeps the first run', async () => {
    const store = await createStore();
    await store.create(header('run'));
    await store.append('run', 0, entries(0, 1));
    await refused(RunConflictError, () => store.create({ ...header('run'), goal: 'another' }));
    expect(await store.read('run')).toMatchObject({ header: header('run'), entries: [entry(0)] });
  });

  it('refuses entries for another length of the journal and adds none of them', async () => {
    const store = await createStore();
    await store.create(header('run'));
    await store.append('run', 0, entries(0, 2));
    for (const expected of [0, 1, 3, -1, Number.NaN]) {
      await refused(RunConflictError, () => store.append('run', expected, entries(2, 4)));
    }
    expect((await store.read('run'))?.entries).toEqual(entries(0, 2));
  });

  it('lets exactly one of two writers at once win', async () => {
    const store = await createStore();
    await store.create(header('run'));
    const results = await Promise.allSettled(
      [1, 2].map(async () => store.append('run', 0, entries(0, 1))),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await store.read('run'))?.entries).toEqual(entries(0, 1));
  });

  it('closes the journal of a run that has ended', async () => {
    const store = await createStore();
    await store.create(header('run'));
    await store.append('run', 0, entries(0, 1), { ended: true });
    expect((await store.read('run'))?.ended).toBe(true);
    await refused(RunConflictError, () => store.append('run', 1, entries(1, 2)));
    expect((await store.read('run'))?.entries).toEqual(entries(0, 1));
  });

  it('keeps runs apart', async () => {
    const store = await createStore();
    for (const runId of ['one', '__proto__', 'constructor']) {
      await store.create(header(runId));
      await store.append(runId, 0, entries(0, 1));
    }
    await store.append('one', 1, entries(1, 2));
    expect((await store.read('__proto__'))?.entries).toEqual(entries(0, 1));
    expect((await store.read('one'))?.entries).toEqual(entries(0, 2));
  });

  it('hands out what cannot change any more', async () => {
    const store = await createStore();
    await store.create(header('run'));
    const given = entries(0, 1);
    await store.append('run', 0, given);
    const before = await store.read('run');
    given.push(entry(7));
    await store.append('run', 1, entries(1, 2));
    expect(before?.entries).toEqual(entries(0, 1));
    expect(() => (before?.entries as TestEntry[]).push(entry(9))).toThrow();
    expect((await store.read('run'))?.entries).toEqual(entries(0, 2));
  });

  it('forgets a deleted run, whose id is free again', async () => {
    const store = await createStore();
    await store.create(header('run'));
    await store.append('run', 0, entries(0, 3));
    await store.delete('run');
    await store.delete('run');
    expect(await store.read('run')).toBeUndefined();
    expect(await store.list()).toEqual([]);
    await store.create(header('run'));
    expect((await store.read('run'))?.entries).toEqual([]);
  });

  it('takes a journal of ten thousand entries, one at a time', async () => {
    const store = await createStore();
    await store.create(header('run'));
    for (let sequence = 0; sequence < 10_000; sequence += 1) {
      await store.append('run', sequence, [entry(sequence)]);
    }
    const run = await store.read('run');
    expect(run?.entries).toHaveLength(10_000);
    expect(run?.entries.at(-1)).toEqual(entry(9_999));
  });
}

function listContract(createStore: CreateStore): void {
  const createRuns = async (): Promise<RunStore<TestEntry>> => {
    const store = await createStore();
    for (const runId of ['run-c', 'run-a', 'run-d', 'run-B']) await store.create(header(runId));
    await store.append('run-a', 0, entries(0, 3), { ended: true });
    await store.append('run-d', 0, entries(0, 1));
    return store;
  };

  it('lists all runs in the order of their ids, capitals first', async () => {
    const store = await createRuns();
    expect(await store.list()).toEqual([
      { header: header('run-B'), entryCount: 0, ended: false },
      { header: header('run-a'), entryCount: 3, ended: true },
      { header: header('run-c'), entryCount: 0, ended: false },
      { header: header('run-d'), entryCount: 1, ended: false },
    ]);
  });

  it('lists only the ended, or only the others', async () => {
    const store = await createRuns();
    const idsOf = async (ended: boolean): Promise<string[]> =>
      (await store.list({ ended })).map((run) => run.header.runId);
    expect(await idsOf(true)).toEqual(['run-a']);
    expect(await idsOf(false)).toEqual(['run-B', 'run-c', 'run-d']);
  });

  it('lists page by page, also when the last run of a page has gone since', async () => {
    const store = await createRuns();
    const page = async (after?: string): Promise<string[]> => {
      const runs = await store.list({ limit: 2, ...(after === undefined ? {} : { after }) });
      return runs.map((run) => run.header.runId);
    };
    expect(await page()).toEqual(['run-B', 'run-a']);
    await store.delete('run-a');
    expect(await page('run-a')).toEqual(['run-c', 'run-d']);
    expect(await page('run-d')).toEqual([]);
  });

  it('refuses a limit that is not a positive integer', async () => {
    const store = await createRuns();
    for (const limit of [0, -1, 1.5, Number.NaN, Infinity]) {
      await expect((async () => store.list({ limit }))()).rejects.toThrow(RangeError);
    }
  });
}

function claimContract(createStore: CreateStore): void {
  const createRun = async (): Promise<RunStore<TestEntry>> => {
    const store = await createStore();
    await store.create(header('run'));
    return store;
  };

  it('gives a run to one owner at a time', async () => {
    const store = await createRun();
    expect(await store.claim('run', 'first', 1_000, 0)).toEqual({
      token: expect.any(Number) as number,
      takeovers: 0,
    });
    expect(await store.claim('run', 'second', 1_000, 999)).toBeUndefined();
  });

  it('gives a run with a greater token to the next owner once the lease is over', async () => {
    const store = await createRun();
    const first = await store.claim('run', 'first', 1_000, 0);
    const second = await store.claim('run', 'second', 1_000, 1_000);
    expect(second?.token).toBeGreaterThan(first?.token ?? Infinity);
  });

  it('renews the lease of its owner, who keeps the token', async () => {
    const store = await createRun();
    const first = await store.claim('run', 'first', 1_000, 0);
    expect(await store.claim('run', 'first', 1_000, 800)).toEqual(first);
    expect(await store.claim('run', 'second', 1_000, 1_500)).toBeUndefined();
    expect(await store.claim('run', 'first', 1_000, 5_000)).toEqual(first);
  });

  it('lets nobody write but the owner', async () => {
    const store = await createRun();
    const claim = await store.claim('run', 'owner', 1_000, 0);
    const token = claim?.token ?? Number.NaN;
    await refused(RunConflictError, () => store.append('run', 0, entries(0, 1)));
    await refused(RunConflictError, () =>
      store.append('run', 0, entries(0, 1), { token: token + 1 }),
    );
    await store.append('run', 0, entries(0, 1), { token });
    expect((await store.read('run'))?.entries).toEqual(entries(0, 1));
  });

  it('stops the owner who was replaced, and not before', async () => {
    const store = await createRun();
    const first = (await store.claim('run', 'first', 1_000, 0))?.token ?? Number.NaN;
    await store.append('run', 0, entries(0, 1), { token: first });
    const second = (await store.claim('run', 'second', 1_000, 2_000))?.token ?? Number.NaN;
    await refused(RunConflictError, () => store.append('run', 1, entries(1, 2), { token: first }));
    await store.append('run', 1, entries(1, 2), { token: second });
    expect((await store.read('run'))?.entries).toEqual(entries(0, 2));
  });

  it('takes a claim back from its owner only', async () => {
    const store = await createRun();
    const first = (await store.claim('run', 'first', 1_000, 0))?.token ?? Number.NaN;
    await store.release('run', first + 1);
    expect(await store.claim('run', 'second', 1_000, 10)).toBeUndefined();
    await store.release('run', first);
    await refused(RunConflictError, () => store.append('run', 0, entries(0, 1), { token: first }));
    const second = await store.claim('run', 'second', 1_000, 20);
    expect(second?.token).toBeGreaterThan(first);
    await store.release('unknown', 1);
  });

  it('gives a new token to an owner who comes back', async () => {
    const store = await createRun();
    const first = (await store.claim('run', 'owner', 1_000, 0))?.token ?? Number.NaN;
    await store.release('run', first);
    expect((await store.claim('run', 'owner', 1_000, 0))?.token).toBeGreaterThan(first);
  });

  it('gives nobody a run that is unknown or has ended', async () => {
    const store = await createRun();
    expect(await store.claim('unknown', 'owner', 1_000, 0)).toBeUndefined();
    await store.append('run', 0, entries(0, 1), { ended: true });
    expect(await store.claim('run', 'owner', 1_000, 0)).toBeUndefined();
  });
}

function inboxContract(createStore: CreateStore): void {
  const command = (id: string): StoredCommand => ({ id, at: 5, command: { type: 'say', id } });
  const idsIn = async (store: RunStore<TestEntry>): Promise<string[]> =>
    (await store.inbox('run')).map(({ id }) => id);

  it('keeps commands in order, each once, until an append has taken them', async () => {
    const store = await createStore();
    await store.create(header('run'));
    for (const id of ['b', 'a', 'b', 'c']) await store.post('run', command(id));
    expect(await store.inbox('run')).toEqual([command('b'), command('a'), command('c')]);
    await store.append('run', 0, entries(0, 1), { taken: ['a', 'never posted'] });
    expect(await idsIn(store)).toEqual(['b', 'c']);
    await store.post('run', command('a'));
    expect(await idsIn(store)).toEqual(['b', 'c']);
  });

  it('takes nothing when the append is refused', async () => {
    const store = await createStore();
    await store.create(header('run'));
    await store.post('run', command('a'));
    await refused(RunConflictError, () =>
      store.append('run', 7, entries(7, 8), { taken: ['a'], state: { wrong: true } }),
    );
    expect(await idsIn(store)).toEqual(['a']);
    expect(await store.read('run')).toEqual({ header: header('run'), entries: [], ended: false });
  });

  it('refuses commands for an unknown run, an ended run and a full inbox', async () => {
    const store = await createStore();
    await refused(RunNotFoundError, () => store.post('run', command('a')));
    expect(await idsIn(store)).toEqual([]);
    await store.create(header('run'));
    for (let index = 0; index < 10_000; index += 1) await store.post('run', command(`${index}`));
    await refused(InboxFullError, () => store.post('run', command('a')));
    await store.append('run', 0, entries(0, 1), { ended: true });
    await refused(RunConflictError, () => store.post('run', command('b')));
  });

  it('keeps the latest state that came with entries', async () => {
    const store = await createStore();
    await store.create(header('run'));
    await store.append('run', 0, entries(0, 2), { state: { value: 'working' } });
    await store.append('run', 2, entries(2, 3));
    expect((await store.read('run'))?.state).toEqual({ sequence: 2, body: { value: 'working' } });
    await store.append('run', 3, entries(3, 4), { state: null });
    expect((await store.read('run'))?.state).toEqual({ sequence: 4, body: null });
  });

  it('counts how often the run was taken from an owner who let the lease run out', async () => {
    const store = await createStore();
    await store.create(header('run'));
    const first = await store.claim('run', 'first', 1_000, 0);
    await store.release('run', first?.token ?? Number.NaN);
    expect(await store.claim('run', 'second', 1_000, 0)).toMatchObject({ takeovers: 0 });
    expect(await store.claim('run', 'third', 1_000, 1_000)).toMatchObject({ takeovers: 1 });
    expect(await store.claim('run', 'third', 1_000, 5_000)).toMatchObject({ takeovers: 1 });
    expect(await store.claim('run', 'fourth', 1_000, 6_000)).toMatchObject({ takeovers: 2 });
  });

  it('tells whoever watches of commands and entries, until he stops', async () => {
    const store = await createStore();
    await store.create(header('run'));
    if (store.watch === undefined) return;
    let told = 0;
    const stop = store.watch('run', () => {
      told += 1;
      throw new Error('The trouble of a listener');
    });
    await store.post('run', command('a'));
    await expect.poll(() => told).toBe(1);
    await store.append('run', 0, entries(0, 1));
    await expect.poll(() => told).toBe(2);
    stop();
    await store.post('run', command('b'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(told).toBe(2);
  });

  it('refuses ids that no database would keep', async () => {
    const store = await createStore();
    for (const runId of ['', 'a\0b', '\ud83d', 'x'.repeat(1_001)]) {
      await refused(ConfigurationError, () => store.create(header(runId)));
      expect(await store.read(runId)).toBeUndefined();
    }
    expect(await store.list()).toEqual([]);
  });
}

/** A store may throw at once or return a promise that rejects; both are a refusal. */
async function refused(error: new (...args: never) => Error, work: () => unknown): Promise<void> {
  await expect((async () => work())()).rejects.toBeInstanceOf(error);
}
