import { readableText } from '../../../canonical-json.js';
import { RunConflictError } from '../../../errors.js';
import type { Clock } from '../../clock.js';
import { systemClock } from '../../clock.js';
import type { RunHeader, RunStore, StoredEntry, StoredRun } from '../../../model/run-store.js';
import { listLimit } from '../../store-limits.js';
import { checkId, lookupId } from '../../stored-id.js';
import { append } from './append.js';
import type { Tables } from './database.js';
import { Database } from './database.js';
import { post, readInbox } from './inbox.js';
import { Notifications } from './notifications.js';
import type { PostgresStoreOptions } from './options.js';
import { checkedOptions } from './options.js';
import { connectionsOf, ownConnections } from './pool.js';
import { claim, claimable, owned, release, renew, retire } from './ownership.js';
import { listRuns, readRun } from './read.js';
import { migrate } from './schema.js';
import { columnOf } from './json-column.js';
import { timeOf } from './server-time.js';
import { Sockets } from './sockets.js';

/**
 * Keeps runs in PostgreSQL: the store for several machines. Watchers of a run are notified at once when another process
 * writes to it. Leases and the times of commands use the clock of the server.
 *
 * The first call creates or migrates the tables. When the server cannot be reached, or does not answer in time, a call
 * fails with StoreUnavailableError, and the next one tries again.
 *
 * @example
 * ```ts
 * import { postgresStore } from 'planwright/store/postgres';
 *
 * const store = postgresStore({ url: 'postgres://localhost/planwright' });
 * const orchestrator = createOrchestrator({ agents, planner, store });
 *
 * // Or with a pool that you have already, and close yourself.
 * const shared = postgresStore({ pool: new pg.Pool({ connectionString, max: 10 }) });
 * ```
 */
export function postgresStore<Entry extends StoredEntry = StoredEntry>(
  options: PostgresStoreOptions,
): RunStore<Entry> {
  const { ready, notifications, close } = partsOf(options);
  return {
    create: async (header, owner) => {
      checkId(header.runId, 'runId');
      await create(await ready(), header, owner ?? null);
    },
    append: async (runId, expectedSequence, entries, appendOptions = {}) =>
      append(await ready(), runId, expectedSequence, entries, appendOptions),
    read: async (runId, from = 0) =>
      (await readRun(await ready(), runId, from)) as StoredRun<Entry> | undefined,
    list: async (filter = {}) => {
      const checkedLimit = listLimit(filter.limit);
      return listRuns(await ready(), filter, checkedLimit);
    },
    renew: async (owner, leaseMs) => renew(await ready(), owner, leaseMs),
    claim: async (runId, owner) => claim(await ready(), runId, owner),
    owned: async (owner, { hasCommands = false } = {}) => owned(await ready(), owner, hasCommands),
    claimable: async (_now, { after = '', limit } = {}) => {
      const checkedLimit = listLimit(limit);
      return claimable(await ready(), after, checkedLimit);
    },
    release: async (runId, token) => release(await ready(), runId, token),
    retire: async (owner) => retire(await ready(), owner),
    post: async (runId, command) => {
      checkId(command.id, 'command.id');
      return post(await ready(), runId, command);
    },
    inbox: async (runId) => readInbox(await ready(), runId),
    delete: async (runId) => {
      const { ask, schema } = await ready();
      await ask(`DELETE FROM ${schema}.runs WHERE run_id = $1`, lookupId(runId));
    },
    watch: (runId, listener) => notifications.watch(runId, listener),
    close,
  };
}

async function create(
  { ask, schema }: Tables,
  header: RunHeader,
  owner: string | null,
): Promise<void> {
  const { runId, goal, labels = {}, startedAt } = header;
  const at = timeOf('$4');
  const sql = `INSERT INTO ${schema}.runs (run_id, goal, labels, created_at, updated_at, header, owner, token)
    VALUES ($1, $2, $3::jsonb, ${at}, ${at}, $5::jsonb, $6, $7) ON CONFLICT DO NOTHING RETURNING run_id`;
  const told = [runId, readableText(goal), columnOf(labels), Math.floor(startedAt)] as const;
  const created = await ask(sql, ...told, columnOf(header), owner, owner === null ? 0 : 1);
  if (created.length === 0) {
    throw new RunConflictError(`There is a run '${header.runId}' already`);
  }
}

interface Parts {
  /** Resolves when the tables exist; after a failure the next call tries again. */
  readonly ready: () => Promise<Tables>;
  readonly notifications: Notifications;
  readonly close: () => Promise<void>;
}

function partsOf(options: PostgresStoreOptions): Parts {
  const { url, pool, schema, maxConnections, timeoutMs, createTables } = checkedOptions(options);
  const clock = systemClock();
  const sockets = new Sockets();
  const connections =
    pool === undefined
      ? ownConnections(maxConnections, { url, timeoutMs, sockets })
      : connectionsOf(pool);
  const database = new Database(connections, timeoutMs);
  // Two schemas in one database do not wake each other.
  const channel = `planwright ${schema}`;
  const notifications = new Notifications(connections, timeoutMs, quoted(channel), clock);
  const tables = { ask: database.ask, schema: quoted(schema), channel };
  let migration: Promise<Tables> | undefined;
  const ready = (): Promise<Tables> => {
    migration ??= migrate(database, tables.schema, createTables).then(
      () => tables,
      (error: unknown) => {
        migration = undefined;
        throw error;
      },
    );
    return migration;
  };
  const close = async (): Promise<void> => {
    const closed = Promise.all([notifications.close(), database.close()]);
    await within(timeoutMs, clock, closed);
    sockets.destroyAll();
  };
  return { ready, notifications, close };
}

/** Returns when the work is done, or when the time is over. */
async function within(timeoutMs: number, clock: Clock, work: Promise<unknown>): Promise<void> {
  let timer: unknown;
  const timeout = new Promise<void>((resolve) => {
    timer = clock.setTimeout(resolve, timeoutMs);
  });
  try {
    await Promise.race([work, timeout]);
  } finally {
    clock.clearTimeout(timer);
  }
}

/** Names are checked before: they contain nothing that needs escaping. */
const quoted = (name: string): string => `"${name}"`;
