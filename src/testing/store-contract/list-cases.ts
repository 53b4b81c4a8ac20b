import type { RunFilter } from '../../model/run-store.js';
import type { ContractStore, StoreCheck } from './contract-case.js';
import { entriesFrom, headerOf } from './contract-case.js';
import { expectRefused, expectSame, expectThat, expectThrown } from './expectation.js';

const fourRuns = async (store: ContractStore): Promise<void> => {
  for (const runId of ['run-c', 'run-a', 'run-d', 'run-B']) await store.create(headerOf(runId));
  await store.append('run-a', 0, entriesFrom(0, 3), { ended: true });
  await store.append('run-d', 0, entriesFrom(0, 1));
};

/** Two were started at the same time; one has ended. */
const labelledRuns = async (store: ContractStore): Promise<void> => {
  const red = { team: 'red' };
  await store.create({ ...headerOf('run-1'), startedAt: 1_000, labels: red });
  await store.create({ ...headerOf('run-4'), startedAt: 1_000 });
  await store.create({ ...headerOf('run-2'), startedAt: 2_000, labels: red });
  const labels = { ...red, 'a "strange" name': "it's 😀" };
  await store.create({ ...headerOf('run-3'), startedAt: 3_000, labels });
  const standing = { status: 'failed', reason: 'over' };
  await store.append('run-2', 0, entriesFrom(0, 1), { ended: true, standing });
};

const idsOf = async (
  store: ContractStore,
  filter: Parameters<ContractStore['list']>[0],
): Promise<string[]> => (await store.list(filter)).map(({ header }) => header.runId);

export const listCases: Readonly<Record<string, StoreCheck>> = {
  'lists all runs in the order of their ids, capitals first': async (store) => {
    await fourRuns(store);
    const standing = { status: 'running', phase: null, reason: null, openApprovals: 0 };
    const fresh = { ...standing, updatedAt: 1_000 };
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
      const { status, phase, reason, openApprovals, updatedAt } = run ?? {};
      return { status, phase, reason, openApprovals, updatedAt };
    };
    await store.create({
      ...headerOf('run'),
      labels: { team: 'red', text: 'with "quotes" and 😀' },
    });
    const first = { phase: 'planning', openApprovals: 2 };
    await store.append('run', 0, entriesFrom(0, 1), { standing: first });
    const planning = { status: 'running', ...first, reason: null, updatedAt: 1_000 };
    expectSame('After a phase was entered', await standingOf(), planning);
    await expectRefused('append at the wrong place', 'run-conflict', () =>
      store.append('run', 0, entriesFrom(0, 1), { standing: { phase: 'wrong' } }),
    );
    await store.append('run', 1, entriesFrom(1, 2));
    const later = { ...planning, updatedAt: 1_001 };
    expectSame('After an entry that changes nothing else', await standingOf(), later);
    const standing = { status: 'failed', reason: "It's over: 😀", openApprovals: 0 };
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
    const page = await idsOf(store, { ended: false, after: headerOf('run-B'), limit: 1 });
    expectSame('A page of unfinished runs', page, ['run-c']);
  },

  'continues with the next page, even when the last run of a page was deleted': async (store) => {
    await fourRuns(store);
    expectSame('Page 1', await idsOf(store, { limit: 2 }), ['run-B', 'run-a']);
    await store.delete('run-a');
    expectSame('Page 2', await idsOf(store, { limit: 2, after: headerOf('run-a') }), [
      'run-c',
      'run-d',
    ]);
    expectSame('Page 3', await idsOf(store, { limit: 2, after: headerOf('run-d') }), []);
  },

  'has every run on exactly one page, whatever its id': async (store) => {
    const ids = ['é', 'e\u0301', 'z', 'Z', '😀', '\uffee', '日本', 'a b', 'ß', 'ss', '-', '~', '0'];
    for (const runId of ids) await store.create(headerOf(runId));
    const seen: string[] = [];
    for (let after: RunFilter['after']; ;) {
      const page = await idsOf(store, after === undefined ? { limit: 3 } : { limit: 3, after });
      if (page.length === 0) break;
      seen.push(...page);
      const last = page.at(-1);
      after = last === undefined ? undefined : headerOf(last);
      expectThat('The pages do not end', seen.length <= 2 * ids.length);
    }
    expectSame('The runs of all pages', [...seen].sort(), [...ids].sort());
    expectSame('The order of the pages', seen, await idsOf(store, {}));
  },

  'filters by status, labels and the time of the start': async (store) => {
    await labelledRuns(store);
    expectSame('Running', await idsOf(store, { status: 'running' }), ['run-1', 'run-3', 'run-4']);
    expectSame('Failed', await idsOf(store, { status: 'failed' }), ['run-2']);
    expectSame('Of no status', await idsOf(store, { status: "'; --" }), []);
    expectSame('Red', await idsOf(store, { labels: { team: 'red' } }), ['run-1', 'run-2', 'run-3']);
    const both = { team: 'red', 'a "strange" name': "it's 😀" };
    expectSame('With both labels', await idsOf(store, { labels: both }), ['run-3']);
    expectSame('With another value', await idsOf(store, { labels: { team: 'RED' } }), []);
    expectSame('Without a label', await idsOf(store, { labels: { toString: 'red' } }), []);
    expectSame('All', (await idsOf(store, { labels: {} })).length, 4);
    expectSame('Since 2,000', await idsOf(store, { since: 2_000 }), ['run-2', 'run-3']);
    const together = { status: 'running', labels: { team: 'red' }, since: 2_000, ended: false };
    expectSame('All filters together', await idsOf(store, together), ['run-3']);
  },

  'lists by the time of the start, newest or oldest first, page by page': async (store) => {
    await labelledRuns(store);
    const newest = ['run-3', 'run-2', 'run-4', 'run-1'];
    expectSame('Newest', await idsOf(store, { order: 'newest' }), newest);
    expectSame('Oldest', await idsOf(store, { order: 'oldest' }), newest.toReversed());
    for (const order of ['newest', 'oldest'] as const) {
      const seen: string[] = [];
      for (let after: RunFilter['after']; seen.length < 4;) {
        const filter = { order, limit: 1, ...(after === undefined ? {} : { after }) };
        const [run] = await store.list(filter);
        expectThat(`A page is missing after ${seen.join()}`, run !== undefined);
        after = run?.header;
        seen.push(run?.header.runId ?? '');
      }
      expectSame(`Page by page, ${order}`, seen, order === 'newest' ? newest : newest.toReversed());
    }
    await store.delete('run-2');
    const after = { runId: 'run-2', startedAt: 2_000 };
    const rest = await idsOf(store, { order: 'newest', after });
    expectSame('After a run that was deleted', rest, ['run-4', 'run-1']);
    const red = { order: 'newest', labels: { team: 'red' }, limit: 1 } as const;
    expectSame('The newest red one', await idsOf(store, red), ['run-3']);
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
