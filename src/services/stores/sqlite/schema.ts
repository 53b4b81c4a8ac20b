/** 'Plan' in ASCII: tells our files from those of other programs. */
export const APPLICATION_ID = 0x506c616e;

/** The version of the tables below. */
export const SCHEMA_VERSION = 1;

/**
 * An entry's row id is its place: the number of its run times 2^28 plus its sequence. So the entries of a run lie
 * together, the next one goes to the end of the page that was written last, and no second index has to be written: an
 * append writes two pages, that one and the one of the run's row, however long the journal.
 */
export const SEQUENCE_BITS = 28;

/** Every row has a checksum of its content: SQLite has none, and a flipped bit in a text is a text again. */
const version1 = `
CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL UNIQUE,
  ended INTEGER NOT NULL,
  entry_count INTEGER NOT NULL,
  owner TEXT,
  token INTEGER NOT NULL,
  is_takeover INTEGER NOT NULL,
  takeovers INTEGER NOT NULL,
  waiting INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  header_checksum INTEGER NOT NULL,
  header TEXT NOT NULL
) STRICT;
CREATE INDEX unfinished_runs ON runs (owner, run_id) WHERE NOT ended;
CREATE INDEX runs_with_commands ON runs (owner) WHERE NOT ended AND waiting > 0;
CREATE TABLE owners (
  owner TEXT PRIMARY KEY,
  lease_ends_at REAL NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE entries (
  place INTEGER PRIMARY KEY,
  checksum INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE TABLE states (
  run INTEGER PRIMARY KEY,
  sequence INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE TABLE commands (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL,
  command_id TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  body TEXT,
  answer TEXT,
  UNIQUE (run, command_id)
) STRICT;
CREATE INDEX waiting_commands ON commands (run, id) WHERE body IS NOT NULL;
`;

/**
 * What leads from one version to the next, from the first. A migration runs in one transaction, which ends with the
 * new version; a file of an older version is brought up to date when it is opened.
 */
export const migrations: readonly string[] = [version1];

/** The names of everything in a file of this version, as SQLite lists them. */
export const SCHEMA_OBJECTS: readonly string[] = [
  'commands',
  'entries',
  'owners',
  'runs',
  'runs_with_commands',
  'sqlite_autoindex_commands_1',
  'sqlite_autoindex_runs_1',
  'sqlite_sequence',
  'states',
  'unfinished_runs',
  'waiting_commands',
];
