import type { StoredCommand } from '../../model/run-store.js';
import type { ContractStore, StoreCheck } from './contract-case.js';
import { commandOf, entriesFrom, headerOf, LEASE_MS, takenOf, tokenFor } from './contract-case.js';
import { expectRefused, expectSame } from './expectation.js';

const waitingIn = async (store: ContractStore, runId: string): Promise<string[]> =>
  (await store.inbox(runId)).map(({ id }) => id);

/** Commands without their time: a store with its own clock sets it. */
export const untimed = (commands: readonly StoredCommand[]): unknown[] =>
  commands.map(({ id, at, command }) => ({ id, hasTime: Number.isFinite(at), command }));

/** How many commands may wait, and how many are posted at once. */
const LIMIT = 10_000;
const BATCH = 100;

export const inboxCases: Readonly<Record<string, StoreCheck>> = {
  'keeps commands unchanged, in the order of arrival': async (store) => {
    await store.create(headerOf('run'));
    expectSame('The inbox of a new run', await store.inbox('run'), []);
    for (const id of ['b', 'a', '10', '9']) await store.post('run', commandOf(id));
    const expected = ['b', 'a', '10', '9'].map(commandOf);
    expectSame('The inbox', untimed(await store.inbox('run')), untimed(expected));
    expectSame('The inbox, read again', untimed(await store.inbox('run')), untimed(expected));
  },

  'keeps a command once, however often it is posted': async (store) => {
    await store.create(headerOf('run'));
    for (const id of ['a', 'b', 'a']) await store.post('run', commandOf(id));
    await store.post('run', { ...commandOf('a'), command: 'another' });
    const expected = untimed([commandOf('a'), commandOf('b')]);
    expectSame('The inbox', untimed(await store.inbox('run')), expected);
  },

  'removes commands together with the entries that answer them': async (store) => {
    await store.create(headerOf('run'));
    for (const id of ['a', 'b', 'c']) await store.post('run', commandOf(id));
    await store.append('run', 0, entriesFrom(0, 1), { taken: takenOf('b', 'never posted') });
    expectSame('The inbox', await waitingIn(store, 'run'), ['a', 'c']);
    await store.append('run', 1, [], { taken: takenOf('a', 'c') });
    expectSame('The inbox', await waitingIn(store, 'run'), []);
    expectSame('The entries', (await store.read('run'))?.entries, entriesFrom(0, 1));
  },

  'does not keep a taken command again': async (store) => {
    await store.create(headerOf('run'));
    await store.post('run', commandOf('a'));
    await store.append('run', 0, entriesFrom(0, 1), { taken: takenOf('a') });
    await store.post('run', commandOf('a'));
    expectSame('The inbox', await waitingIn(store, 'run'), []);
  },

  'removes nothing when the append is refused': async (store, time) => {
    await store.create(headerOf('run'));
    await store.post('run', commandOf('a'));
    const token = await tokenFor(store, 'run', 'owner', time);
    for (const [expected, given] of [
      [7, token],
      [0, token + 1],
    ] as const) {
      await expectRefused('append that takes a command', 'run-conflict', () =>
        store.append('run', expected, entriesFrom(0, 1), {
          token: given,
          taken: takenOf('a'),
          state: 1,
        }),
      );
    }
    expectSame('The inbox', await waitingIn(store, 'run'), ['a']);
    const fresh = { header: headerOf('run'), entries: [], ended: false, token };
    expectSame('The run', await store.read('run'), fresh);
  },

  'accepts commands from every sender, for owned and unowned runs': async (store, time) => {
    await store.create(headerOf('run'));
    const token = await tokenFor(store, 'run', 'owner', time);
    await store.post('run', commandOf('a'));
    await store.append('run', 0, entriesFrom(0, 1), { token, taken: takenOf('a') });
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
    await expectRefused('post to an ended run', 'run-conflict', () =>
      store.post('run', commandOf('b')),
    );
    expectSame(
      'A command that was posted before',
      (await store.post('run', commandOf('a'))).answer,
      undefined,
    );
    expectSame('The commands that were not taken', await waitingIn(store, 'run'), ['a']);
  },

  'returns the answer to a command that is posted again, also after the end': async (store) => {
    await store.create(headerOf('run'));
    const answerTo = async (id: string): Promise<unknown> =>
      (await store.post('run', commandOf(id))).answer;
    expectSame('The answer to a new command', await answerTo('a'), undefined);
    expectSame('The answer to a command that waits', await answerTo('a'), undefined);
    await store.append('run', 0, [], { taken: takenOf('a') });
    expectSame('The answer', await answerTo('a'), { accepted: true, to: 'a' });
    await store.append('run', 0, [], { taken: [{ id: 'a', answer: 'another' }] });
    await store.append('run', 0, entriesFrom(0, 1), { ended: true });
    expectSame('The answer after the end', await answerTo('a'), { accepted: true, to: 'a' });
  },

  'tells whether the run has an owner': async (store, time) => {
    await store.create(headerOf('run'));
    const isOwned = async (id: string): Promise<boolean> =>
      (await store.post('run', { ...commandOf(id), at: time.now() })).isOwned;
    expectSame('A run without an owner', await isOwned('a'), false);
    const token = await tokenFor(store, 'run', 'owner', time);
    expectSame('A run with an owner', [await isOwned('a'), await isOwned('b')], [true, true]);
    await time.pass(LEASE_MS);
    expectSame('A run whose lease is over', await isOwned('c'), false);
    await store.renew('owner', LEASE_MS, time.now());
    await store.release('run', token);
    expectSame('A run that was released', await isOwned('d'), false);
  },

  'keeps the inboxes of runs apart and deletes them with the run': async (store) => {
    for (const runId of ['one', 'two']) await store.create(headerOf(runId));
    for (const runId of ['one', 'two']) await store.post(runId, commandOf('a'));
    await store.append('one', 0, entriesFrom(0, 1), { taken: takenOf('a') });
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

  'holds ten thousand commands and refuses the next one': async (store) => {
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
    await store.append('run', 0, entriesFrom(0, 1), { taken: takenOf('7', '8') });
    await store.post('run', commandOf('a'));
    expectSame('How many are waiting', (await store.inbox('run')).length, LIMIT - 1);
  },
};
