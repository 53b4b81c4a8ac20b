import { JournalCorruptError } from '../../../errors.js';
import { toFailure } from '../../../failure.js';
import type { Database } from './database.js';
import { numberOf } from './database.js';

/** The version of the tables below. */
const SCHEMA_VERSION = 1;

/** One migration at a time on a server: an arbitrary number. */
const MIGRATION_LOCK = 0x506c616e;

const version1 = (schema: string): readonly string[] => [
  `CREATE SCHEMA IF NOT EXISTS ${schema}`,
  `CREATE TABLE ${schema}.versions (
    version integer PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now()
  )`,
  // Ids are compared byte by byte: 'C' is the only collation that takes no two of them for one.
  `CREATE TABLE ${schema}.runs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id text COLLATE "C" NOT NULL UNIQUE,
    ended boolean NOT NULL DEFAULT false,
    entry_count integer NOT NULL DEFAULT 0,
    checksum bigint NOT NULL DEFAULT 0,
    owner text COLLATE "C",
    token bigint NOT NULL DEFAULT 0,
    is_taken_over boolean NOT NULL DEFAULT false,
    takeovers integer NOT NULL DEFAULT 0,
    waiting integer NOT NULL DEFAULT 0,
    header text NOT NULL
  )`,
  `CREATE INDEX unfinished_runs ON ${schema}.runs (run_id) WHERE NOT ended`,
  `CREATE INDEX held_runs ON ${schema}.runs (owner, run_id) WHERE NOT ended`,
  `CREATE INDEX runs_with_commands ON ${schema}.runs (owner, run_id) WHERE NOT ended AND waiting > 0`,
  // One row per process, however many runs it holds. Milliseconds since the epoch, by the clock of the server.
  `CREATE TABLE ${schema}.owners (
    owner text COLLATE "C" PRIMARY KEY,
    lease_ends_at double precision NOT NULL
  )`,
  `CREATE TABLE ${schema}.entries (
    run bigint NOT NULL REFERENCES ${schema}.runs ON DELETE CASCADE,
    sequence integer NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (run, sequence)
  )`,
  `CREATE TABLE ${schema}.states (
    run bigint PRIMARY KEY REFERENCES ${schema}.runs ON DELETE CASCADE,
    sequence integer NOT NULL,
    body text NOT NULL
  )`,
  // A command that was taken keeps its id and has an answer instead of a body.
  `CREATE TABLE ${schema}.commands (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run bigint NOT NULL REFERENCES ${schema}.runs ON DELETE CASCADE,
    command_id text COLLATE "C" NOT NULL,
    posted_at double precision NOT NULL,
    body text,
    answer text,
    UNIQUE (run, command_id)
  )`,
  `CREATE INDEX waiting_commands ON ${schema}.commands (run, id) WHERE body IS NOT NULL`,
];

/** The statements that lead from one version to the next, from the first. */
const migrations = [version1];

/**
 * Creates the tables, or brings them up to date, in one transaction; other processes wait for it. When the tables are
 * up to date this only reads, so a role that may not create tables can use the store.
 *
 * @param schema quoted
 */
export async function migrate(database: Database, schema: string): Promise<void> {
  if ((await versionOf(database, schema)) === SCHEMA_VERSION) return;
  await database.transaction(async (ask) => {
    await ask('SELECT pg_advisory_xact_lock($1)', MIGRATION_LOCK);
    const version = await versionOf({ ask }, schema);
    for (const [index, migration] of migrations.entries()) {
      if (index < version) continue;
      for (const statement of migration(schema)) await ask(statement).catch(refuseForeign);
      await ask(`INSERT INTO ${schema}.versions (version) VALUES ($1)`, index + 1);
    }
  });
}

/** 0 when there are no tables of ours. */
async function versionOf({ ask }: Pick<Database, 'ask'>, schema: string): Promise<number> {
  // A query, not to_regclass(), which may answer from a cache that is older than the lock.
  const tables = await ask(
    `SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'versions'`,
    schema.replaceAll('"', ''),
  );
  if (tables.length === 0) return 0;
  const rows = await ask(`SELECT max(version) AS version FROM ${schema}.versions`);
  const version = numberOf(rows[0], 'version');
  if (version <= SCHEMA_VERSION) return version;
  const text = `Schema ${schema} has version ${version}; this release of planwright knows up to ${SCHEMA_VERSION}`;
  throw new JournalCorruptError('newer', text);
}

/** A table of the same name belongs to another program. */
const refuseForeign = (error: unknown): never => {
  const { cause } = error as Error;
  if (toFailure(cause).code !== '42P07') throw error;
  const text = `The schema is in use by another program: ${toFailure(cause).message}`;
  throw new JournalCorruptError('foreign', text, { cause });
};
