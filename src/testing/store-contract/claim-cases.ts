import type { ClaimableRun } from '../../model/run-store.js';
import type { ContractStore, ContractTime, StoreCheck } from './contract-case.js';
import {
  claimFor,
  commandOf,
  entriesFrom,
  headerOf,
  LEASE_MS,
  takenOf,
  tokenFor,
} from './contract-case.js';
import { expectRefused, expectSame, expectThat } from './expectation.js';

export const claimCases: Readonly<Record<string, StoreCheck>> = {
  'lets one owner at a time claim a run': async (store, time) => {
    await store.create(headerOf('run'));
    const { token, isTakeover } = await claimFor(store, 'run', 'first', time);
    expectThat('A token is not an integer', Number.isInteger(token));
    expectSame('Whether the first claim is a takeover', isTakeover, false);
    await store.renew('second', LEASE_MS, time.now());
    expectSame(
      'A claim before the end of the lease',
      await store.claim('run', 'second', time.now()),
      undefined,
    );
  },

  'gives the next owner a greater token once the lease has ended': async (store, time) => {
    await store.create(headerOf('run'));
    const first = await tokenFor(store, 'run', 'first', time);
    await time.pass(LEASE_MS);
    const second = await claimFor(store, 'run', 'second', time);
    expectThat(`Expected a token greater than ${first}`, second.token > first);
    expectSame('Whether it is a takeover', second.isTakeover, true);
    expectSame(
      'The first owner claims it again too early',
      await store.claim('run', 'first', time.now()),
      undefined,
    );
  },

  'keeps all runs of an owner that renews its lease': async (store, time) => {
    for (const runId of ['one', 'two']) {
      await store.create(headerOf(runId));
      await tokenFor(store, runId, 'owner', time);
    }
    await time.pass(LEASE_MS * 0.6);
    await store.renew('owner', LEASE_MS, time.now());
    await time.pass(LEASE_MS * 0.6);
    for (const runId of ['one', 'two']) {
      expectSame(
        `A claim of ${runId} by another owner`,
        await store.claim(runId, 'other', time.now()),
        undefined,
      );
    }
    expectSame('The claimable runs', await store.claimable(time.now()), []);
  },

  'gives an owner that claims its own run again a new token and the same takeover state': async (
    store,
    time,
  ) => {
    await store.create(headerOf('run'));
    await tokenFor(store, 'run', 'dead', time);
    await time.pass(LEASE_MS);
    const first = await claimFor(store, 'run', 'owner', time);
    const second = await claimFor(store, 'run', 'owner', time);
    expectThat(`Expected a token greater than ${first.token}`, second.token > first.token);
    expectSame('Whether it is a takeover', [first.isTakeover, second.isTakeover], [true, true]);
    await expectRefused('append with the token before', 'run-conflict', () =>
      store.append('run', 0, entriesFrom(0, 1), { token: first.token }),
    );
    const [claimable] = await claimableAfterLease(store, time);
    expectSame('The takeovers', claimable?.takeovers, 1);
  },

  'creates a run that belongs to its owner from the start': async (store, time) => {
    await store.renew('owner', LEASE_MS, time.now());
    await store.create(headerOf('run'), 'owner');
    expectSame('The token', (await store.read('run'))?.token, 1);
    expectSame('The claimable runs', await store.claimable(time.now()), []);
    await store.append('run', 0, entriesFrom(0, 1), { token: 1 });
    await time.pass(LEASE_MS);
    const { token, isTakeover } = await claimFor(store, 'run', 'other', time);
    expectSame('The next claim', { token, isTakeover }, { token: 2, isTakeover: true });
  },

  'refuses entries of every writer except the owner': async (store, time) => {
    await store.create(headerOf('run'));
    const token = await tokenFor(store, 'run', 'owner', time);
    for (const [what, options] of [
      ['without a token', {}],
      ['with a later token', { token: token + 1 }],
      ['with an earlier token', { token: token - 1 }],
    ] as const) {
      await expectRefused(`append ${what}`, 'run-conflict', () =>
        store.append('run', 0, entriesFrom(0, 1), options),
      );
    }
    await store.append('run', 0, entriesFrom(0, 1), { token });
    const run = await store.read('run');
    expectSame('The entries', run?.entries, entriesFrom(0, 1));
    expectSame('The token', run?.token, token);
  },

  'refuses a token when the run has no owner': async (store) => {
    await store.create(headerOf('run'));
    await expectRefused('append with a token', 'run-conflict', () =>
      store.append('run', 0, entriesFrom(0, 1), { token: 1 }),
    );
    await store.append('run', 0, entriesFrom(0, 1));
  },

  'lets an owner write after its lease until another owner has claimed the run': async (
    store,
    time,
  ) => {
    await store.create(headerOf('run'));
    const first = await tokenFor(store, 'run', 'first', time);
    await time.pass(LEASE_MS);
    await store.append('run', 0, entriesFrom(0, 1), { token: first });
    const second = await tokenFor(store, 'run', 'second', time);
    await expectRefused('append by the previous owner', 'run-conflict', () =>
      store.append('run', 1, entriesFrom(1, 2), { token: first }),
    );
    await store.append('run', 1, entriesFrom(1, 2), { token: second });
    expectSame('The entries', (await store.read('run'))?.entries, entriesFrom(0, 2));
  },

  'lets only the owner release a run': async (store, time) => {
    await store.create(headerOf('run'));
    const first = await tokenFor(store, 'run', 'first', time);
    await store.renew('second', LEASE_MS, time.now());
    await store.release('run', first + 1);
    expectSame(
      'A claim after a foreign release',
      await store.claim('run', 'second', time.now()),
      undefined,
    );
    await store.release('run', first);
    expectSame('The token of a released run', (await store.read('run'))?.token, undefined);
    await expectRefused('append after the release', 'run-conflict', () =>
      store.append('run', 0, entriesFrom(0, 1), { token: first }),
    );
    const second = await claimFor(store, 'run', 'second', time);
    expectThat(`Expected a token greater than ${first}`, second.token > first);
    expectSame('Whether it is a takeover', second.isTakeover, false);
    await store.release('unknown', 1);
  },

  'refuses a claim of a run that is unknown or has ended': async (store, time) => {
    await store.create(headerOf('run'));
    await store.renew('owner', LEASE_MS, time.now());
    const claim = (runId: string) => store.claim(runId, 'owner', time.now());
    expectSame('A claim of an unknown run', await claim('unknown'), undefined);
    await store.append('run', 0, entriesFrom(0, 1), { ended: true });
    expectSame('A claim of an ended run', await claim('run'), undefined);
    expectSame('The claimable runs', await store.claimable(time.now()), []);
  },

  'counts takeovers since the run last made progress': async (store, time) => {
    await store.create(headerOf('run'));
    await store.release('run', await tokenFor(store, 'run', 'first', time));
    await tokenFor(store, 'run', 'second', time);
    const takeovers = async (): Promise<number | undefined> =>
      (await claimableAfterLease(store, time))[0]?.takeovers;
    expectSame('Takeovers after a release', await takeovers(), 0);
    await tokenFor(store, 'run', 'third', time);
    expectSame('Takeovers after a lease', await takeovers(), 1);
    const token = await tokenFor(store, 'run', 'fourth', time);
    await store.append('run', 0, entriesFrom(0, 1), { token });
    expectSame('Takeovers after an entry', await takeovers(), 2);
    await store.append('run', 1, entriesFrom(1, 2), { token, hasProgressed: true });
    expectSame('Takeovers after progress', await takeovers(), 0);
  },

  'lists claimable runs, page by page, and no other runs': async (store, time) => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const runId of ids) await store.create(headerOf(runId));
    await tokenFor(store, 'b', 'owner', time);
    await store.append('d', 0, entriesFrom(0, 1), { ended: true });
    const idsOf = async (filter = {}): Promise<string[]> =>
      (await store.claimable(time.now(), filter)).map(({ runId }) => runId);
    expectSame('The claimable runs', await idsOf(), ['a', 'c', 'e']);
    expectSame('The first page', await idsOf({ limit: 2 }), ['a', 'c']);
    expectSame('The next page', await idsOf({ limit: 2, after: 'c' }), ['e']);
    await time.pass(LEASE_MS);
    expectSame('The claimable runs after a lease', await idsOf(), ['a', 'b', 'c', 'e']);
  },

  'lists the runs of an owner, and those with commands': async (store, time) => {
    for (const runId of ['one', 'two', 'three']) await store.create(headerOf(runId));
    const one = await tokenFor(store, 'one', 'owner', time);
    const two = await tokenFor(store, 'two', 'owner', time);
    const three = await tokenFor(store, 'three', 'other', time);
    const owned = async (filter = {}) =>
      [...(await store.owned('owner', filter))].sort((left, right) => left.token - right.token);
    const both = [
      { runId: 'one', token: one },
      { runId: 'two', token: two },
    ];
    expectSame(
      'The runs of the owner',
      (await owned()).map(({ runId }) => runId).sort(),
      both.map(({ runId }) => runId).sort(),
    );
    await store.post('two', commandOf('a'));
    await store.post('three', commandOf('a'));
    expectSame('Runs with commands', await owned({ hasCommands: true }), [both[1]]);
    await store.append('two', 0, [], { token: two, taken: takenOf('a') });
    expectSame('Runs with commands, once answered', await owned({ hasCommands: true }), []);
    await store.append('one', 0, entriesFrom(0, 1), { token: one, ended: true });
    expectSame('The runs of the owner after an end', await owned(), [both[1]]);
    await store.release('two', two);
    expectSame('The runs of the owner after a release', await owned(), []);
    expectSame('The runs of the other owner', (await store.owned('other'))[0]?.token, three);
  },

  'ends the lease of an owner that retires': async (store, time) => {
    await store.create(headerOf('run'));
    await tokenFor(store, 'run', 'first', time);
    await store.retire('first');
    const second = await claimFor(store, 'run', 'second', time);
    expectSame('Whether it is a takeover', second.isTakeover, true);
    await store.retire('unknown');
  },

  'keeps leases of years': async (store, time) => {
    await store.create(headerOf('run'));
    await store.renew('first', 100 * 365 * 86_400_000, time.now());
    await store.claim('run', 'first', time.now());
    await time.pass(LEASE_MS);
    await store.renew('second', LEASE_MS, time.now());
    expectSame('A claim later', await store.claim('run', 'second', time.now()), undefined);
  },
};

const claimableAfterLease = async (
  store: ContractStore,
  time: ContractTime,
): Promise<readonly ClaimableRun[]> => {
  await time.pass(LEASE_MS);
  return store.claimable(time.now());
};
