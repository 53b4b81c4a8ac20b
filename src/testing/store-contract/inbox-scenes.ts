import type { ContractStore, Scene } from './contract-case.js';
import { commandOf, entriesFrom, headerOf, tokenFor } from './contract-case.js';
import { expectRefused, expectSame } from './expectation.js';

const waitingIn = async (store: ContractStore, runId: string): Promise<string[]> =>
  (await store.inbox(runId)).map(({ id }) => id);

/** How many commands may wait, and how many are posted at one time. */
const LIMIT = 10_000;
const BATCH = 100;

export const inboxScenes: Readonly<Record<string, Scene>> = {
  'keeps commands as they are, in the order in which they came': async (store) => {
    await store.create(headerOf('run'));
    expectSame('The inbox of a new run', await store.inbox('run'), []);
    for (const id of ['b', 'a', '10', '9']) await store.post('run', commandOf(id));
    const expected = ['b', 'a', '10', '9'].map(commandOf);
    expectSame('The inbox', await store.inbox('run'), expected);
    expectSame('The inbox, read again', await store.inbox('run'), expected);
  },

  'keeps a command once, however often it is posted': async (store) => {
    await store.create(headerOf('run'));
    for (const id of ['a', 'b', 'a']) await store.post('run', commandOf(id));
    await store.post('run', { ...commandOf('a'), command: 'another' });
    expectSame('The inbox', await store.inbox('run'), [commandOf('a'), commandOf('b')]);
  },

  'gives up commands together with the entries that have dealt with them': async (store) => {
    await store.create(headerOf('run'));
    for (const id of ['a', 'b', 'c']) await store.post('run', commandOf(id));
    await store.append('run', 0, entriesFrom(0, 1), { taken: ['b', 'never posted'] });
    expectSame('The inbox', await waitingIn(store, 'run'), ['a', 'c']);
    await store.append('run', 1, [], { taken: ['a', 'c'] });
    expectSame('The inbox', await waitingIn(store, 'run'), []);
    expectSame('The entries', (await store.read('run'))?.entries, entriesFrom(0, 1));
  },

  'does not keep a command again that was taken': async (store) => {
    await store.create(headerOf('run'));
    await store.post('run', commandOf('a'));
    await store.append('run', 0, entriesFrom(0, 1), { taken: ['a'] });
    await store.post('run', commandOf('a'));
    expectSame('The inbox', await waitingIn(store, 'run'), []);
  },

  'gives up nothing when the append is refused': async (store) => {
    await store.create(headerOf('run'));
    await store.post('run', commandOf('a'));
    const token = await tokenFor(store, 'run', 'owner', 0);
    for (const [expected, given] of [
      [7, token],
      [0, token + 1],
    ] as const) {
      await expectRefused('append that takes a command', 'run-conflict', () =>
        store.append('run', expected, entriesFrom(0, 1), { token: given, taken: ['a'], state: 1 }),
      );
    }
    expectSame('The inbox', await waitingIn(store, 'run'), ['a']);
    const fresh = { header: headerOf('run'), entries: [], ended: false };
    expectSame('The run', await store.read('run'), fresh);
  },

  'takes commands from anybody, claimed or not': async (store) => {
    await store.create(headerOf('run'));
    const token = await tokenFor(store, 'run', 'owner', 0);
    await store.post('run', commandOf('a'));
    await store.append('run', 0, entriesFrom(0, 1), { token, taken: ['a'] });
    expectSame('The inbox', await waitingIn(store, 'run'), []);
  },

  'refuses commands for a run that is unknown or has ended': async (store) => {
    await expectRefused('post to an unknown run', 'run-not-found', () =>
      store.post('run', commandOf('a')),
    );
    expectSame('The inbox of an unknown run', await store.inbox('run'), []);
    await store.create(headerOf('run'));
    await store.post('run', commandOf('a'));
    await store.append('run', 0, entriesFrom(0, 1), { ended: true });
    for (const id of ['a', 'b']) {
      await expectRefused('post to an ended run', 'run-conflict', () =>
        store.post('run', commandOf(id)),
      );
    }
    expectSame('What nobody took', await waitingIn(store, 'run'), ['a']);
  },

  'keeps the inboxes of runs apart and forgets them with the run': async (store) => {
    for (const runId of ['one', 'two']) await store.create(headerOf(runId));
    for (const runId of ['one', 'two']) await store.post(runId, commandOf('a'));
    await store.append('one', 0, entriesFrom(0, 1), { taken: ['a'] });
    expectSame('The inbox of two', await waitingIn(store, 'two'), ['a']);
    for (const runId of ['one', 'two']) {
      await store.delete(runId);
      expectSame(`The inbox of ${runId}, deleted`, await waitingIn(store, runId), []);
      await store.create(headerOf(runId));
      expectSame(`The inbox of ${runId}, created again`, await waitingIn(store, runId), []);
      await store.post(runId, commandOf('a'));
      expectSame(`The inbox of ${runId} after a post`, await waitingIn(store, runId), ['a']);
    }
  },

  'holds ten thousand commands and refuses one more': async (store) => {
    await store.create(headerOf('run'));
    for (let from = 0; from < LIMIT; from += BATCH) {
      const ids = Array.from({ length: BATCH }, (_item, index) => `${from + index}`);
      await Promise.all(ids.map(async (id) => store.post('run', { id, at: 1, command: null })));
    }
    await expectRefused('post to a full inbox', 'inbox-full', () =>
      store.post('run', commandOf('a')),
    );
    await store.post('run', commandOf('7'));
    expectSame('How many are waiting', (await store.inbox('run')).length, LIMIT);
    await store.append('run', 0, entriesFrom(0, 1), { taken: ['7', '8'] });
    await store.post('run', commandOf('a'));
    expectSame('How many are waiting', (await store.inbox('run')).length, LIMIT - 1);
  },
};
