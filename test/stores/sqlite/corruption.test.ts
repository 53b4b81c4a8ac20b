import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';

import { afterAll, describe, expect, it } from 'vitest';

import { JournalCorruptError } from '../../../src/errors.js';
import { sqliteStore } from '../../../src/services/stores/sqlite/index.js';
import { contentOf, fillStore, headerOf } from '../stored-runs.js';
import type { NotedEntry } from '../stored-runs.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
afterAll(folder.dispose);

/** Spread over the file independent of page boundaries; the same in every run of this test. */
const FLIPS = 300;
const positions = (length: number): number[] =>
  Array.from({ length: FLIPS }, (_item, index) => (index * 7_919 + 13) % length);

/** The outcome of a file: the content it had, or a refusal. A missing run is the worst outcome. */
const judged = async (path: string, expected: unknown): Promise<'same' | 'refused'> => {
  const before = readFileSync(path);
  try {
    const store = sqliteStore<NotedEntry>({ path });
    try {
      expect(await contentOf(store)).toEqual(expected);
      expect(() => store.create(headerOf('open'))).toThrow('already');
      return 'same';
    } finally {
      await store.close?.();
    }
  } catch (error) {
    if (!JournalCorruptError.isInstance(error)) throw error;
    expect(readFileSync(path).equals(before)).toBe(true);
    return 'refused';
  }
};

describe('an SQLite file with one flipped bit', () => {
  it(`is refused unchanged or has the same content, at ${FLIPS} places`, async () => {
    const whole = folder.newPath();
    const store = sqliteStore<NotedEntry>({ path: whole });
    await fillStore(store);
    const expected = await contentOf(store);
    await store.close?.();
    const bytes = readFileSync(whole);

    const path = folder.newPath();
    const outcomes = { same: 0, refused: 0 };
    for (const [index, position] of positions(bytes.length).entries()) {
      const damaged = Buffer.from(bytes);
      damaged[position] = (bytes[position] ?? 0) ^ (1 << (index % 8));
      const own = `${path}-${index}`;
      writeFileSync(own, damaged);
      outcomes[await judged(own, expected)] += 1;
    }
    // Both kinds occur: some bits are in use, and some are in free space.
    expect(outcomes.refused).toBeGreaterThan(FLIPS / 10);
    expect(outcomes.same).toBeGreaterThan(FLIPS / 10);
  });

  it('in the log of a writer that died gives a shorter journal, never a different one', async () => {
    const path = folder.newPath();
    const store = sqliteStore<NotedEntry>({ path });
    await fillStore(store);
    const log = readFileSync(`${path}-wal`);
    const whole = (await store.read('open'))?.entries ?? [];
    for (const position of [5, 40, 3_000, log.length >> 1, log.length - 100]) {
      const copy = folder.newPath();
      copyFileSync(path, copy);
      const damaged = Buffer.from(log);
      damaged[position] = (log[position] ?? 0) ^ 16;
      writeFileSync(`${copy}-wal`, damaged);
      const survivor = sqliteStore<NotedEntry>({ path: copy });
      const entries = (await survivor.read('open'))?.entries ?? [];
      expect(entries).toEqual(whole.slice(0, entries.length));
      await survivor.close?.();
    }
    await store.close?.();
  });
});
