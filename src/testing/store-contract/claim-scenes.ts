import type { Scene } from './contract-case.js';
import { entriesFrom, headerOf, tokenFor } from './contract-case.js';
import { expectRefused, expectSame, expectThat } from './expectation.js';

export const claimScenes: Readonly<Record<string, Scene>> = {
  'gives a run to one owner at a time': async (store) => {
    await store.create(headerOf('run'));
    const first = await store.claim('run', 'first', 1_000, 0);
    expectSame('The takeovers of a new run', first?.takeovers, 0);
    expectThat('A token is not an integer', Number.isInteger(first?.token));
    expectSame(
      'A claim before the end of the lease',
      await store.claim('run', 'second', 1_000, 999),
      undefined,
    );
  },

  'gives a run with a greater token to the next owner once the lease is over': async (store) => {
    await store.create(headerOf('run'));
    const first = await tokenFor(store, 'run', 'first', 0);
    const second = await tokenFor(store, 'run', 'second', 1_000);
    expectThat(`Expected a token greater than ${first}, got ${second}`, second > first);
    expectSame(
      'The first owner comes back too early',
      await store.claim('run', 'first', 1_000, 1_999),
      undefined,
    );
  },

  'renews the lease of its owner, who keeps the token': async (store) => {
    await store.create(headerOf('run'));
    const first = await store.claim('run', 'first', 1_000, 0);
    expectSame('A renewed claim', await store.claim('run', 'first', 1_000, 800), first);
    expectSame('A claim by another', await store.claim('run', 'second', 1_000, 1_500), undefined);
    expectSame('A late renewal', await store.claim('run', 'first', 1_000, 5_000), first);
  },

  'lets nobody write but the owner': async (store) => {
    await store.create(headerOf('run'));
    const token = await tokenFor(store, 'run', 'owner', 0);
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
    expectSame('The entries', (await store.read('run'))?.entries, entriesFrom(0, 1));
  },

  'refuses a token when nobody has claimed the run': async (store) => {
    await store.create(headerOf('run'));
    await expectRefused('append with a token nobody has', 'run-conflict', () =>
      store.append('run', 0, entriesFrom(0, 1), { token: 1 }),
    );
    await store.append('run', 0, entriesFrom(0, 1));
  },

  'stops the owner who was replaced, and not before': async (store) => {
    await store.create(headerOf('run'));
    const first = await tokenFor(store, 'run', 'first', 0);
    await store.append('run', 0, entriesFrom(0, 1), { token: first });
    const second = await tokenFor(store, 'run', 'second', 2_000);
    await expectRefused('append by the owner who was replaced', 'run-conflict', () =>
      store.append('run', 1, entriesFrom(1, 2), { token: first }),
    );
    await store.append('run', 1, entriesFrom(1, 2), { token: second });
    expectSame('The entries', (await store.read('run'))?.entries, entriesFrom(0, 2));
  },

  'takes a claim back from its owner only': async (store) => {
    await store.create(headerOf('run'));
    const first = await tokenFor(store, 'run', 'first', 0);
    await store.release('run', first + 1);
    expectSame(
      'A claim after a foreign release',
      await store.claim('run', 'second', 1_000, 10),
      undefined,
    );
    await store.release('run', first);
    await expectRefused('append after the release', 'run-conflict', () =>
      store.append('run', 0, entriesFrom(0, 1), { token: first }),
    );
    const second = await tokenFor(store, 'run', 'second', 20);
    expectThat(`Expected a token greater than ${first}, got ${second}`, second > first);
    await store.release('unknown', 1);
  },

  'gives a new token to an owner who comes back': async (store) => {
    await store.create(headerOf('run'));
    const first = await tokenFor(store, 'run', 'owner', 0);
    await store.release('run', first);
    const second = await tokenFor(store, 'run', 'owner', 0);
    expectThat(`Expected a token greater than ${first}, got ${second}`, second > first);
  },

  'gives nobody a run that is unknown or has ended': async (store) => {
    await store.create(headerOf('run'));
    expectSame(
      'A claim of an unknown run',
      await store.claim('unknown', 'owner', 1_000, 0),
      undefined,
    );
    await store.append('run', 0, entriesFrom(0, 1), { ended: true });
    expectSame('A claim of an ended run', await store.claim('run', 'owner', 1_000, 0), undefined);
  },

  'counts how often a run was taken from an owner who let the lease run out': async (store) => {
    await store.create(headerOf('run'));
    const takeoversOf = async (owner: string, now: number): Promise<number | undefined> =>
      (await store.claim('run', owner, 1_000, now))?.takeovers;
    await store.release('run', await tokenFor(store, 'run', 'first', 0));
    expectSame('Takeovers after a release', await takeoversOf('second', 0), 0);
    expectSame('Takeovers after a lease', await takeoversOf('third', 1_000), 1);
    expectSame('Takeovers after a late renewal', await takeoversOf('third', 5_000), 1);
    expectSame('Takeovers after another lease', await takeoversOf('fourth', 6_000), 2);
    await store.create(headerOf('other'));
    const other = await store.claim('other', 'first', 1_000, 0);
    expectSame('Takeovers of another run', other?.takeovers, 0);
  },

  'keeps times of today and leases of years': async (store) => {
    const now = 1_800_000_000_123;
    await store.create(headerOf('run'));
    await store.claim('run', 'first', 100 * 365 * 86_400_000, now);
    expectSame(
      'A claim a year later',
      await store.claim('run', 'second', 1, now + 365 * 86_400_000),
      undefined,
    );
  },
};
