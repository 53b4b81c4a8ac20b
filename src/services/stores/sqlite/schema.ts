/** 'Plan' in ASCII: identifies our files. */
export const APPLICATION_ID = 0x506c616e;

/** The version of the tables below. */
export const SCHEMA_VERSION = 1;

/**
 * Readable by people: docs/stores.md describes the tables. Times are milliseconds since the epoch. Columns for the
 * store itself come last. Every row has a checksum of its content: SQLite has none, and a flipped bit in a text goes
 * unnoticed.
 */
const version1 = `
CREATE TABLE runs (
  run_id TEXT NOT NULL PRIMARY KEY,
  goal TEXT NOT NULL,
  status TEXT NOT NULL,
  phase TEXT,
  reason TEXT,
  open_approvals INTEGER NOT NULL,
  labels TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  ended_at INTEGER,
  owner TEXT,
  token INTEGER NOT NULL,
  is_takeover INTEGER NOT NULL,
  takeovers INTEGER NOT NULL,
  entry_count INTEGER NOT NULL,
  waiting_commands INTEGER NOT NULL,
  header TEXT NOT NULL,
  header_checksum INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_by_start ON runs (created_at, run_id);
CREATE INDEX runs_by_status ON runs (status, created_at, run_id);
CREATE INDEX unfinished_runs ON runs (owner, run_id) WHERE ended_at IS NULL;
CREATE INDEX runs_with_commands ON runs (owner) WHERE ended_at IS NULL AND waiting_commands > 0;
CREATE TABLE entries (
  run_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (run_id, sequence)
) STRICT;
CREATE TABLE commands (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL,
  command_id TEXT NOT NULL,
  posted_at INTEGER NOT NULL,
  body TEXT,
  answer TEXT,
  checksum INTEGER NOT NULL,
  UNIQUE (run_id, command_id)
) STRICT;
CREATE INDEX waiting_commands ON commands (run_id, number) WHERE body IS NOT NULL;
CREATE TABLE states (
  run_id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  body TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
CREATE TABLE owners (
  owner TEXT PRIMARY KEY,
  lease_ends_at INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

/**
 * The migrations from one version to the next, starting with the first. A migration runs in one transaction, which ends
 * with the new version; a file of an older version is migrated when it is opened.
 */
export const migrations: readonly string[] = [version1];

/** The names of all tables and indexes in a file of this version, as SQLite lists them. */
export const SCHEMA_OBJECTS: readonly string[] = [
  'commands',
  'entries',
  'owners',
  'runs',
  'runs_by_start',
  'runs_by_status',
  'runs_with_commands',
  'sqlite_autoindex_commands_1',
  'sqlite_autoindex_entries_1',
  'sqlite_autoindex_runs_1',
  'sqlite_autoindex_states_1',
  'sqlite_sequence',
  'states',
  'unfinished_runs',
  'waiting_commands',
];
