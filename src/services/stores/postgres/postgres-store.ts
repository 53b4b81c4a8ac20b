import { RunConflictError } from '../../../errors.js';
import type { JournalEntry } from '../../../journal/entry.js';
import { systemClock } from '../../clock.js';
import type { RunStore, StoredEntry, StoredRun } from '../../run-store.js';
import { listLimit } from '../../store-limits.js';
import { checkId } from '../../stored-id.js';
import { Database } from './database.js';
import { Notifications } from './notifications.js';
import type { PostgresStoreOptions } from './options.js';
import { checkedOptions } from './options.js';
import { migrate, numberOf } from './schema.js';
import { runOf, Statements } from './statements.js';
import { append, checkPosted, headerOf, readRun } from './transactions.js';

/**
 * Runs in PostgreSQL: the store for several machines. Whoever watches a run hears at once of what another process
 * has written to it.
 *
 * The tables are made, or brought up to date, at the first call. When the server cannot be reached a call is refused
 * with StoreUnavailableError, and the next one tries again.
 *
 * @example
 * ```ts
 * import { postgresStore } from 'planwright/store/postgres';
 *
 * const store = postgresStore({ url: 'postgres://localhost/planwright' });
 * const orchestrator = createOrchestrator({ agents, planner, store });
 * ```
 */
export function postgresStore<Entry extends StoredEntry = JournalEntry>(
  options: PostgresStoreOptions,
): RunStore<Entry> {
  const { database, statements, notifications, channel, ready } = partsOf(options);
  const { ask } = database;

  return {
    create: async (header) => {
      checkId(header.runId, 'runId');
      await ready();
      if (!(await statements.insertRun(ask, header.runId, JSON.stringify(header))))
        throw new RunConflictError(`There is a run '${header.runId}' already`);
    },
    append: async (runId, expectedSequence, entries, appendOptions = {}) => {
      await ready();
      await database.write(
        (asking) =>
          append({ ask: asking, statements }, runId, expectedSequence, entries, appendOptions),
        { channel, text: runId },
      );
    },
    read: async (runId) => {
      await ready();
      const run = await database.read((asking) => readRun({ ask: asking, statements }, runId));
      return run as StoredRun<Entry> | undefined;
    },
    list: async ({ ended, after = '', limit } = {}) => {
      const checkedLimit = listLimit(limit);
      await ready();
      const rows = await statements.list(ask, ended ?? null, after, checkedLimit);
      return rows.map((row) => ({
        header: headerOf(row),
        entryCount: numberOf(row, 'count'),
        ended: runOf(row).ended,
      }));
    },
    claim: async (runId, owner, leaseMs, now) => {
      await ready();
      const row = await statements.claim(ask, runId, owner, now + leaseMs, now);
      return row && { token: numberOf(row, 'token'), takeovers: numberOf(row, 'takeovers') };
    },
    release: async (runId, token) => {
      await ready();
      await statements.release(ask, runId, token);
    },
    post: async (runId, { id, at, command }) => {
      checkId(id, 'command.id');
      await ready();
      const body = JSON.stringify({ at, command });
      checkPosted(runId, await statements.post(ask, runId, id, body, channel));
    },
    inbox: async (runId) => {
      await ready();
      return statements.inbox(ask, runId);
    },
    delete: async (runId) => {
      await ready();
      await statements.delete(ask, runId);
    },
    watch: (runId, listener) => notifications.watch(runId, listener),
    close: async () => {
      await notifications.close();
      await database.close();
    },
  };
}

interface Parts {
  readonly database: Database;
  readonly statements: Statements;
  readonly notifications: Notifications;
  readonly channel: string;
  /** Resolves when the tables are there; a failure is tried again by the next call. */
  readonly ready: () => Promise<void>;
}

function partsOf(options: PostgresStoreOptions): Parts {
  const { url, schema, maxConnections } = checkedOptions(options);
  const clock = systemClock();
  const database = new Database({ url, maxConnections }, clock);
  // Two schemas of one database do not wake each other.
  const channel = `planwright ${schema}`;
  let migration: Promise<void> | undefined;
  const ready = (): Promise<void> => {
    migration ??= migrate(database, quoted(schema)).catch((error: unknown) => {
      migration = undefined;
      throw error;
    });
    return migration;
  };
  return {
    database,
    channel,
    statements: new Statements(quoted(schema)),
    notifications: new Notifications(url, quoted(channel), clock),
    ready,
  };
}

/** Names are checked: they have nothing in them that would need escaping. */
const quoted = (name: string): string => `"${name}"`;
