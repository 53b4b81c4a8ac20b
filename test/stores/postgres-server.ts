import type { ExecFileSyncOptions } from 'node:child_process';
import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/* A real PostgreSQL server of the machine, with its own new cluster. */

const BINARIES = '/usr/lib/postgresql';

/** The newest server that Debian has installed, or the one on the PATH. */
const binaries = (): string | undefined => {
  const versions = existsSync(BINARIES) ? readdirSync(BINARIES).map(Number) : [];
  const newest = versions.sort((left, right) => right - left)[0];
  if (newest !== undefined) return join(BINARIES, `${newest}`, 'bin');
  try {
    return execFileSync('pg_config', ['--bindir'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return undefined;
  }
};

const isInCi = !['', '0', 'false'].includes(process.env['CI'] ?? '');

/** CI installs a server and so must have one; elsewhere these tests may be skipped. */
export const isPostgresMissed = binaries() === undefined && !isInCi;

/** Prints the reason once; called by the test files that are skipped. */
export const sayIfPostgresIsMissed = (): void => {
  if (!isPostgresMissed) return;
  process.stdout.write(
    'SKIPPED: the tests on a real PostgreSQL, because there is none on this machine. ' +
      'On Debian: apt-get install postgresql. With CI=1 they fail instead.\n',
  );
};

export interface PostgresServer {
  /** Of the superuser, through a socket in the folder of the cluster. */
  readonly url: string;
  /** Stops it, cleanly or as a power cut would. */
  readonly stop: (how?: 'fast' | 'immediate') => void;
  /** Starts it again after a stop. */
  readonly start: () => void;
  /** Stops it and removes everything. */
  readonly dispose: () => void;
}

/** Enough for a new cluster and its log. */
const CLUSTER_BYTES = 400_000_000;

/** In memory where there is room: it still flushes, but thousands of commits do not wait for a disk. */
const parentFolder = (): string => {
  if (!existsSync('/dev/shm')) return tmpdir();
  const { bavail, bsize } = statfsSync('/dev/shm');
  return bavail * bsize > CLUSTER_BYTES ? '/dev/shm' : tmpdir();
};

/** A server refuses to run as root: it runs as the user of the Debian package, or as the user `nobody`. */
const unprivileged = (): Pick<ExecFileSyncOptions, 'uid' | 'gid'> => {
  if (process.getuid?.() !== 0) return {};
  const numberOf = (flag: string): number => {
    try {
      return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8', stdio: 'pipe' }));
    } catch {
      return 65_534;
    }
  };
  return { uid: numberOf('-u'), gid: numberOf('-g') };
};

const SETTINGS = [
  "listen_addresses = ''",
  'fsync = on',
  'synchronous_commit = on',
  'shared_buffers = 16MB',
  'max_connections = 100',
  'min_wal_size = 4MB',
  'max_wal_size = 64MB',
  'autovacuum = off',
  'log_min_messages = fatal',
];

/** An unused name for the folder of a cluster. */
export const newClusterFolder = (): string =>
  mkdtempSync(join(parentFolder(), 'planwright-postgres-'));

/** Makes a cluster in an empty folder and starts it. */
export const startPostgres = (folder = newClusterFolder()): PostgresServer => {
  const user = unprivileged();
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const run = (program: string, ...args: readonly string[]): void => {
    execFileSync(programPath(program), args, { ...user, cwd: folder, stdio: 'pipe' });
  };
  run(
    'initdb',
    '-D',
    data,
    '-U',
    'planwright',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C',
    '--wal-segsize=1',
    '-k',
  );
  const options = [
    `-k ${folder}`,
    ...SETTINGS.map((setting) => `-c ${setting.replaceAll(' ', '')}`),
  ];
  const start = (): void => {
    run(
      'pg_ctl',
      '-D',
      data,
      '-w',
      '-s',
      '-l',
      join(folder, 'log'),
      '-o',
      options.join(' '),
      'start',
    );
  };
  const stop = (how: 'fast' | 'immediate' = 'fast'): void => {
    run('pg_ctl', '-D', data, '-w', '-s', '-m', how, 'stop');
  };
  start();
  return {
    url: urlOf(folder),
    start,
    stop,
    dispose: () => disposeCluster(folder),
  };
};

const programPath = (program: string): string => {
  const bin = binaries();
  if (bin === undefined) throw new Error('CI needs PostgreSQL; .ci/run installs it on Debian');
  return join(bin, program);
};

/** The address of a started cluster: a socket in its folder. */
export const urlOf = (folder: string): string =>
  `postgres://planwright@/postgres?host=${encodeURIComponent(folder)}`;

/** Stops the server in the folder, and removes the folder. */
export const disposeCluster = (folder: string): void => {
  const data = join(folder, 'data');
  if (existsSync(join(data, 'postmaster.pid'))) {
    const args = ['-D', data, '-w', '-s', '-m', 'immediate', 'stop'];
    execFileSync(programPath('pg_ctl'), args, { ...unprivileged(), cwd: folder, stdio: 'pipe' });
  }
  rmSync(folder, { recursive: true, force: true });
};
