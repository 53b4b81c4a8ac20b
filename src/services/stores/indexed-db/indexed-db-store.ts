import { ConfigurationError } from '../../../errors.js';
import { ListenerSet } from '../../listener-set.js';
import type { RunStore, StoredEntry, StoredRun } from '../../../model/run-store.js';
import { listLimit } from '../../store-limits.js';
import { checkId } from '../../stored-id.js';
import { Database } from './database.js';
import type { PageOfOwner } from './owner-locks.js';
import { OwnerLocks } from './owner-locks.js';
import {
  append,
  claim,
  claimable,
  create,
  deleteRun,
  inbox,
  list,
  owned,
  ownerOf,
  post,
  readRun,
  release,
} from './transactions.js';

export interface IndexedDbStoreOptions {
  /** The name of the database; every page of a site may use the same. */
  readonly name: string;
}

/**
 * Keeps runs in the browser, shared by all tabs and workers of a site: a run can be resumed after a reload.
 *
 * @example
 * ```ts
 * import { indexedDbStore } from 'planwright/store/indexed-db';
 *
 * const store = indexedDbStore({ name: 'runs' });
 * const orchestrator = createOrchestrator({ agents, planner, store });
 * ```
 */
export function indexedDbStore<Entry extends StoredEntry = StoredEntry>({
  name,
}: IndexedDbStoreOptions): RunStore<Entry> {
  checkName(name);
  const database = new Database(name);
  const news = new News(name);
  const locks = new OwnerLocks(name);

  return {
    create: async (header, owner) => {
      checkId(header.runId, 'runId');
      await database.write((tables) => create(tables, header, owner ?? null));
    },
    append: async (runId, expectedSequence, entries, options = {}) => {
      await database.write((tables) => append(tables, runId, expectedSequence, entries, options));
      news.tell(runId);
    },
    read: (runId, from = 0) =>
      database.read(
        (tables) => readRun(tables, runId, from) as Promise<StoredRun<Entry> | undefined>,
      ),
    list: async (filter = {}) => {
      listLimit(filter.limit);
      return database.read((tables) => list(tables, filter));
    },
    renew: async (owner, leaseMs, now) => {
      await locks.enter(owner);
      await database.write(async (tables) => tables.owners.put(now + leaseMs, owner));
    },
    claim: async (runId, owner, now) => {
      // Read before the locks: the owner that a run has now, and that has no lock afterwards, is gone. An owner that
      // claims the run between these transactions has its lock.
      const previous = await database.read((tables) => ownerOf(tables, runId));
      const seen = await locks.look();
      const pageOf = (other: string | null): PageOfOwner =>
        other === previous ? seen(other) : 'open';
      return database.write((tables) => claim(tables, runId, owner, { now, pageOf }));
    },
    owned: (owner, filter = {}) => database.read((tables) => owned(tables, owner, filter)),
    claimable: async (now, { after = '', limit } = {}) => {
      const checkedLimit = listLimit(limit);
      const pageOf = await locks.look();
      return database.read((tables) => claimable(tables, { now, pageOf }, after, checkedLimit));
    },
    release: (runId, token) => database.write((tables) => release(tables, runId, token)),
    retire: async (owner) => {
      await database.write(async (tables) => tables.owners.delete(owner));
      locks.leave(owner);
    },
    post: async (runId, command) => {
      checkId(command.id, 'command.id');
      const pageOf = await locks.look();
      const { isNew, ...posted } = await database.write((tables) =>
        post(tables, runId, command, pageOf),
      );
      if (isNew) news.tell(runId);
      return posted;
    },
    inbox: (runId) => database.read((tables) => inbox(tables, runId)),
    delete: (runId) => database.write((tables) => deleteRun(tables, runId)),
    watch: (runId, listener) => news.watch(runId, listener),
    close: async () => {
      news.close();
      await database.close();
      locks.close();
    },
  };
}

function checkName(name: unknown): void {
  if (typeof name === 'string' && name !== '') return;
  const message = 'Expected the name of a database';
  throw new ConfigurationError([{ code: 'invalid-name', path: 'name', message }]);
}

/** Notifies all tabs and workers of the site, including this one, which run was written to. */
class News {
  readonly #listeners = new ListenerSet();
  readonly #channel: BroadcastChannel;

  constructor(name: string) {
    this.#channel = new BroadcastChannel(`planwright ${name}`);
    this.#channel.onmessage = ({ data }) => this.#listeners.tell(String(data));
  }

  tell(runId: string): void {
    this.#listeners.tell(runId);
    this.#channel.postMessage(runId);
  }

  watch(runId: string, listener: () => void): () => void {
    return this.#listeners.add(runId, listener);
  }

  close(): void {
    this.#channel.close();
  }
}
