import type { ContractEntry, StoreCheck } from './contract-case.js';
import { entriesFrom, entryAt, headerOf } from './contract-case.js';
import { countAccepted, expectRefused, expectSame, expectThat } from './expectation.js';

/** Larger than a page, a packet or a block of any store. */
const BIG_NOTE_CHARACTERS = 2_000_000;

export const journalCases: Readonly<Record<string, StoreCheck>> = {
  'reads back created and appended data, in order': async (store) => {
    await store.create(headerOf('run'));
    const empty = { header: headerOf('run'), entries: [], ended: false };
    expectSame('A new run', await store.read('run'), empty);
    await store.append('run', 0, entriesFrom(0, 2));
    await store.append('run', 2, []);
    await store.append('run', 2, entriesFrom(2, 5));
    const expected = { ...empty, entries: entriesFrom(0, 5) };
    expectSame('A run of five entries', await store.read('run'), expected);
  },

  'returns nothing for a run that was never created': async (store) => {
    expectSame('An unknown run', await store.read('run'), undefined);
    await expectRefused('append to an unknown run', 'run-not-found', () =>
      store.append('run', 0, entriesFrom(0, 1)),
    );
    expectSame('An unknown run after an append', await store.read('run'), undefined);
  },

  'refuses an id that is in use and keeps the first run': async (store) => {
    await store.create(headerOf('run'));
    await store.append('run', 0, entriesFrom(0, 1));
    await expectRefused('create with an id that is in use', 'run-conflict', () =>
      store.create({ ...headerOf('run'), goal: 'another' }),
    );
    const run = await store.read('run');
    expectSame('The header of the first run', run?.header, headerOf('run'));
    expectSame('The entries of the first run', run?.entries, entriesFrom(0, 1));
  },

  'refuses entries for another length of the journal and adds none of them': async (store) => {
    await store.create(headerOf('run'));
    await store.append('run', 0, entriesFrom(0, 2));
    for (const expected of [0, 1, 3, -1, 1.5, Number.NaN]) {
      await expectRefused(`append with expected sequence ${expected}`, 'run-conflict', () =>
        store.append('run', expected, entriesFrom(2, 4)),
      );
    }
    await expectRefused('append of nothing at the wrong place', 'run-conflict', () =>
      store.append('run', 1, [], { ended: true }),
    );
    const run = await store.read('run');
    expectSame('The entries after the refusals', run?.entries, entriesFrom(0, 2));
    expectSame('The run after the refusals has ended', run?.ended, false);
  },

  'accepts exactly one of several concurrent appends': async (store) => {
    await store.create(headerOf('run'));
    for (let round = 0; round < 10; round += 1) {
      const append = (): unknown => store.append('run', round, entriesFrom(round, round + 1));
      const what = 'one of five appends at once';
      const accepted = await countAccepted(what, 'run-conflict', [
        append,
        append,
        append,
        append,
        append,
      ]);
      expectSame('How many of five appends at once were accepted', accepted, 1);
    }
    expectSame('The entries', (await store.read('run'))?.entries, entriesFrom(0, 10));
  },

  'writes to several runs at once': async (store) => {
    const ids = Array.from({ length: 10 }, (_item, index) => `run-${index}`);
    await Promise.all(
      ids.map(async (runId) => {
        await store.create(headerOf(runId));
        await store.append(runId, 0, entriesFrom(0, 3));
        await store.append(runId, 3, entriesFrom(3, 4), { ended: true });
      }),
    );
    for (const runId of ids) {
      expectSame(`The entries of ${runId}`, (await store.read(runId))?.entries, entriesFrom(0, 4));
    }
  },

  'closes the journal of a run that has ended': async (store) => {
    await store.create(headerOf('run'));
    await store.append('run', 0, entriesFrom(0, 1), { ended: true });
    expectSame('The run has ended', (await store.read('run'))?.ended, true);
    await expectRefused('append to a run that has ended', 'run-conflict', () =>
      store.append('run', 1, entriesFrom(1, 2)),
    );
    expectSame('The entries', (await store.read('run'))?.entries, entriesFrom(0, 1));
  },

  'returns data that later writes do not change': async (store) => {
    await store.create(headerOf('run'));
    const given = entriesFrom(0, 1);
    await store.append('run', 0, given);
    const before = await store.read('run');
    given.push(entryAt(7));
    await store.append('run', 1, entriesFrom(1, 2));
    expectSame('What was read before the second append', before?.entries, entriesFrom(0, 1));
    expectThat(
      'The entries that were handed out are not frozen',
      Object.isFrozen(before?.entries ?? []),
    );
    expectSame('The entries', (await store.read('run'))?.entries, entriesFrom(0, 2));
  },

  'keeps the latest state that came with entries': async (store) => {
    await store.create(headerOf('run'));
    expectSame('The state of a new run', (await store.read('run'))?.state, undefined);
    const body = { value: { work: 'executing' }, text: 'with \0, "quotes" and 😀' };
    await store.append('run', 0, entriesFrom(0, 2), { state: body });
    await store.append('run', 2, entriesFrom(2, 3));
    expectSame('The state', (await store.read('run'))?.state, { sequence: 2, body });
    await expectRefused('append at the wrong place', 'run-conflict', () =>
      store.append('run', 2, entriesFrom(2, 3), { state: 'wrong' }),
    );
    expectSame('The state after a refusal', (await store.read('run'))?.state, {
      sequence: 2,
      body,
    });
    await store.append('run', 3, entriesFrom(3, 4), { state: null });
    expectSame('The state null', (await store.read('run'))?.state, { sequence: 4, body: null });
  },

  'returns the entries from a sequence on': async (store) => {
    await store.create(headerOf('run'));
    await store.append('run', 0, entriesFrom(0, 5));
    for (const from of [0, 1, 4, 5, 6, Number.MAX_SAFE_INTEGER]) {
      const run = await store.read('run', from);
      expectSame(`The entries from ${from} on`, run?.entries, entriesFrom(Math.min(from, 5), 5));
    }
    expectSame('An unknown run', await store.read('unknown', 3), undefined);
  },

  'deletes a run and frees its id': async (store) => {
    await store.create(headerOf('run'));
    await store.create(headerOf('other'));
    const claim = await store.claim('run', 'owner', 0);
    const options = claim === undefined ? {} : { token: claim.token, state: 'a state' };
    await store.append('run', 0, entriesFrom(0, 3), options);
    await store.delete('run');
    await store.delete('run');
    expectSame('A deleted run', await store.read('run'), undefined);
    const others = (await store.list()).map(({ header }) => header.runId);
    expectSame('The runs that are left', others, ['other']);
    await store.create(headerOf('run'));
    const fresh = { header: headerOf('run'), entries: [], ended: false };
    expectSame('A run created again', await store.read('run'), fresh);
    await store.append('run', 0, entriesFrom(0, 1));
  },

  'keeps an entry of two million characters': async (store) => {
    await store.create(headerOf('run'));
    const big: ContractEntry = { ...entryAt(0), note: '"é😀'.repeat(BIG_NOTE_CHARACTERS / 4) };
    await store.append('run', 0, [big]);
    const note = (await store.read('run'))?.entries[0]?.note;
    expectThat('A big entry was not read back unchanged', note === big.note);
  },

  'keeps ten thousand entries, in batches and one at a time': async (store) => {
    await store.create(headerOf('run'));
    for (let from = 0; from < 9_800; from += 1_400) {
      await store.append('run', from, entriesFrom(from, from + 1_400));
    }
    for (let sequence = 9_800; sequence < 10_000; sequence += 1) {
      await store.append('run', sequence, [entryAt(sequence)]);
    }
    const run = await store.read('run');
    expectSame('Ten thousand entries', run?.entries, entriesFrom(0, 10_000));
  },
};
