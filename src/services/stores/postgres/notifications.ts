import { Client } from 'pg';

import type { Clock } from '../../clock.js';
import { ListenerSet } from '../../listener-set.js';
import type { ConnectionOptions } from './connection.js';
import { clientConfig } from './connection.js';

/** The delay before the next attempt to listen. */
const RETRY_MS = 1_000;

/**
 * Listens, on its own connection, for runs that were written to. Notifications are lost while the connection is broken
 * or being opened, so all watchers are called when it breaks and when it is back.
 *
 * A connection that only listens cannot detect a network that drops packets, so it also sends queries: when the server
 * does not answer in time, the connection is replaced.
 */
export class Notifications {
  readonly #connection: ConnectionOptions;
  readonly #channel: string;
  readonly #clock: Clock;
  readonly #listeners = new ListenerSet();
  #client: Client | undefined;
  /** The next heartbeat, or the next attempt to connect. */
  #timer: unknown;
  #isClosed = false;

  /** @param channel quoted */
  constructor(connection: ConnectionOptions, channel: string, clock: Clock) {
    this.#connection = connection;
    this.#channel = channel;
    this.#clock = clock;
  }

  watch(runId: string, listener: () => void): () => void {
    const stop = this.#listeners.add(runId, listener);
    if (this.#client === undefined && this.#timer === undefined) this.#connect();
    return stop;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#clock.clearTimeout(this.#timer);
    await this.#client?.end().catch(() => undefined);
  }

  #connect(): void {
    this.#timer = undefined;
    if (this.#isClosed) return;
    const client = new Client(clientConfig(this.#connection));
    this.#client = client;
    client.on('notification', ({ payload = '' }) => this.#listeners.tell(payload));
    client.on('error', () => this.#replace(client));
    client.on('end', () => this.#replace(client));
    client
      .connect()
      .then(() => client.query(`LISTEN ${this.#channel}`))
      .then(() => {
        this.#listeners.tellAll();
        this.#scheduleHeartbeat(client);
      })
      .catch(() => this.#replace(client));
  }

  #scheduleHeartbeat(client: Client): void {
    if (this.#client !== client || this.#isClosed) return;
    this.#timer = this.#clock.setTimeout(() => {
      if (this.#listeners.isEmpty) {
        this.#replace(client);
        return;
      }
      client
        .query('SELECT 1')
        .then(() => this.#scheduleHeartbeat(client))
        .catch(() => this.#replace(client));
    }, this.#connection.timeoutMs / 2);
  }

  /** Closes the connection, and listens again later unless there are no watchers left. */
  #replace(client: Client): void {
    if (this.#client !== client || this.#isClosed) return;
    this.#client = undefined;
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    client.end().catch(() => undefined);
    if (this.#listeners.isEmpty) return;
    this.#listeners.tellAll();
    this.#timer = this.#clock.setTimeout(() => this.#connect(), RETRY_MS);
  }
}
