import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { JournalCorruptError, JournalMismatchError } from '../../src/errors.js';
import { formatOf, readJournal } from '../../src/journal/read-journal.js';
import { JOURNAL_FORMAT, sealedHeader } from '../../src/journal/sealed-header.js';
import type { RunReport } from '../../src/journal/report.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore, StoredEntry, StoredRun } from '../../src/model/run-store.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { recordedRuns } from '../fixtures/recorded-runs.js';
import { agreeTo } from '../run/reference-run.js';
import { jsonCopy } from '../run/runs.js';

/* Every journal under test/fixtures/journals was written by a version of this package. All of them stay readable. */

interface Recorded extends StoredRun {
  readonly report: RunReport;
}

const journals = join(import.meta.dirname, '../fixtures/journals');
const formats = readdirSync(journals);

const recorded = (format: string, name: string): Recorded =>
  JSON.parse(readFileSync(join(journals, format, `${name}.json`), 'utf8')) as Recorded;

/** A store with the first entries of a run. */
const storeOf = async (run: StoredRun, entryCount: number): Promise<RunStore> => {
  const store = memoryStore();
  await store.create(jsonCopy(run.header));
  for (const entry of jsonCopy(run.entries.slice(0, entryCount))) {
    const ended = run.ended && entry.sequence === run.entries.length - 1;
    await store.append('run', entry.sequence, [entry], { ended });
  }
  return store;
};

const orchestratorFor = (name: string, store: RunStore, startMs: number, calls: string[]) => {
  const clock = virtualClock({ startMs });
  const optionsOf = recordedRuns[name];
  if (optionsOf === undefined) throw new Error(`There is no run ${name}`);
  return {
    clock,
    orchestrator: composeOrchestrator({ ...optionsOf(clock, calls), store }, undefined),
  };
};

/** What must be the same, whichever process ended the run and when. */
const essence = ({ status, reason, steps, replans, plans, approvals }: RunReport): unknown => ({
  status,
  reason,
  steps: steps.map(({ id, status: ended, output, attempts }) => ({ id, ended, output, attempts })),
  replans,
  plans: plans.length,
  approvals: approvals.map(({ requestId, outcome }) => ({ requestId, outcome })),
});

describe('a recorded journal', () => {
  it('exists in every format from the first that was kept to the current one', () => {
    expect(formats).toEqual(
      Array.from({ length: JOURNAL_FORMAT - 2 }, (_, index) => `format-${index + 3}`),
    );
    for (const format of formats) {
      expect(readdirSync(join(journals, format)).sort()).toEqual(
        Object.keys(recordedRuns)
          .map((name) => `${name}.json`)
          .sort(),
      );
    }
  });

  for (const format of formats) {
    for (const name of Object.keys(recordedRuns)) {
      it(`${format} ${name}: is read with every fact, and gives the recorded report`, async () => {
        const run = recorded(format, name);
        const { entries } = readJournal(run, 'run');
        const facts = entries.flatMap((entry) => entry.facts);
        expect(facts.map(({ sequence }) => sequence)).toEqual(facts.map((_, index) => index + 1));
        const store = await storeOf(run, run.entries.length);
        const { orchestrator } = orchestratorFor(name, store, 0, []);
        const shown = await orchestrator.resume('run');
        // Later versions may add members; none of the recorded ones may change.
        expect(jsonCopy(await shown.done)).toMatchObject(run.report);
      });

      it(`${format} ${name}: continues from its middle to the same end, or is refused because charts or policy differ`, async () => {
        const run = recorded(format, name);
        const half = Math.floor(run.entries.length / 2);
        const store = await storeOf(run, half);
        const before = JSON.stringify(await store.read('run'));
        const calls: string[] = [];
        const { clock, orchestrator } = orchestratorFor(
          name,
          store,
          run.entries[half]?.at ?? 0,
          calls,
        );
        try {
          const resumed = await orchestrator.resume('run');
          agreeTo(resumed, clock);
          await clock.runUntil(resumed.done);
          expect(essence(await resumed.done)).toEqual(essence(run.report));
          // It was continued in the format it was begun in.
          const stored = await store.read('run');
          expect(readJournal(stored ?? run).entries).toEqual(jsonCopy(resumed.journal()));
        } catch (error) {
          if (!JournalMismatchError.isInstance(error)) throw error;
          expect(calls).toEqual([]);
          expect(JSON.stringify(await store.read('run'))).toBe(before);
        }
      });
    }
  }
});

const latest = recorded(`format-${JOURNAL_FORMAT}`, 'reference');

