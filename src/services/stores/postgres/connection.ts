import type { ClientConfig } from 'pg';

import type { Sockets } from './sockets.js';

/** How every connection of a store is made. */
export interface ConnectionOptions {
  readonly url: string;
  readonly timeoutMs: number;
  readonly sockets: Sockets;
}

/** After this much silence the operating system asks the other side whether it is still there. */
const KEEP_ALIVE_MS = 10_000;

/** The same for the driver. No wait is without an end: the connection may be half-open, and then nothing is ever heard. */
export const clientConfig = ({ url, timeoutMs, sockets }: ConnectionOptions): ClientConfig => ({
  connectionString: url,
  application_name: 'planwright',
  connectionTimeoutMillis: timeoutMs,
  query_timeout: timeoutMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  stream: sockets.create,
});
