import type { Clock } from '../services/clock.js';
import type { RunStore, StoredCommand } from '../services/run-store.js';

export interface InboxParts {
  readonly store: Pick<RunStore, 'inbox' | 'watch'>;
  readonly clock: Clock;
  readonly runId: string;
  /** How often to look where the store cannot tell that there is something. */
  readonly pollMs: number;
  readonly onError: (error: unknown) => void;
}

/**
 * The owner's side of the commands that come through the store. Every command is handed over once; it leaves the store
 * together with the entry that answers it, so whatever happens in between, the next owner finds it, once.
 */
export class Inbox {
  readonly #parts: InboxParts;
  /** Handed over, and perhaps still in the store. */
  #known: ReadonlySet<string> = new Set();
  #take: (command: StoredCommand) => void = () => undefined;
  #stopWatching: () => void = () => undefined;
  #timer: unknown;
  #isLooking = false;
  #isAskedAgain = false;
  #isClosed = false;

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  /** Begins to look. What was `seen` before is not handed over again. */
  open(take: (command: StoredCommand) => void, seen: readonly StoredCommand[] = []): void {
    if (this.#isClosed) return;
    const { store, runId } = this.#parts;
    this.#take = take;
    this.#known = new Set(seen.map(({ id }) => id));
    const look = (): void => {
      void this.#look();
    };
    if (store.watch === undefined) this.#lookLater();
    else this.#stopWatching = store.watch(runId, look);
    look();
  }

  close(): void {
    this.#isClosed = true;
    this.#stopWatching();
    this.#parts.clock.clearTimeout(this.#timer);
  }

  #lookLater(): void {
    const { clock, pollMs } = this.#parts;
    this.#timer = clock.setTimeout(() => {
      void this.#look().then(() => {
        if (!this.#isClosed) this.#lookLater();
      });
    }, pollMs);
  }

  /** One look at a time: what comes in meanwhile is one more. */
  async #look(): Promise<void> {
    this.#isAskedAgain = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#needsLook()) {
      this.#isAskedAgain = false;
      try {
        this.#handOver(await this.#parts.store.inbox(this.#parts.runId));
      } catch (error) {
        this.#parts.onError(error);
      }
    }
    this.#isLooking = false;
  }

  #needsLook(): boolean {
    return this.#isAskedAgain && !this.#isClosed;
  }

  #handOver(waiting: readonly StoredCommand[]): void {
    if (this.#isClosed) return;
    const known = this.#known;
    this.#known = new Set(waiting.map(({ id }) => id));
    for (const command of waiting) if (!known.has(command.id)) this.#take(command);
  }
}
