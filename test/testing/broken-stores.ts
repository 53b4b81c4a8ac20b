import { RunConflictError } from '../../src/errors.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { StoredCommand } from '../../src/model/run-store.js';
import type { ContractEntry, ContractStore } from '../../src/testing.js';

/* Stores that are wrong on purpose, each in the way its name says. */

type Break = (inner: ContractStore) => Partial<ContractStore>;

/** The number of entries, which the store in memory returns synchronously. */
const lengthOf = (inner: ContractStore, runId: string): number => {
  const run = inner.read(runId);
  return run === undefined || run instanceof Promise ? 0 : run.entries.length;
};

const inboxOf = (inner: ContractStore, runId: string): readonly StoredCommand[] => {
  const inbox = inner.inbox(runId);
  return inbox instanceof Promise ? [] : inbox;
};

const breaks: Readonly<Record<string, Break>> = {
  'ignores the expected sequence': (inner) => ({
    append: (runId, _expected, entries, options) =>
      inner.append(runId, lengthOf(inner, runId), entries, options),
  }),
  'keeps the first of the entries that it refuses': (inner) => ({
    append: (runId, expected, entries, options) => {
      const length = lengthOf(inner, runId);
      if (expected !== length) void inner.append(runId, length, entries.slice(0, 1), options);
      return inner.append(runId, expected, entries, options);
    },
  }),
  'checks first and writes later': (inner) => ({
    append: async (runId, expected, entries, options) => {
      if (lengthOf(inner, runId) !== expected) throw new RunConflictError('Another length');
      await Promise.resolve();
      await inner.append(runId, lengthOf(inner, runId), entries, options);
    },
  }),
  'loses half a surrogate pair': (inner) => ({
    append: (runId, expected, entries, options) =>
      inner.append(
        runId,
        expected,
        entries.map((entry) => ({
          ...entry,
          note: new TextDecoder().decode(new TextEncoder().encode(entry.note)),
        })),
        options,
      ),
  }),
  'cuts off what is too long': (inner) => ({
    append: (runId, expected, entries, options) =>
      inner.append(
        runId,
        expected,
        entries.map((entry) => ({ ...entry, note: entry.note.slice(0, 65_535) })),
        options,
      ),
  }),
  'takes every token': (inner) => {
    const tokens = new Map<string, number>();
    return {
      claim: async (...args) => {
        const [runId] = args;
        const claim = await inner.claim(...args);
        if (claim !== undefined) tokens.set(runId, claim.token);
        return claim;
      },
      append: (runId, expected, entries, { token, ...options } = {}) => {
        const latest = token === undefined ? undefined : tokens.get(runId);
        return inner.append(runId, expected, entries, {
          ...options,
          ...(latest === undefined ? {} : { token: latest }),
        });
      },
    };
  },
  'begins its tokens anew after a release': (inner) => {
    let latest = 1;
    return {
      claim: async (...args) => {
        const claim = await inner.claim(...args);
        if (claim !== undefined) latest = claim.token;
        return claim && { ...claim, token: 1 };
      },
      release: (runId, token) => inner.release(runId, token === 1 ? latest : token),
      append: (runId, expected, entries, options = {}) =>
        inner.append(runId, expected, entries, {
          ...options,
          ...(options.token === 1 ? { token: latest } : {}),
        }),
    };
  },
  'lets a lease last one millisecond longer': (inner) => ({
    renew: (owner, leaseMs, now) => inner.renew(owner, leaseMs + 1, now),
  }),
  'counts no takeovers': (inner) => ({
    claimable: async (...args) =>
      (await inner.claimable(...args)).map((run) => ({ ...run, takeovers: 0 })),
  }),
  'counts takeovers for ever': (inner) => ({
    append: (runId, expected, entries, options) =>
      inner.append(runId, expected, entries, { ...options, hasProgressed: false }),
  }),
  'tells no takeover from a first claim': (inner) => ({
    claim: async (...args) => {
      const claim = await inner.claim(...args);
      return claim && { ...claim, isTakeover: false };
    },
  }),
  'keeps the token of an owner that claims again': (inner) => {
    const tokens = new Map<string, number>();
    return {
      claim: async (runId, owner, now) => {
        const claim = await inner.claim(runId, owner, now);
        if (claim === undefined) return undefined;
        const token = tokens.get(`${runId} ${owner}`) ?? claim.token;
        tokens.set(`${runId} ${owner}`, token);
        return { ...claim, token };
      },
    };
  },
  'offers runs that have an owner': (inner) => ({
    claimable: async (now, filter) => inner.claimable(now + 1_000_000, filter),
  }),
  'lists the runs of every owner': (inner) => ({
    owned: async (_owner, filter) => [
      ...(await inner.owned('owner', filter)),
      ...(await inner.owned('other', filter)),
    ],
  }),
  'keeps the lease of an owner that retires': () => ({ retire: () => undefined }),
  'forgets the answers to commands': (inner) => ({
    post: async (...args) => ({ isOwned: (await inner.post(...args)).isOwned }),
  }),
  'takes every run for owned': (inner) => ({
    post: async (...args) => ({ ...(await inner.post(...args)), isOwned: true }),
  }),
  'returns all entries wherever reading begins': (inner) => ({
    read: (runId) => inner.read(runId),
  }),
  'lets every process release a claim': (inner) => {
    let latest = 0;
    return {
      claim: async (...args) => {
        const claim = await inner.claim(...args);
        if (claim !== undefined) latest = claim.token;
        return claim;
      },
      release: (runId) => inner.release(runId, latest),
    };
  },
  'keeps a command as often as it is posted': (inner) => {
    let count = 0;
    const own = new Map<string, string>();
    return {
      post: (runId, command) => {
        count += 1;
        own.set(`${count}`, command.id);
        return inner.post(runId, { ...command, id: `${count}` });
      },
      inbox: (runId) =>
        inboxOf(inner, runId).map((command) => ({ ...command, id: own.get(command.id) ?? '' })),
    };
  },
  'takes commands whether or not the append is refused': (inner) => {
    const taken = new Set<string>();
    return {
      append: (runId, expected, entries, options) => {
        for (const { id } of options?.taken ?? []) taken.add(`${runId} ${id}`);
        return inner.append(runId, expected, entries, options);
      },
      inbox: (runId) => inboxOf(inner, runId).filter(({ id }) => !taken.has(`${runId} ${id}`)),
    };
  },
  'hands out commands by their id instead of their turn': (inner) => ({
    inbox: (runId) =>
      [...inboxOf(inner, runId)].sort((left, right) => (left.id < right.id ? -1 : 1)),
  }),
  'has no room for the last of ten thousand': (inner) => ({
    inbox: (runId) => inboxOf(inner, runId).slice(0, 9_999),
  }),
  'forgets the state with the next append': (inner) => ({
    append: (runId, expected, entries, options) =>
      inner.append(runId, expected, entries, { state: null, ...options }),
  }),
  'takes capitals for small letters': (inner) => {
    const low = (runId: string): string => runId.toLowerCase();
    return {
      create: (header) => inner.create({ ...header, runId: low(header.runId) }),
      read: (runId) => inner.read(low(runId)),
    };
  },
  'trims ids': (inner) => ({
    create: (header) => inner.create({ ...header, runId: header.runId.trim() }),
    read: (runId) => inner.read(runId.trim()),
  }),
  'deletes everything that looks like the id': (inner) => ({
    delete: async (runId) => {
      const pattern = new RegExp(
        `^${runId.replace(/[^\p{L}%]/gu, '.').replaceAll('%', '.*')}$`,
        'u',
      );
      for (const { header } of await inner.list()) {
        if (pattern.test(header.runId)) await inner.delete(header.runId);
      }
    },
  }),
  'leaves the inbox of a deleted run behind': (inner) => {
    const left = new Map<string, readonly StoredCommand[]>();
    return {
      delete: (runId) => {
        left.set(runId, inboxOf(inner, runId));
        return inner.delete(runId);
      },
      inbox: (runId) => [...(left.get(runId) ?? []), ...inboxOf(inner, runId)],
    };
  },
  'lists in the order of creation': (inner) => {
    const order: string[] = [];
    return {
      create: async (header) => {
        await inner.create(header);
        order.push(header.runId);
      },
      list: async (filter) =>
        [...(await inner.list(filter))].sort(
          (left, right) => order.indexOf(left.header.runId) - order.indexOf(right.header.runId),
        ),
    };
  },
  'begins every page at the first run': (inner) => ({
    list: ({ ended, limit } = {}) =>
      inner.list({
        ...(ended === undefined ? {} : { ended }),
        ...(limit === undefined ? {} : { limit }),
      }),
  }),
  'filters after it has cut the page': (inner) => ({
    list: async ({ ended, ...filter } = {}) =>
      (await inner.list(filter)).filter((run) => ended === undefined || run.ended === ended),
  }),
  'lends its own list': (inner) => ({
    read: async (runId) => {
      const run = await inner.read(runId);
      return run && { ...run, entries: [...run.entries] };
    },
  }),
  'calls listeners for ever': (inner) => ({
    watch: (runId, listener) => {
      inner.watch?.(runId, listener);
      return () => undefined;
    },
  }),
  'calls the listeners of all runs': (inner) => {
    const listeners = new Set<() => void>();
    return {
      post: async (runId, command) => {
        const posted = await inner.post(runId, command);
        for (const listener of listeners) listener();
        return posted;
      },
      watch: (_runId, listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
  },
};

export const brokenStores: readonly (readonly [flaw: string, create: () => ContractStore])[] =
  Object.entries(breaks).map(([flaw, breakStore]) => [
    flaw,
    () => {
      const inner = memoryStore<ContractEntry>();
      return { ...inner, ...breakStore(inner) };
    },
  ]);
