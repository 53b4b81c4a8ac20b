import type { ClientConfig } from 'pg';

import type { Sockets } from './sockets.js';

/** How every connection of a store is made. */
export interface ConnectionOptions {
  readonly url: string;
  readonly timeoutMs: number;
  readonly sockets: Sockets;
}

/** After this much silence the operating system probes the connection. */
const KEEP_ALIVE_MS = 10_000;

/** The same for the driver. Every wait has a timeout: a half-open connection would never answer. */
export const clientConfig = ({ url, timeoutMs, sockets }: ConnectionOptions): ClientConfig => ({
  connectionString: url,
  application_name: 'planwright',
  connectionTimeoutMillis: timeoutMs,
  query_timeout: timeoutMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  stream: sockets.create,
});