const expectRefused = async (
  run: StoredRun,
  reason: 'torn' | 'foreign' | 'newer',
): Promise<void> => {
  const inner = memoryStore();
  await inner.create({ ...latest.header, runId: 'run' });
  const store: RunStore = { ...inner, read: () => run };
  const before = JSON.stringify(run);
  const calls: string[] = [];
  const { clock, orchestrator } = orchestratorFor('reference', store, 0, calls);
  await expect(orchestrator.resume('run')).rejects.toThrow(JournalCorruptError);
  await expect(orchestrator.resume('run')).rejects.toMatchObject({
    code: 'journal-corrupt',
    reason,
  });
  await clock.settle();
  expect(calls).toEqual([]);
  expect(clock.pending()).toBe(0);
  expect(JSON.stringify(run)).toBe(before);
  // It was released, and nothing was started in its place.
  expect(await inner.claim('run', 'another', 0)).toMatchObject({ isTakeover: false });
  expect((await inner.read('run'))?.entries).toEqual([]);
};

const unfinished: StoredRun = {
  header: latest.header,
  entries: latest.entries.slice(0, 8),
  ended: false,
};

/** The same entry, with the checksum that it would have in another journal. */
const entryOfAnotherRun = (entry: StoredEntry): StoredEntry => {
  const { header } = latest;
  const format = formatOf(sealedHeader({ ...header, goal: 'Another goal' }));
  return format.encode(readJournal(latest).entries[entry.sequence]!);
};

describe('a damaged journal', () => {
  it('of a later format is refused as newer, and is not changed', async () => {
    await expectRefused({ ...unfinished, header: { ...latest.header, format: 99 } }, 'newer');
  });

  it.each([['3'], [0], [1], [2], [null], [{}], [1.5], [Number.NaN]])(
    'of format %j is refused as foreign',
    async (format) => {
      const header = { ...latest.header, format: format as number };
      await expectRefused({ ...unfinished, header }, 'foreign');
    },
  );

  it('of another run is refused as foreign', async () => {
    await expectRefused({ ...unfinished, header: { ...latest.header, runId: 'other' } }, 'foreign');
  });

  it.each([
    ['the header was changed', { ...unfinished, header: { ...latest.header, goal: 'Another' } }],
    [
      'the header was changed before anything was written',
      {
        ...unfinished,
        header: { ...latest.header, goal: 'Another' },
        entries: [],
      },
    ],
    [
      'an entry is missing',
      { ...unfinished, entries: unfinished.entries.filter((_, index) => index !== 3) },
    ],
    [
      'two entries changed places',
      {
        ...unfinished,
        entries: [1, 0, 2, 3].map((index) => unfinished.entries[index]!),
      },
    ],
    [
      'an entry is there twice',
      {
        ...unfinished,
        entries: [...unfinished.entries, unfinished.entries.at(-1)!],
      },
    ],
    [
      'an entry is of another run',
      {
        ...unfinished,
        entries: [...unfinished.entries.slice(0, 3), entryOfAnotherRun(unfinished.entries[3]!)],
      },
    ],
    ['it is shorter than its state', { ...unfinished, state: { sequence: 9, body: {} } }],
    ...[null, [], {}, 'text', 7].map((entry): [string, StoredRun] => [
      `an entry is ${JSON.stringify(entry)}`,
      { ...unfinished, entries: [...unfinished.entries, entry as unknown as StoredEntry] },
    ]),
  ])('is refused as torn when %s', async (_, run) => {
    await expectRefused(run, 'torn');
  });

  it('is refused wherever a byte differs', () => {
    const text = JSON.stringify({ header: unfinished.header, entries: unfinished.entries });
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: text.length - 1 }),
        fc.integer({ min: 0x20, max: 0x7e }),
        (position, code) => {
          const changed =
            text.slice(0, position) + String.fromCharCode(code) + text.slice(position + 1);
          if (changed === text) return;
          let run: Partial<StoredRun>;
          try {
            run = JSON.parse(changed) as Partial<StoredRun>;
          } catch {
            return; // Not JSON any more: the store detects that.
          }
          // White space or another way to write the same value.
          if (JSON.stringify(run) === text) return;
          if (run.header === undefined || run.entries === undefined) return;
          expect(() => readJournal(run as StoredRun, 'run')).toThrow(JournalCorruptError);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('cut off after any entry is a journal of a shorter run, and continues from there', () => {
    for (let length = 0; length <= unfinished.entries.length; length += 1) {
      const cut = { ...unfinished, entries: unfinished.entries.slice(0, length) };
      expect(readJournal(cut, 'run').entries).toHaveLength(length);
    }
  });
});
