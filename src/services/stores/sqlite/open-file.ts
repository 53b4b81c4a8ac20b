import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { ConfigurationError, JournalCorruptError, StoreUnavailableError } from '../../../errors.js';
import { toFailure } from '../../../failure.js';
import { systemClock } from '../../clock.js';
import { randomId } from '../../random-id.js';
import type { Connection } from './connection.js';
import { connect, textColumn, textOf } from './connection.js';
import { APPLICATION_ID, migrations, SCHEMA_OBJECTS, SCHEMA_VERSION } from './schema.js';
import { checkContent } from './check-content.js';

const IN_MEMORY = ':memory:';

/** For every connection that writes. FULL: a commit is on the disk before it returns. */
const SETTINGS = `
PRAGMA synchronous = FULL;
PRAGMA secure_delete = ON;
PRAGMA trusted_schema = OFF;
PRAGMA cell_size_check = ON;
PRAGMA busy_timeout = 0;
`;

/** Opens the file at a path, or creates it. A foreign or damaged file is only read. */
export function openFile(givenPath: string): Connection {
  if (givenPath === IN_MEMORY) return openInMemory();
  const path = checkedPath(givenPath);
  if (!existsSync(path)) create(path);
  const reader = connect(`${pathToFileURL(path).href}?mode=ro`, path);
  const version = checkFile(reader);
  reader.close();
  const connection = connect(`${pathToFileURL(path).href}?mode=rw`, path);
  connection.exec(SETTINGS);
  if (version < SCHEMA_VERSION) connection.write(() => migrate(connection, version));
  return connection;
}

function checkedPath(given: unknown): string {
  if (typeof given !== 'string' || given === '' || given.includes('\0')) {
    refusePath("Expected the path of a file, or ':memory:'");
  }
  const path = resolve(given);
  if (isFolder(path)) {
    refusePath(
      `'${given}' is a folder: pass the path of a file in it, such as '${join(given, 'runs.db')}'`,
    );
  }
  return path;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function refusePath(message: string): never {
  throw new ConfigurationError([{ code: 'invalid-path', path: 'path', message }]);
}

function openInMemory(): Connection {
  const connection = connect(IN_MEMORY, IN_MEMORY);
  connection.write(() => migrate(connection, 0));
  return connection;
}

/**
 * A new file is created under another name and then renamed, so that a crash never leaves half a file. When two
 * processes create it at once, both use the file of the first.
 */
function create(path: string): void {
  const draft = `${path}.${randomId('new')}`;
  try {
    removeOldDrafts(path);
    // Journals contain agents' answers: no other user of the machine may read them.
    closeSync(openSync(draft, 'wx', 0o600));
    const connection = connect(draft, path);
    connection.write(() => migrate(connection, 0));
    connection.exec('PRAGMA journal_mode = WAL');
    connection.close();
    linkUnlessThere(draft, path);
    syncFolder(dirname(path));
  } catch (error) {
    throw error instanceof StoreUnavailableError
      ? error
      : new StoreUnavailableError(`'${path}' cannot be created: ${reasonOf(error, path)}`, {
          cause: error,
        });
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) removeIfThere(`${draft}${suffix}`);
  }
}

function reasonOf(error: unknown, path: string): string {
  if (isFolder(dirname(path))) return toFailure(error).message;
  return `there is no folder '${dirname(path)}'. Create it first`;
}

function linkUnlessThere(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (toFailure(error).code !== 'EEXIST') throw error;
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (toFailure(error).code !== 'ENOENT') throw error;
  }
}

/** Creating a file takes milliseconds: an older draft was left by a crash. */
const DRAFT_AGE_MS = 60_000;

function removeOldDrafts(path: string): void {
  const now = systemClock().now();
  const prefix = `${basename(path)}.new-`;
  for (const name of readdirSync(dirname(path))) {
    const draft = join(dirname(path), name);
    if (name.startsWith(prefix) && now - statSync(draft).mtimeMs > DRAFT_AGE_MS)
      removeIfThere(draft);
  }
}

/** A new name is durable once its folder is; Windows offers no such call, and needs none. */
function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r');
    fsyncSync(descriptor);
    closeSync(descriptor);
  } catch (error) {
    if (!['EPERM', 'EISDIR', 'EACCES', 'EINVAL'].includes(toFailure(error).code ?? '')) throw error;
  }
}

/** Migrates a file from a version to this one. */
function migrate(connection: Connection, from: number): void {
  for (const migration of migrations.slice(from)) connection.exec(migration);
  connection.exec(
    `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION};`,
  );
}

/** The version of a file that is ours, intact, and not newer than this package. */
function checkFile(connection: Connection): number {
  const { path } = connection;
  const names = connection
    .prepare(`SELECT ${textColumn('name')} FROM sqlite_schema ORDER BY sqlite_schema.name`)
    .all()
    .map(({ name }) => textOf(name, `The schema of '${path}'`));
  const applicationId = numberOf(connection, 'application_id');
  if (applicationId === 0 && names.length === 0) {
    throw new JournalCorruptError('torn', `'${path}' is empty`);
  }
  if (applicationId !== APPLICATION_ID) {
    throw new JournalCorruptError('foreign', `'${path}' is an SQLite file of another program`);
  }
  const version = numberOf(connection, 'user_version');
  if (version > SCHEMA_VERSION) {
    const text = `'${path}' has version ${version}; this release of planwright knows up to ${SCHEMA_VERSION}`;
    throw new JournalCorruptError('newer', text);
  }
  if (version < 1 || (version === SCHEMA_VERSION && names.join() !== SCHEMA_OBJECTS.join())) {
    throw new JournalCorruptError(
      'torn',
      `'${path}' does not have the tables of this version of planwright`,
    );
  }
  checkContent(connection);
  return version;
}

function numberOf(connection: Connection, pragma: 'application_id' | 'user_version'): number {
  return Number(
    connection.prepare(`SELECT ${pragma} AS value FROM pragma_${pragma}`).get()?.['value'],
  );
}
