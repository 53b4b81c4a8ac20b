import { StoreUnavailableError } from '../errors.js';
import type { MaybePromise } from '../model/run-store.js';
import type { Clock } from './clock.js';

/** The retry pace while a store cannot be reached. */
const WHILE_AWAY: RetryPace = {
  firstPauseMs: 25,
  longestPauseMs: 2_000,
  isPassing: (error) => StoreUnavailableError.isInstance(error),
};

/** A try counts for at most this part of the window: a longer one was interrupted by sleep. */
const LONGEST_TRY_SHARE = 1 / 3;

interface RetryPace {
  readonly firstPauseMs: number;
  /** Pauses grow up to this. */
  readonly longestPauseMs: number;
  /** Whether a retry may succeed after this error. */
  readonly isPassing: (error: unknown) => boolean;
}

export interface StoreRetryParts {
  readonly clock: Clock;
  /** How long a store that cannot be reached is retried. */
  readonly windowMs: number;
  /** Called once when the store becomes unreachable, not for every try. */
  readonly onError: (error: unknown) => void;
  /** @default for a store that cannot be reached */
  readonly pace?: RetryPace;
}

/**
 * Retries a store that cannot be reached, with growing pauses. The operation must be idempotent: the first one may have
 * succeeded with its answer lost.
 */
export class StoreRetry {
  readonly #parts: StoreRetryParts;
  readonly #pace: RetryPace;
  readonly #pauses = new Map<unknown, () => void>();
  #waiting = 0;
  #isOver = false;

  constructor(parts: StoreRetryParts) {
    this.#parts = parts;
    this.#pace = parts.pace ?? WHILE_AWAY;
  }

  /** The store cannot be reached at present, and is being retried. */
  get isStalled(): boolean {
    return this.#waiting > 0;
  }

  /** Synchronous when the store is. Rejects with the last error when the store stays unreachable. */
  run<Value>(ask: () => MaybePromise<Value>): MaybePromise<Value> {
    try {
      const answer = ask();
      if (!(answer instanceof Promise)) return answer;
      return answer.catch((error: unknown) => this.#askAgain(ask, error));
    } catch (error) {
      return this.#askAgain(ask, error);
    }
  }

  /** Stops retrying: waiting operations fail at once with their last error. */
  stop(): void {
    this.#isOver = true;
    for (const [timer, resume] of this.#pauses) {
      this.#parts.clock.clearTimeout(timer);
      resume();
    }
    this.#pauses.clear();
  }

  #askAgain<Value>(ask: () => MaybePromise<Value>, error: unknown): Promise<Value> {
    if (!this.#pace.isPassing(error) || this.#isOver) throw error;
    if (!this.isStalled) this.#parts.onError(error);
    this.#waiting += 1;
    return this.#keepAsking(ask, error).finally(() => {
      this.#waiting -= 1;
    });
  }

  async #keepAsking<Value>(ask: () => MaybePromise<Value>, first: unknown): Promise<Value> {
    const { clock, windowMs } = this.#parts;
    const { firstPauseMs, longestPauseMs, isPassing } = this.#pace;
    let last = first;
    let pauseMs = firstPauseMs;
    let leftMs = windowMs;
    while (leftMs > 0) {
      const beganAtMs = clock.now();
      await this.#pause(Math.min(pauseMs, leftMs));
      if (this.#isOver) break;
      try {
        return await ask();
      } catch (error) {
        if (!isPassing(error)) throw error;
        last = error;
      }
      // No try was made while the machine slept or its clock jumped.
      leftMs -= Math.min(clock.now() - beganAtMs, pauseMs + windowMs * LONGEST_TRY_SHARE);
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    }
    throw last;
  }

  #pause(pauseMs: number): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#parts.clock.setTimeout(() => {
        this.#pauses.delete(timer);
        resolve();
      }, pauseMs);
      this.#pauses.set(timer, resolve);
    });
  }
}
