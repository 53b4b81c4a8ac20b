import { describe, expect, it } from 'vitest';

import { RunConflictError, RunNotFoundError } from '../../src/errors.js';
import type { RunHeader, RunStore, StoredEntry } from '../../src/services/run-store.js';

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

/** A store may throw at once or return a promise that rejects; both are a refusal. */
async function refused(
  error: typeof RunConflictError | typeof RunNotFoundError,
  work: () => unknown,
): Promise<void> {
  await expect((async () => work())()).rejects.toBeInstanceOf(error);
}
