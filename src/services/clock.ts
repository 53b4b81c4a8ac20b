/**
 * Time as a service: the only file of the package that reads the wall clock or arms a real timer.
 */

/**
 * Where a run gets its time from. Also fits XState's own option: `createActor(machine, { clock })`.
 */
export interface Clock {
  /** Milliseconds since the epoch. Never smaller than an earlier answer of the same clock. */
  now(): number;
  /**
   * Calls back once, after `delayMs`. A delay of any length is kept; `Infinity` never calls back;
   * NaN and negative delays count as 0. Never calls back before it has returned.
   */
  setTimeout(callback: () => void, delayMs: number): unknown;
  /** Forgets a timer. A handle that has fired, was cleared before or is foreign is ignored. */
  clearTimeout(handle: unknown): void;
}

/** Less than this between the two clocks of a machine is the coarseness of their answers, not a change of the time. */
const clockToleranceMs = 250;

/** The longest delay a platform timer keeps; one millisecond more and it fires at once. */
const longestPlatformDelayMs = 2 ** 31 - 1;

/**
 * What a clock makes of the delay it is given: never negative, never NaN, possibly infinite.
 */
export const effectiveDelayMs = (delayMs: number): number => (delayMs > 0 ? delayMs : 0);

/**
 * The real clock.
 *
 * Time never runs backwards: when the wall clock is set back, this one keeps counting what really elapsed, by the
 * monotonic clock of the platform, and its answers stay ahead of the wall clock by that much while the clock lives.
 * When the wall clock is set forward, or the machine slept, it follows: deadlines are times of the wall clock.
 *
 * @example
 * const clock = systemClock();
 * const timer = clock.setTimeout(() => console.log('a month later'), 30 * 24 * 3_600_000);
 * clock.clearTimeout(timer);
 */
export function systemClock(): Clock {
  let wallMs = Date.now();
  let monotonicMs = performance.now();
  let aheadOfWallMs = 0;
  let latestMs = Number.NEGATIVE_INFINITY;

  return {
    now: () => {
      const nextWallMs = Date.now();
      const nextMonotonicMs = performance.now();
      const lostMs = wallMs + (nextMonotonicMs - monotonicMs) - nextWallMs;
      if (lostMs > clockToleranceMs) aheadOfWallMs += Math.round(lostMs);
      wallMs = nextWallMs;
      monotonicMs = nextMonotonicMs;
      latestMs = Math.max(latestMs, nextWallMs + aheadOfWallMs);
      return latestMs;
    },
    setTimeout: (callback, delayMs) => {
      const timer = new SystemTimer(callback, effectiveDelayMs(delayMs));
      timer.arm();
      return timer;
    },
    clearTimeout: (handle) => {
      if (handle instanceof SystemTimer) handle.clear();
    },
  };
}

/** One timer of the real clock, as a chain of platform timers when its delay is longer than one can be. */
class SystemTimer {
  readonly #callback: () => void;
  #remainingMs: number;
  #platformTimer: ReturnType<typeof globalThis.setTimeout> | undefined;

  constructor(callback: () => void, delayMs: number) {
    this.#callback = callback;
    this.#remainingMs = delayMs;
  }

  arm(): void {
    // An endless delay needs no timer at all, and so does not keep a Node process alive either.
    if (this.#remainingMs === Number.POSITIVE_INFINITY) return;
    const chunkMs = Math.min(this.#remainingMs, longestPlatformDelayMs);
    this.#remainingMs -= chunkMs;
    // Looked up at every call, never kept: a test may have put fake timers in place since.
    this.#platformTimer = globalThis.setTimeout(() => {
      if (this.#remainingMs > 0) this.arm();
      else this.#callback();
    }, chunkMs);
  }

  clear(): void {
    globalThis.clearTimeout(this.#platformTimer);
  }
}
