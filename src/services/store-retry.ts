import { StoreUnavailableError } from '../errors.js';
import type { MaybePromise } from '../model/run-store.js';
import type { Clock } from './clock.js';

/** How a store is asked again that cannot be reached. */
const WHILE_AWAY: RetryPace = {
  firstPauseMs: 25,
  longestPauseMs: 2_000,
  isPassing: (error) => StoreUnavailableError.isInstance(error),
};

/** A try counts for at most this part of the window: one that takes longer was interrupted. */
const LONGEST_TRY_SHARE = 1 / 3;

interface RetryPace {
  readonly firstPauseMs: number;
  /** Pauses grow up to this. */
  readonly longestPauseMs: number;
  /** Whether the store may do, when it is asked again, what it did not do now. */
  readonly isPassing: (error: unknown) => boolean;
}

export interface StoreRetryParts {
  readonly clock: Clock;
  /** How long a store that cannot be reached is asked again. */
  readonly windowMs: number;
  /** Told once when the store is away, not of every try. */
  readonly onError: (error: unknown) => void;
  /** @default for a store that cannot be reached */
  readonly pace?: RetryPace;
}

/**
 * Asks a store again while it cannot be reached, with growing pauses. What is asked must be safe to ask twice: the answer
 * to the first time may only have been lost.
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

  /** The store cannot be reached at present, and is asked again. */
  get isStalled(): boolean {
    return this.#waiting > 0;
  }

  /** Returns at once when the store does. Rejects with the last error when the store stays away. */
  run<Value>(ask: () => MaybePromise<Value>): MaybePromise<Value> {
    try {
      const answer = ask();
      if (!(answer instanceof Promise)) return answer;
      return answer.catch((error: unknown) => this.#askAgain(ask, error));
    } catch (error) {
      return this.#askAgain(ask, error);
    }
  }

  /** Asks no more: questions that wait for the next try fail at once with their last error. */
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
      // A machine that slept, or whose clock was set, has not asked meanwhile.
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
