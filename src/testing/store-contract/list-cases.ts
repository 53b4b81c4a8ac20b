import type { ContractStore, StoreCheck } from './contract-case.js';
import { entriesFrom, headerOf } from './contract-case.js';
import { expectRefused, expectSame, expectThat, expectThrown } from './expectation.js';

const fourRuns = async (store: ContractStore): Promise<void> => {
  for (const runId of ['run-c', 'run-a', 'run-d', 'run-B']) await store.create(headerOf(runId));
  await store.append('run-a', 0, entriesFrom(0, 3), { ended: true });
  await store.append('run-d', 0, entriesFrom(0, 1));
};

const idsOf = async (
  store: ContractStore,
  filter: Parameters<ContractStore['list']>[0],
): Promise<string[]> => (await store.list(filter)).map(({ header }) => header.runId);

export const listCases: Readonly<Record<string, StoreCheck>> = {
  'lists all runs in the order of their ids, capitals first': async (store) => {
    await fourRuns(store);
    const fresh = { status: 'running', phase: null, reason: null, updatedAt: 1_000 };
    expectSame('The list', await store.list(), [
      { header: headerOf('run-B'), entryCount: 0, ended: false, ...fresh },
      { header: headerOf('run-a'), entryCount: 3, ended: true, ...fresh, updatedAt: 1_002 },
      { header: headerOf('run-c'), entryCount: 0, ended: false, ...fresh },
      { header: headerOf('run-d'), entryCount: 1, ended: false, ...fresh },
    ]);
  },

  'shows the status of every run': async (store) => {
    const standingOf = async (): Promise<unknown> => {
      const [run] = await store.list();
      const { status, phase, reason, updatedAt } = run ?? {};
      return { status, phase, reason, updatedAt };
    };
    await store.create({
      ...headerOf('run'),
      labels: { team: 'red', text: 'with "quotes" and 😀' },
    });
    await store.append('run', 0, entriesFrom(0, 1), { standing: { phase: 'planning' } });
    const planning = { status: 'running', phase: 'planning', reason: null, updatedAt: 1_000 };
    expectSame('After a phase was entered', await standingOf(), planning);
    await expectRefused('append at the wrong place', 'run-conflict', () =>
      store.append('run', 0, entriesFrom(0, 1), { standing: { phase: 'wrong' } }),
    );
    await store.append('run', 1, entriesFrom(1, 2));
    const later = { ...planning, updatedAt: 1_001 };
    expectSame('After an entry that changes nothing else', await standingOf(), later);
    const standing = { status: 'failed', reason: "It's over: 😀" };
    await store.append('run', 2, entriesFrom(2, 4), { ended: true, standing });
    expectSame('After the end', await standingOf(), { ...later, ...standing, updatedAt: 1_003 });
  },

  'filters by ended and unfinished': async (store) => {
    await fourRuns(store);
    expectSame('Ended runs', await idsOf(store, { ended: true }), ['run-a']);
    expectSame('Unfinished runs', await idsOf(store, { ended: false }), [
      'run-B',
      'run-c',
      'run-d',
    ]);
    const page = await idsOf(store, { ended: false, after: 'run-B', limit: 1 });
    expectSame('A page of unfinished runs', page, ['run-c']);
  },

  'continues with the next page, even when the last run of a page was deleted': async (store) => {
    await fourRuns(store);
    expectSame('Page 1', await idsOf(store, { limit: 2 }), ['run-B', 'run-a']);
    await store.delete('run-a');
    expectSame('Page 2', await idsOf(store, { limit: 2, after: 'run-a' }), ['run-c', 'run-d']);
    expectSame('Page 3', await idsOf(store, { limit: 2, after: 'run-d' }), []);
  },

  'has every run on exactly one page, whatever its id': async (store) => {
    const ids = ['é', 'e\u0301', 'z', 'Z', '😀', '\uffee', '日本', 'a b', 'ß', 'ss', '-', '~', '0'];
    for (const runId of ids) await store.create(headerOf(runId));
    const seen: string[] = [];
    for (let after: string | undefined; ;) {
      const page = await idsOf(store, after === undefined ? { limit: 3 } : { limit: 3, after });
      if (page.length === 0) break;
      seen.push(...page);
      after = page.at(-1);
      expectThat('The pages do not end', seen.length <= 2 * ids.length);
    }
    expectSame('The runs of all pages', [...seen].sort(), [...ids].sort());
    expectSame('The order of the pages', seen, await idsOf(store, {}));
  },

  'lists a thousand runs by default': async (store) => {
    for (let index = 0; index < 1_001; index += 1) {
      await store.create({ ...headerOf(`run-${index}`), plan: null });
    }
    expectSame('The length of a page', (await store.list()).length, 1_000);
    expectSame('The length of a long page', (await store.list({ limit: 5_000 })).length, 1_001);
  },

  'refuses a limit that is not a positive integer': async (store) => {
    for (const limit of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expectThrown(`list with limit ${limit}`, RangeError, () => store.list({ limit }));
    }
  },
};
