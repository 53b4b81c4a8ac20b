import { JournalCorruptError } from '../../../errors.js';
import { toFailure } from '../../../failure.js';
import type { Database, SqlRow } from './database.js';

/** The version of the tables below. */
const SCHEMA_VERSION = 1;

/** One migration at a time on a server: an arbitrary number that nobody else uses. */
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
    entry_count integer,
    owner text,
    lease_ends_at double precision,
    token bigint NOT NULL DEFAULT 0,
    takeovers integer NOT NULL DEFAULT 0,
    waiting integer NOT NULL DEFAULT 0,
    header text NOT NULL
  )`,
  `CREATE INDEX unfinished_runs ON ${schema}.runs (run_id) WHERE NOT ended`,
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
  `CREATE TABLE ${schema}.commands (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run bigint NOT NULL REFERENCES ${schema}.runs ON DELETE CASCADE,
    command_id text COLLATE "C" NOT NULL,
    body text,
    UNIQUE (run, command_id)
  )`,
  `CREATE INDEX waiting_commands ON ${schema}.commands (run, id) WHERE body IS NOT NULL`,
];

/** What leads from one version to the next, from the first. */
const migrations = [version1];

/**
 * Makes the tables, or brings them up to date, in one transaction; whoever comes at the same time waits for it. When
 * they are there already this only reads, so a role that may not make tables can use the store.
 *
 * @param schema quoted
 */
export async function migrate(database: Database, schema: string): Promise<void> {
  if ((await versionOf(database, schema)) === SCHEMA_VERSION) return;
  await database.write(async (ask) => {
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
  const { count } = await ask(
    `SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'versions'`,
    schema.replaceAll('"', ''),
  );
  if (count === 0) return 0;
  const { rows } = await ask(`SELECT max(version) AS version FROM ${schema}.versions`);
  const version = numberOf(rows[0], 'version');
  if (version <= SCHEMA_VERSION) return version;
  const text = `Schema ${schema} has version ${version}; this release of planwright knows up to ${SCHEMA_VERSION}`;
  throw new JournalCorruptError('newer', text);
}

/** A table that is in the way is somebody else's. */
const refuseForeign = (error: unknown): never => {
  const { cause } = error as Error;
  if (toFailure(cause).code !== '42P07') throw error;
  const text = `The schema is in use by another program: ${toFailure(cause).message}`;
  throw new JournalCorruptError('foreign', text, { cause });
};

/** PostgreSQL gives its longer integers as texts. */
export const numberOf = (row: SqlRow | undefined, column: string): number => Number(row?.[column]);
