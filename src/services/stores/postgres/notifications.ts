import { Client } from 'pg';

import type { Clock } from '../../clock.js';
import { ListenerSet } from '../../listener-set.js';

/** How long until the next try to listen; meanwhile everybody who watches is told to look for himself. */
const RETRY_MS = 1_000;

/**
 * Hears, on a connection of its own, which runs something was written to. Nothing is heard while the connection is
 * broken or being made, so whoever watches is called then, too: once too often rather than once too few.
 */
export class Notifications {
  readonly #url: string;
  readonly #channel: string;
  readonly #clock: Clock;
  readonly #listeners = new ListenerSet();
  #client: Client | undefined;
  #retry: unknown;
  #isClosed = false;

  /** @param channel quoted */
  constructor(url: string, channel: string, clock: Clock) {
    this.#url = url;
    this.#channel = channel;
    this.#clock = clock;
  }

  watch(runId: string, listener: () => void): () => void {
    const stop = this.#listeners.add(runId, listener);
    if (this.#client === undefined && this.#retry === undefined) this.#connect();
    return stop;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#clock.clearTimeout(this.#retry);
    await this.#client?.end().catch(() => undefined);
  }

  #connect(): void {
    this.#retry = undefined;
    if (this.#isClosed) return;
    const client = new Client({ connectionString: this.#url, application_name: 'planwright' });
    this.#client = client;
    client.on('notification', ({ payload = '' }) => this.#listeners.tell(payload));
    client.on('error', () => this.#reconnect(client));
    client.on('end', () => this.#reconnect(client));
    client
      .connect()
      .then(() => client.query(`LISTEN ${this.#channel}`))
      .then(() => this.#listeners.tellAll())
      .catch(() => this.#reconnect(client));
  }

  #reconnect(client: Client): void {
    if (this.#client !== client || this.#isClosed) return;
    this.#client = undefined;
    client.end().catch(() => undefined);
    this.#listeners.tellAll();
    // Nobody listens any more: the next one who does begins anew.
    if (this.#listeners.isEmpty) return;
    this.#retry = this.#clock.setTimeout(() => this.#connect(), RETRY_MS);
  }
}
