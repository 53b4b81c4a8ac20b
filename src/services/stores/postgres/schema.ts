import { JournalCorruptError } from '../../../errors.js';
import { toFailure } from '../../../failure.js';
import type { Database } from './database.js';
import { numberOf } from './database.js';

/** The version of the tables below. */
const SCHEMA_VERSION = 1;

/** Allows one migration at a time on a server: an arbitrary number. */
const MIGRATION_LOCK = 0x506c616e;

const version1 = (schema: string): readonly string[] => [
  `CREATE SCHEMA IF NOT EXISTS ${schema}`,
  `CREATE TABLE ${schema}.versions (
    version integer PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now()
  )`,
  // Readable by people: docs/stores.md describes the tables. Columns for the store itself come last.
  `CREATE TABLE ${schema}.runs (
    run_id text COLLATE "C" PRIMARY KEY,
    goal text NOT NULL,
    status text NOT NULL DEFAULT 'running',
    phase text,
    reason text,
    open_approvals integer NOT NULL DEFAULT 0,
    labels jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    ended_at timestamptz,
    owner text COLLATE "C",
    token bigint NOT NULL DEFAULT 0,
    is_takeover boolean NOT NULL DEFAULT false,
    takeovers integer NOT NULL DEFAULT 0,
    entry_count integer NOT NULL DEFAULT 0,
    waiting_commands integer NOT NULL DEFAULT 0,
    header jsonb NOT NULL,
    checksum bigint NOT NULL DEFAULT 0
  )`,
  `CREATE INDEX runs_by_start ON ${schema}.runs (created_at, run_id)`,
  `CREATE INDEX runs_by_status ON ${schema}.runs (status, created_at, run_id)`,
  `CREATE INDEX runs_by_label ON ${schema}.runs USING gin (labels jsonb_path_ops)`,
  `CREATE INDEX held_runs ON ${schema}.runs (owner, run_id) WHERE ended_at IS NULL`,
  `CREATE INDEX runs_with_commands ON ${schema}.runs (owner, run_id)
    WHERE ended_at IS NULL AND waiting_commands > 0`,
  `CREATE TABLE ${schema}.entries (
    run_id text COLLATE "C" NOT NULL REFERENCES ${schema}.runs ON DELETE CASCADE,
    sequence integer NOT NULL,
    at timestamptz NOT NULL,
    kind text NOT NULL,
    body jsonb NOT NULL,
    PRIMARY KEY (run_id, sequence)
  )`,
  // A taken command keeps its id and has an answer instead of a body.
  `CREATE TABLE ${schema}.commands (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id text COLLATE "C" NOT NULL REFERENCES ${schema}.runs ON DELETE CASCADE,
    command_id text COLLATE "C" NOT NULL,
    posted_at timestamptz NOT NULL,
    body jsonb,
    answer jsonb,
    UNIQUE (run_id, command_id)
  )`,
  `CREATE INDEX waiting_commands ON ${schema}.commands (run_id, number) WHERE body IS NOT NULL`,
  // json, not jsonb: the order of keys is that of a chart's maps.
  `CREATE TABLE ${schema}.states (
    run_id text COLLATE "C" PRIMARY KEY REFERENCES ${schema}.runs ON DELETE CASCADE,
    sequence integer NOT NULL,
    body json NOT NULL
  )`,
  // One row per process, whatever its number of runs. By the clock of the server.
  `CREATE TABLE ${schema}.owners (
    owner text COLLATE "C" PRIMARY KEY,
    lease_ends_at timestamptz NOT NULL
  )`,
];

/** The statements from one version to the next, starting with the first. */
const migrations = [version1];

/**
 * Creates or migrates the tables in one transaction; other processes wait for it. When the tables are up to date this
 * only reads, so a role that may not create tables can use the store.
 *
 * @param schema quoted
 */
export async function migrate(
  database: Database,
  schema: string,
  createTables: boolean,
): Promise<void> {
  if ((await versionOf(database, schema)) === SCHEMA_VERSION) return;
  if (!createTables) {
    const text = `Schema ${schema} does not have the tables of this version of planwright`;
    throw new JournalCorruptError('foreign', text);
  }
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

/** 0 when the schema has no tables of ours. */
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
