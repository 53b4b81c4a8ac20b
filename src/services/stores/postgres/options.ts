import { unknownOptions } from '../../../closest-name.js';
import type { Issue } from '../../../errors.js';
import { ConfigurationError } from '../../../errors.js';
import type { PostgresPool } from './pool.js';

/** Where the tables are, and who opens the connections: the store by a `url`, or you by a `pool`. */
export type PostgresStoreOptions = TableOptions & (UrlOptions | PoolOptions);

interface UrlOptions {
  /** `postgres://user:password@host:5432/database`, with any other parameter that the driver `pg` understands. */
  readonly url: string;
  /**
   * Connections that may be open at one time; watching takes one more.
   *
   * @default 5
   */
  readonly maxConnections?: number;
  readonly pool?: undefined;
}

interface PoolOptions {
  /**
   * A `Pool` of the driver `pg`, with at least 2 connections: watching keeps one. Close it yourself, after the store. Set
   * its `connectionTimeoutMillis`: `timeoutMs` does not cover the wait for a connection of your pool.
   */
  readonly pool: PostgresPool;
  readonly url?: undefined;
  readonly maxConnections?: undefined;
}

interface TableOptions {
  /**
   * The schema that holds the tables. The store creates it when it is missing.
   *
   * @default 'planwright'
   */
  readonly schema?: string;
  /**
   * How long a connection may take to open, and a statement to be answered. After that the connection is closed and the
   * call fails with StoreUnavailableError, so that a network that drops packets blocks no call forever.
   *
   * @default 10000
   */
  readonly timeoutMs?: number;
  /**
   * Creates or migrates the tables at the first call. Without it a schema of another version is refused with
   * JournalCorruptError.
   *
   * @default true
   */
  readonly createTables?: boolean;
}

const OPTIONS: Readonly<Record<keyof PostgresStoreOptions, true>> = {
  url: true,
  pool: true,
  schema: true,
  maxConnections: true,
  timeoutMs: true,
  createTables: true,
};

const SCHEMA_PATTERN = /^[a-z_][a-z0-9_]{0,49}$/;

/** The longest delay of a timer. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

interface CheckedOptions {
  /** Empty when there is a pool. */
  readonly url: string;
  readonly pool: PostgresPool | undefined;
  readonly schema: string;
  readonly maxConnections: number;
  readonly timeoutMs: number;
  readonly createTables: boolean;
}

/** The options with their defaults; a ConfigurationError lists every invalid one. */
export function checkedOptions(options: PostgresStoreOptions): CheckedOptions {
  const { pool, url = '', schema = 'planwright', maxConnections = 5 } = options;
  const { timeoutMs = 10_000, createTables = true } = options;
  const checked = { url, pool, schema, maxConnections, timeoutMs, createTables };
  const issues = [
    ...unknownOptions(options, Object.keys(OPTIONS)),
    ...(pool === undefined
      ? addressIssues(checked)
      : [...poolIssues(options), ...schemaIssues(schema)]),
    ...limitIssues(checked),
  ];
  if (issues.length > 0) throw new ConfigurationError(issues);
  return checked;
}

function poolIssues(options: PostgresStoreOptions): Issue[] {
  const { pool, url, maxConnections }: Readonly<Record<string, unknown>> = { ...options };
  const issues: Issue[] = [];
  if (url !== undefined || maxConnections !== undefined) {
    const message = 'Expected a `pool` alone, or a `url` with `maxConnections`';
    issues.push({ code: 'conflicting-options', path: 'pool', message });
  }
  if (!isObject(pool) || typeof pool['connect'] !== 'function') {
    const message = 'Expected a Pool of the driver pg: new pg.Pool({ connectionString })';
    issues.push({ code: 'invalid-pool', path: 'pool', message });
  } else if (isObject(pool['options']) && pool['options']['max'] === 1) {
    const message = 'Expected a pool of at least 2 connections: watching runs keeps one';
    issues.push({ code: 'invalid-pool', path: 'pool.options.max', message });
  }
  return issues;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function addressIssues({ url, schema }: CheckedOptions): Issue[] {
  const issues: Issue[] = [];
  if (typeof url !== 'string' || !/^postgres(?:ql)?:\/\//.test(url)) {
    const message =
      'Expected the address of a server, postgres://user:password@host/database, or a `pool`';
    issues.push({ code: 'invalid-url', path: 'url', message });
  }
  return [...issues, ...schemaIssues(schema)];
}

function schemaIssues(schema: unknown): Issue[] {
  if (typeof schema === 'string' && SCHEMA_PATTERN.test(schema)) return [];
  const message = 'Expected small letters, digits and _, at most 50 characters';
  return [{ code: 'invalid-schema', path: 'schema', message }];
}

function limitIssues({ maxConnections, timeoutMs }: CheckedOptions): Issue[] {
  const issues: Issue[] = [];
  if (!Number.isInteger(maxConnections) || maxConnections < 1) {
    const message = `Expected a positive integer, got ${String(maxConnections)}`;
    issues.push({ code: 'invalid-connections', path: 'maxConnections', message });
  }
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > LONGEST_TIMEOUT_MS) {
    const message = `Expected an integer from 1 to ${LONGEST_TIMEOUT_MS}, got ${String(timeoutMs)}`;
    issues.push({ code: 'invalid-timeout', path: 'timeoutMs', message });
  }
  return issues;
}
