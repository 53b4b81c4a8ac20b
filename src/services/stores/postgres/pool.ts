import { Client, Pool } from 'pg';

import type { ConnectionOptions } from './connection.js';
import { clientConfig } from './connection.js';

/** A connection of a {@link PostgresPool}. */
export interface PostgresClient {
  query(statement: Statement): Promise<{ readonly rows: unknown[] }>;
  on(event: 'error' | 'end' | 'notification', listener: (message?: unknown) => void): unknown;
  removeListener(event: 'error', listener: () => void): unknown;
  /** `true` closes the connection instead of keeping it for the next caller. */
  release(isBroken?: boolean): void;
}

/** What the store uses of a `Pool` of the driver `pg`. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  on(event: 'error', listener: () => void): unknown;
  removeListener(event: 'error', listener: () => void): unknown;
  readonly options: { readonly max?: number | undefined };
}

/** A statement, and how long its answer may take. */
export interface Statement {
  readonly text: string;
  readonly values?: unknown[];
  readonly query_timeout?: number;
}

/** Connections for statements, and one more to listen with. */
export interface Connections {
  readonly connect: () => Promise<PostgresClient>;
  /** A connection that the caller keeps; `release` closes it. */
  readonly connectListener: () => Promise<PostgresClient>;
  readonly close: () => Promise<void>;
}

const ignore = (): undefined => undefined;

/** The store's own connections, all closed with it. */
export function ownConnections(maxConnections: number, options: ConnectionOptions): Connections {
  const pool = new Pool({
    ...clientConfig(options),
    max: maxConnections,
    // An idle program may exit.
    allowExitOnIdle: true,
  });
  // The waiting call gets the error of a broken connection. Without a listener the additional event, which may come
  // several times, would end the process.
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  return {
    connect: () => pool.connect(),
    connectListener: async () => {
      const client = new Client(clientConfig(options));
      client.on('error', ignore);
      await client.connect();
      const release = (): void => void client.end().catch(ignore);
      return Object.assign(client, { release });
    },
    close: () => pool.end(),
  };
}

/** Connections of the user's pool. The pool stays open when the store is closed. */
export function connectionsOf(pool: PostgresPool): Connections {
  pool.on('error', ignore);
  const connect = async (): Promise<PostgresClient> => {
    const client = await pool.connect();
    client.on('error', ignore);
    return {
      query: (statement) => client.query(statement),
      on: (event, listener) => client.on(event, listener),
      removeListener: (event, listener) => client.removeListener(event, listener),
      release: (isBroken) => {
        client.removeListener('error', ignore);
        client.release(isBroken);
      },
    };
  };
  return {
    connect,
    connectListener: connect,
    close: () => {
      pool.removeListener('error', ignore);
      return Promise.resolve();
    },
  };
}
