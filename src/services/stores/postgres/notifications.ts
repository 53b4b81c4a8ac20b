import type { Clock } from '../../clock.js';
import { ListenerSet } from '../../listener-set.js';
import type { Connections, PostgresClient, Statement } from './pool.js';

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
  readonly #connections: Connections;
  readonly #timeoutMs: number;
  readonly #channel: string;
  readonly #clock: Clock;
  readonly #listeners = new ListenerSet();
  #listening: Listening | undefined;
  /** The next heartbeat, or the next attempt to connect. */
  #timer: unknown;
  #isClosed = false;

  /** @param channel quoted */
  constructor(connections: Connections, timeoutMs: number, channel: string, clock: Clock) {
    this.#connections = connections;
    this.#timeoutMs = timeoutMs;
    this.#channel = channel;
    this.#clock = clock;
  }

  watch(runId: string, listener: () => void): () => void {
    const stop = this.#listeners.add(runId, listener);
    if (this.#listening === undefined && this.#timer === undefined) this.#connect();
    return stop;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#clock.clearTimeout(this.#timer);
    this.#listening?.end();
    await this.#listening?.connected;
  }

  #connect(): void {
    this.#timer = undefined;
    if (this.#isClosed) return;
    const listening = new Listening(this.#connections.connectListener());
    this.#listening = listening;
    const replace = (): void => this.#replace(listening);
    listening
      .start(
        { text: `LISTEN ${this.#channel}`, query_timeout: this.#timeoutMs },
        (runId) => this.#listeners.tell(runId),
        replace,
      )
      .then(() => {
        this.#listeners.tellAll();
        this.#scheduleHeartbeat(listening);
      })
      .catch(replace);
  }

  #scheduleHeartbeat(listening: Listening): void {
    if (this.#listening !== listening || this.#isClosed) return;
    this.#timer = this.#clock.setTimeout(() => {
      if (this.#listeners.isEmpty) {
        this.#replace(listening);
        return;
      }
      listening
        .query({ text: 'SELECT 1', query_timeout: this.#timeoutMs })
        .then(() => this.#scheduleHeartbeat(listening))
        .catch(() => this.#replace(listening));
    }, this.#timeoutMs / 2);
  }

  /** Closes the connection, and listens again later unless there are no watchers left. */
  #replace(listening: Listening): void {
    if (this.#listening !== listening || this.#isClosed) return;
    this.#listening = undefined;
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    listening.end();
    if (this.#listeners.isEmpty) return;
    this.#listeners.tellAll();
    this.#timer = this.#clock.setTimeout(() => this.#connect(), RETRY_MS);
  }
}

/** One connection that listens, from the attempt to open it to its end. */
class Listening {
  /** Resolves when the attempt has succeeded or failed. */
  readonly connected: Promise<unknown>;
  readonly #opened: Promise<PostgresClient>;
  #client: PostgresClient | undefined;
  #hasEnded = false;

  constructor(opened: Promise<PostgresClient>) {
    this.#opened = opened;
    this.connected = opened.catch(() => undefined);
  }

  async start(
    statement: Statement,
    onNotification: (payload: string) => void,
    onBroken: () => void,
  ): Promise<void> {
    const client = await this.#opened;
    if (this.#hasEnded) {
      client.release(true);
      return;
    }
    this.#client = client;
    client.on('notification', (message) => {
      const { payload } = message as { readonly payload?: string };
      onNotification(payload ?? '');
    });
    client.on('error', onBroken);
    client.on('end', onBroken);
    await client.query(statement);
  }

  async query(statement: Statement): Promise<void> {
    await this.#client?.query(statement);
  }

  /** Closes the connection: a pool must not hand out one that still listens. */
  end(): void {
    this.#hasEnded = true;
    const client = this.#client;
    this.#client = undefined;
    client?.release(true);
  }
}
