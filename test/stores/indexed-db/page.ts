/* The code inside the browser, and the functions that the test may call. */
import { JournalCorruptError, PlanwrightError } from '../../../src/errors.js';
import { openPage } from '../../../examples/indexed-db-store.js';
import { defineAgent } from '../../../src/index.js';
import { indexedDbStore } from '../../../src/services/stores/indexed-db/index.js';
import type { ContractEntry } from '../../../src/testing.js';
import { storeContract } from '../../../src/testing.js';
import { headerOf } from '../stored-runs.js';

let databases = 0;

const newName = (): string => `contract ${(databases += 1)}`;

const cases = storeContract(() => indexedDbStore<ContractEntry>({ name: newName() }), {
  createShared: () => {
    const name = newName();
    return [indexedDbStore<ContractEntry>({ name }), indexedDbStore<ContractEntry>({ name })];
  },
});

const calls: string[] = [];
const worker = defineAgent({
  name: 'worker',
  description: 'Works',
  run: ({ key }) => {
    calls.push(key);
    return `did ${key}`;
  },
});

const plan = {
  steps: [
    { id: 'one', agent: 'worker', task: 'Do the first part' },
    { id: 'two', agent: 'worker', task: 'Do the second part', dependsOn: ['one'] },
  ],
} as const;

/** Records that so many commands wait for the only run in a database. */
const setWaiting = (name: string, waiting: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open(name);
    request.onsuccess = () => {
      const transaction = request.result.transaction('runs', 'readwrite');
      const runs = transaction.objectStore('runs');
      const found = runs.get('run');
      found.onsuccess = () => {
        runs.put({ ...(found.result as object), waiting }, 'run');
      };
      transaction.oncomplete = () => {
        request.result.close();
        resolve();
      };
    };
    request.onerror = () => {
      reject(new Error('The database cannot be opened'));
    };
  });

export const page = {
  caseNames: () => cases.map(({ name }) => name),

  /** Undefined when the case passes. */
  failureOf: async (name: string): Promise<string | undefined> => {
    const found = cases.find((each) => each.name === name);
    if (found === undefined) return 'There is no such case';
    return found.run().then(
      () => undefined,
      (error: unknown) => String(error),
    );
  },

  /** Starts a run, approves its first step and waits for the second question. Then the page is closed. */
  beginRun: async (name: string): Promise<string[]> => {
    const run = openPage(name, worker).start({ goal: 'Two parts', runId: 'run', plan });
    for await (const fact of run.facts()) {
      if (fact.type !== 'approval.requested') continue;
      if (fact.stepId === 'two') break;
      await run.approve(fact.requestId);
    }
    return calls;
  },

  /** Resumes the run after a reload. */
  finishRun: async (name: string): Promise<unknown> => {
    const orchestrator = openPage(name, worker);
    const run = await orchestrator.resume('run');
    const open = run.record().approvals.find(({ outcome }) => outcome === 'open');
    if (open !== undefined) await run.approve(open.requestId);
    const { status, successfulSteps } = await run.done;
    return { status, successfulSteps, calls };
  },

  /** Starts the same run twice, follows it through the store, and lists it. */
  followRun: async (name: string): Promise<unknown> => {
    const first = openPage(name, worker);
    const second = openPage(name, worker);
    const input = { goal: 'Two parts', runId: 'run', plan, labels: { tab: 'one' } };
    const run = first.start(input);
    await run.started;
    const refused = await second.start(input).started.then(
      () => 'started',
      (error: unknown) => (PlanwrightError.isInstance(error) ? error.code : String(error)),
    );
    const remote = await second.connect('run');
    const seen: string[] = [];
    for await (const fact of remote.facts({ after: 1 })) {
      seen.push(fact.type);
      if (fact.type === 'approval.requested') await remote.approve(fact.requestId);
    }
    const { status, isFinal } = await remote.done;
    const all = run.journal().flatMap(({ facts }) => facts.map(({ type }) => type));
    const { runs } = await second.runs({ labels: { tab: 'one' }, status: 'completed' });
    const hasAll = JSON.stringify(all.slice(1)) === JSON.stringify(seen);
    return { refused, status, isFinal, hasAll, listed: runs.map(({ runId }) => runId) };
  },

  /** Tries to claim each of many runs, as fast as it can. The store stays open: closing it would release the runs. */
  claimAll: async (name: string, owner: string, count: number): Promise<number[]> => {
    const store = indexedDbStore<ContractEntry>({ name });
    const won: number[] = [];
    for (let index = 0; index < count; index += 1) {
      await Promise.resolve(store.create(headerOf(`run-${index}`))).catch(() => undefined);
      await store.renew(owner, 60_000, 0);
      const claim = await store.claim(`run-${index}`, owner, 0);
      if (claim !== undefined) won.push(index);
    }
    return won;
  },

  /** The results of commands around the limit. All but one of the waiting ones are put there directly. */
  fillInbox: async (name: string): Promise<string[]> => {
    const store = indexedDbStore<ContractEntry>({ name });
    await store.create(headerOf('run'));
    await setWaiting(name, 9_999);
    const posting = (id: string): Promise<string> =>
      Promise.resolve(store.post('run', { id, at: 0, command: null })).then(
        () => 'kept',
        (error: unknown) => (PlanwrightError.isInstance(error) ? error.code : String(error)),
      );
    await posting('first');
    const outcomes = [await posting('second'), await posting('first')];
    await store.append('run', 0, [], { taken: [{ id: 'first', answer: null }] });
    return [...outcomes, await posting('second'), await posting('third')];
  },

  /** The result of opening an existing database. */
  openOther: async (kind: 'newer' | 'foreign'): Promise<unknown> => {
    const name = `other ${kind}`;
    await new Promise((resolve, reject) => {
      const request = indexedDB.open(name, kind === 'newer' ? 2 : 1);
      request.onupgradeneeded = () => request.result.createObjectStore('things');
      request.onsuccess = () => {
        request.result.close();
        resolve(undefined);
      };
      request.onerror = () => {
        reject(new Error('The other program has failed'));
      };
    });
    return Promise.resolve(indexedDbStore({ name }).read('run')).then(
      () => 'opened',
      (error: unknown) => (JournalCorruptError.isInstance(error) ? error.reason : String(error)),
    );
  },
};

Object.assign(globalThis, { page });
