import type { JournalEntry } from '../journal/entry.js';
import type { KernelInput } from '../kernel/kernel.types.js';
import { parseCommand } from '../model/commands.js';
import type { MaybePromise, StoredCommand } from '../model/run-store.js';
import type { StoreRetry } from '../services/store-retry.js';
import type { CommandPoller } from './command-poller.js';
import type { Inbox } from './inbox.js';
import type { JournalWriter, Standing } from './journal-writer.js';
import type { Lease } from './lease.js';
import type { Keeping } from './live-run.types.js';
import { recovered } from './maybe-promise.js';

export interface KeeperParts {
  readonly runId: string;
  readonly writer: JournalWriter;
  readonly lease: Lease;
  readonly inbox: Inbox;
  readonly poller: CommandPoller;
  readonly retry: StoreRetry;
  readonly onError: (error: unknown) => void;
}

/** Keeps one live run in its store: its journal, its lease and the commands to it. */
export class RunKeeper implements Keeping {
  readonly writer: JournalWriter;
  readonly lease: Lease;
  readonly retry: StoreRetry;
  readonly #parts: KeeperParts;
  #stopPolling: () => void = () => undefined;

  constructor(parts: KeeperParts) {
    this.writer = parts.writer;
    this.lease = parts.lease;
    this.retry = parts.retry;
    this.#parts = parts;
  }

  get hasJournal(): boolean {
    return this.writer.isOpen;
  }

  get isStalled(): boolean {
    return this.retry.isStalled;
  }

  get mayBeLost(): boolean {
    return !this.lease.isValid;
  }

  get token(): number | undefined {
    return this.lease.token;
  }

  onLost(listener: (error: unknown) => void): void {
    this.lease.onLost(listener);
  }

  append(entries: readonly JournalEntry[], standing: Standing): MaybePromise<void> {
    return this.writer.append(entries, standing);
  }

  confirm(): MaybePromise<void> {
    return this.retry.run(() => this.lease.confirm());
  }

  /** Tried twice: a store that is away is not given up before the following write would have had its time as well. */
  look(): MaybePromise<void> {
    const look = (): MaybePromise<void> => this.retry.run(() => this.#parts.inbox.look());
    return recovered(look, look);
  }

  listen(take: (input: KernelInput) => void): void {
    const { runId, inbox, poller, onError } = this.#parts;
    inbox.open((command) => {
      const input = this.#commandIn(command);
      if (input !== undefined) take(input);
    });
    this.#stopPolling = poller.add(runId, () => {
      void recovered(() => inbox.look(), onError);
    });
  }

  release(): Promise<void> {
    return this.lease.release();
  }

  stop(): void {
    this.#stopPolling();
    this.lease.stop();
    this.#parts.inbox.close();
    this.retry.stop();
  }

  #commandIn({ id, command }: StoredCommand): KernelInput | undefined {
    const parsed = parseCommand(command);
    if (parsed.ok) return { kind: 'commanded', event: parsed.command, commandId: id };
    this.writer.discard(id, parsed.reason);
    return undefined;
  }
}
