import type { MaybePromise, RunStore, StoredCommand } from '../model/run-store.js';
import { afterwards } from './maybe-promise.js';

export interface InboxParts {
  readonly store: Pick<RunStore, 'inbox'>;
  readonly runId: string;
}

/** Shared by all runs without a command. */
const NONE: ReadonlySet<string> = new Set();

/**
 * The owner's side of commands that come through the store. Every command is delivered once; it leaves the store
 * together with the entry that answers it, so the next owner finds every unanswered command.
 */
export class Inbox {
  readonly #parts: InboxParts;
  /** Ids of commands that were delivered, and may still be in the store. */
  #known = NONE;
  #take: (command: StoredCommand) => void = () => undefined;
  #looking: Promise<void> | undefined;
  #isAskedAgain = false;
  #isClosed = true;

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  /** Starts to deliver commands. */
  open(take: (command: StoredCommand) => void): void {
    this.#take = take;
    this.#isClosed = false;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Delivers all commands that were posted before this call. Fails when the store does. */
  look(): MaybePromise<void> {
    if (this.#isClosed) return undefined;
    // One read at a time: a read in progress may have missed commands posted since it began.
    this.#isAskedAgain = true;
    if (this.#looking !== undefined) return this.#looking;
    const looked = this.#lookWhileAsked();
    if (looked === undefined) return undefined;
    this.#looking = looked.finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  #lookWhileAsked(): Promise<void> | undefined {
    while (this.#isAskedAgain && !this.#isClosed) {
      this.#isAskedAgain = false;
      const { store, runId } = this.#parts;
      const looked = afterwards(store.inbox(runId), (waiting) => this.#handOver(waiting));
      if (looked instanceof Promise) return looked.then(() => this.#lookWhileAsked());
    }
    return undefined;
  }

  #handOver(waiting: readonly StoredCommand[]): void {
    if (this.#isClosed) return;
    const known = this.#known;
    this.#known = waiting.length === 0 ? NONE : new Set(waiting.map(({ id }) => id));
    for (const command of waiting) if (!known.has(command.id)) this.#take(command);
  }
}
