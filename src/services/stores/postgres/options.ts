import type { Issue } from '../../../errors.js';
import { ConfigurationError } from '../../../errors.js';

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:5432/database`, with whatever else the driver `pg` understands. */
  readonly url: string;
  /**
   * The schema that holds the tables. It is made when there is none.
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
}

const SCHEMA_PATTERN = /^[a-z_][a-z0-9_]{0,49}$/;

/** The options with their defaults, or everything that is wrong with them. */
export function checkedOptions(options: PostgresStoreOptions): Required<PostgresStoreOptions> {
  const { url, schema = 'planwright', maxConnections = 5 } = options;
  const issues: Issue[] = [];
  if (typeof url !== 'string' || !/^postgres(?:ql)?:\/\//.test(url)) {
    const message = 'Expected the address of a server: postgres://user:password@host/database';
    issues.push({ code: 'invalid-url', path: 'url', message });
  }
  if (typeof schema !== 'string' || !SCHEMA_PATTERN.test(schema)) {
    const message = 'Expected small letters, digits and _, at most 50 characters';
    issues.push({ code: 'invalid-schema', path: 'schema', message });
  }
  if (!Number.isInteger(maxConnections) || maxConnections < 1) {
    const message = `Expected a positive integer, got ${String(maxConnections)}`;
    issues.push({ code: 'invalid-connections', path: 'maxConnections', message });
  }
  if (issues.length > 0) throw new ConfigurationError(issues);
  return { url, schema, maxConnections };
}
