import type { Issue } from '../../../errors.js';
import { ConfigurationError } from '../../../errors.js';

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:5432/database`, with any other parameter that the driver `pg` understands. */
  readonly url: string;
  /**
   * The schema that holds the tables. The store creates it when it is missing.
   *
   * @default 'planwright'
   */
  readonly schema?: string;
  /**
   * Connections that may be open at one time; watching takes one more.
   *
   * @default 5
   */
  readonly maxConnections?: number;
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

const SCHEMA_PATTERN = /^[a-z_][a-z0-9_]{0,49}$/;

/** The longest delay of a timer. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The options with their defaults; a ConfigurationError lists every invalid one. */
export function checkedOptions(options: PostgresStoreOptions): Required<PostgresStoreOptions> {
  const { url, schema = 'planwright', maxConnections = 5, timeoutMs = 10_000 } = options;
  const { createTables = true } = options;
  const checked = { url, schema, maxConnections, timeoutMs, createTables };
  const issues = [...addressIssues(checked), ...limitIssues(checked)];
  if (issues.length > 0) throw new ConfigurationError(issues);
  return checked;
}

function addressIssues({ url, schema }: Required<PostgresStoreOptions>): Issue[] {
  const issues: Issue[] = [];
  if (typeof url !== 'string' || !/^postgres(?:ql)?:\/\//.test(url)) {
    const message = 'Expected the address of a server: postgres://user:password@host/database';
    issues.push({ code: 'invalid-url', path: 'url', message });
  }
  if (typeof schema !== 'string' || !SCHEMA_PATTERN.test(schema)) {
    const message = 'Expected small letters, digits and _, at most 50 characters';
    issues.push({ code: 'invalid-schema', path: 'schema', message });
  }
  return issues;
}

function limitIssues({ maxConnections, timeoutMs }: Required<PostgresStoreOptions>): Issue[] {
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
