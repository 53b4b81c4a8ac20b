import type { Clock } from '../services/clock.js';
import type { RunStore } from '../model/run-store.js';

/** How much less often a store with notifications is polled: a notification may be lost. */
export const SLOWER_WHERE_WATCHED = 10;

export interface CommandPollerParts {
  readonly store: Pick<RunStore, 'owned' | 'watch'>;
  readonly clock: Clock;
  readonly owner: string;
  readonly pollMs: number;
  readonly onError: (error: unknown) => void;
}

/** Looks for commands from other processes: one query for all runs of this process. */
export class CommandPoller {
  readonly #parts: CommandPollerParts;
  readonly #looks = new Map<string, () => void>();
  #timer: unknown;

  constructor(parts: CommandPollerParts) {
    this.#parts = parts;
  }

  /** Calls `look` when there may be commands for a run. Returns a function that stops it. */
  add(runId: string, look: () => void): () => void {
    const stopWatching = this.#parts.store.watch?.(runId, look);
    this.#looks.set(runId, look);
    if (this.#looks.size === 1) this.#pollLater();
    return () => {
      stopWatching?.();
      if (this.#looks.get(runId) !== look) return;
      this.#looks.delete(runId);
      if (this.#looks.size === 0) this.#parts.clock.clearTimeout(this.#timer);
    };
  }

  #pollLater(): void {
    const { store, clock, pollMs } = this.#parts;
    const delayMs = store.watch === undefined ? pollMs : pollMs * SLOWER_WHERE_WATCHED;
    clock.clearTimeout(this.#timer);
    this.#timer = clock.setTimeout(() => void this.#poll(), delayMs);
  }

  async #poll(): Promise<void> {
    const { store, owner, onError } = this.#parts;
    try {
      const owned = await store.owned(owner, { hasCommands: true });
      for (const { runId } of owned) this.#looks.get(runId)?.();
    } catch (error) {
      onError(error);
    }
    if (this.#looks.size > 0) this.#pollLater();
  }
}
