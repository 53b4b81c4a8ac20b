import { describe, expect, it } from 'vitest';

import { memoryStore } from '../../src/services/memory-store.js';
import type { ContractEntry, ContractStore } from '../../src/testing.js';
import { storeContract } from '../../src/testing.js';
import { brokenStores } from './broken-stores.js';

/** The case meant for a flaw: a store that fails only other cases would be detected by chance. */
const meantFor: Readonly<Record<string, string>> = {
  'ignores the expected sequence': 'journal: refuses entries for another length',
  'keeps the first of the entries that it refuses': 'journal: refuses entries for another length',
  'checks first and writes later': 'journal: accepts exactly one of several concurrent appends',
  'loses half a surrogate pair': 'journal: reads back created and appended data',
  'cuts off what is too long': 'journal: keeps an entry of two million characters',
  'takes every token': 'claim: lets an owner write after its lease until another',
  'begins its tokens anew after a release': 'claim: lets only the owner release a run',
  'lets a lease last one millisecond longer': 'claim: gives the next owner a greater token',
  'counts no takeovers': 'claim: counts takeovers since',
  'counts takeovers for ever': 'claim: counts takeovers since',
  'tells no takeover from a first claim': 'claim: gives the next owner a greater token',
  'keeps the token of an owner that claims again': 'claim: gives an owner that claims its own',
  'offers runs that have an owner': 'claim: lists claimable runs',
  'lists the runs of every owner': 'claim: lists the runs of an owner',
  'keeps the lease of an owner that retires': 'claim: ends the lease of an owner',
  'forgets the answers to commands': 'inbox: returns the answer to a command',
  'takes every run for owned': 'inbox: tells whether the run has an owner',
  'returns all entries wherever reading begins': 'journal: returns the entries from',
  'lets every process release a claim': 'claim: lets only the owner release a run',
  'keeps a command as often as it is posted': 'inbox: keeps a command once',
  'takes commands whether or not the append is refused': 'inbox: removes nothing',
  'hands out commands by their id instead of their turn': 'inbox: keeps commands unchanged',
  'has no room for the last of ten thousand': 'inbox: holds ten thousand commands',
  'forgets the state with the next append': 'journal: keeps the latest state',
  'takes capitals for small letters': 'ids: keeps runs with similar ids apart',
  'trims ids': 'ids: keeps runs with similar ids apart',
  'deletes everything that looks like the id': 'ids: keeps runs with similar ids apart',
  'leaves the inbox of a deleted run behind': 'inbox: keeps the inboxes of runs apart',
  'lists in the order of creation': 'list: lists all runs in the order of their ids',
  'begins every page at the first run': 'list: continues with the next page',
  'filters after it has cut the page': 'list: filters by ended and unfinished',
  'lends its own list': 'journal: returns data that later writes do not change',
  'calls listeners for ever': 'watch: calls a listener for commands and entries, until it stops',
  'calls the listeners of all runs': 'watch: calls a listener only for its own run',
};

const caseFor = (flaw: string, create: () => ContractStore) => {
  const cases = storeContract(create).filter(({ name }) =>
    name.startsWith(meantFor[flaw] ?? 'no case'),
  );
  if (cases[0] === undefined || cases.length > 1) throw new Error(`No case is meant for ${flaw}`);
  return cases[0];
};

describe('storeContract', () => {
  it.each(brokenStores)('detects a store that %s', async (flaw, create) => {
    const { run } = caseFor(flaw, create);
    await expect(run()).rejects.toThrow(/^[^\n]{10,}$/);
    // The same case passes when nothing is broken.
    await caseFor(flaw, () => memoryStore()).run();
  });

  it('reports the expected and the actual value', async () => {
    const [, create] = brokenStores.find(([flaw]) => flaw === 'counts no takeovers') ?? [];
    if (create === undefined) throw new Error('There is no such store');
    await expect(caseFor('counts no takeovers', create).run()).rejects.toThrow(
      'Takeovers after a lease: expected 1, got 0',
    );
  });

  it('detects two store objects that do not share their runs', async () => {
    const createShared = () =>
      [memoryStore<ContractEntry>(), memoryStore<ContractEntry>()] as const;
    const cases = storeContract(() => memoryStore(), { createShared });
    const shared = cases.filter(
      ({ name }) => name.startsWith('shared: ') && !name.includes('a watch'),
    );
    expect(shared.length).toBeGreaterThan(4);
    for (const { run } of shared) await expect(run()).rejects.toThrow();
  });

  it('closes every store that it opened, also when the store is wrong', async () => {
    let opened = 0;
    let closed = 0;
    const create = (): ContractStore => {
      opened += 1;
      const inner = memoryStore<ContractEntry>();
      return {
        ...inner,
        close: () => {
          closed += 1;
        },
        create: () => {
          throw new Error('Broken');
        },
      };
    };
    const createShared = () => [create(), create()] as const;
    for (const { run } of storeContract(create, { createShared }))
      await run().catch(() => undefined);
    expect(opened).toBeGreaterThan(40);
    expect(closed).toBe(opened);
  });
});
