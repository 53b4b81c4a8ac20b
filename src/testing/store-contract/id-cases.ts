import type { StoreCheck } from './contract-case.js';
import { commandOf, entriesFrom, headerOf, takenOf } from './contract-case.js';
import { expectRefused, expectSame } from './expectation.js';
import { untimed } from './inbox-cases.js';

/** Ids that a store might confuse with each other, with a pattern, a path or a piece of a statement. */
const LOOKALIKES = [
  'run',
  'RUN',
  'Run',
  ' run',
  'run ',
  'run\t',
  'r%',
  'r_n',
  'r*',
  'r?n',
  '[r]un',
  '../run',
  'run/../run',
  'C:\\run',
  "run' or '1'='1",
  'run"; drop table runs; --',
  '`run`',
  '$1',
  ':run',
  'é',
  'e\u0301',
  'ﬁ',
  'fi',
  'ı',
  'i',
  'İ',
  '😀',
  '日本',
  '١',
  '1',
  '01',
  '1.0',
  '1e0',
  'null',
  'undefined',
  'true',
  '__proto__',
  'constructor',
  'toString',
  '\u200brun',
  '\ufeffrun',
  'run\r\n',
  'x'.repeat(1_000),
  `${'x'.repeat(999)}y`,
] as const;

export const idCases: Readonly<Record<string, StoreCheck>> = {
  'keeps runs with similar ids apart': async (store) => {
    for (const runId of LOOKALIKES) await store.create(headerOf(runId));
    for (const [index, runId] of LOOKALIKES.entries()) {
      const run = await store.read(runId);
      expectSame(`The header of ${JSON.stringify(runId)}`, run?.header, headerOf(runId));
      await store.append(runId, 0, entriesFrom(0, 1 + (index % 3)));
      await store.post(runId, commandOf(`for ${index}`));
    }
    for (const [index, runId] of LOOKALIKES.entries()) {
      const what = JSON.stringify(runId);
      expectSame(
        `The entries of ${what}`,
        (await store.read(runId))?.entries,
        entriesFrom(0, 1 + (index % 3)),
      );
      const expected = untimed([commandOf(`for ${index}`)]);
      expectSame(`The inbox of ${what}`, untimed(await store.inbox(runId)), expected);
      await store.delete(runId);
      expectSame(`${what}, deleted`, await store.read(runId), undefined);
      const left = LOOKALIKES.length - index - 1;
      expectSame('How many runs are left', (await store.list()).length, left);
    }
  },

  'keeps commands with similar ids apart': async (store) => {
    await store.create(headerOf('run'));
    for (const id of LOOKALIKES) await store.post('run', commandOf(id));
    const expected = untimed(LOOKALIKES.map(commandOf));
    expectSame('The inbox', untimed(await store.inbox('run')), expected);
    await store.append('run', 0, entriesFrom(0, 1), { taken: takenOf('RUN', 'r%', 'é') });
    const left = LOOKALIKES.filter((id) => !['RUN', 'r%', 'é'].includes(id));
    expectSame(
      'What is left',
      (await store.inbox('run')).map(({ id }) => id),
      left,
    );
  },

  'refuses ids that not every store can keep, and finds nothing under them': async (store) => {
    for (const bad of ['', 'a\0b', '\ud83d', 'x'.repeat(1_001)]) {
      const what = JSON.stringify(bad.slice(0, 10));
      await expectRefused(`create ${what}`, 'invalid-configuration', () =>
        store.create(headerOf(bad)),
      );
      expectSame(`The run ${what}`, await store.read(bad), undefined);
      expectSame(`The inbox of ${what}`, await store.inbox(bad), []);
      expectSame(`A claim of ${what}`, await store.claim(bad, 'owner', 0), undefined);
      await expectRefused(`append to ${what}`, 'run-not-found', () => store.append(bad, 0, []));
      await expectRefused(`post to ${what}`, 'run-not-found', () =>
        store.post(bad, commandOf('a')),
      );
      await store.release(bad, 1);
      await store.delete(bad);
    }
    await store.create(headerOf('run'));
    for (const id of ['', 'a\0b', '\ud83d', 'x'.repeat(1_001)]) {
      await expectRefused('post with a bad id', 'invalid-configuration', () =>
        store.post('run', commandOf(id)),
      );
      await store.append('run', 0, [], { taken: takenOf(id) });
    }
    expectSame('The inbox', await store.inbox('run'), []);
    expectSame('How many runs there are', (await store.list()).length, 1);
  },
};
