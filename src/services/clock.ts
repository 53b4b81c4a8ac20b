/**
 * Time as a service: the only file of the package that reads the wall clock or arms a real timer.
 */

/** The time source of a run. Also fits XState's own option: `createActor(machine, { clock })`. */
export interface Clock {
  /** Milliseconds since the epoch. Never decreases. */
  now(): number;
  /**
   * Calls back once, after `delayMs`. Delays of any length work; `Infinity` never calls back; NaN and negative delays
   * count as 0. Never calls back synchronously.
   */
  setTimeout(callback: () => void, delayMs: number): unknown;
  /** Clears a timer. Ignores a handle that has fired, was cleared before or is foreign. */
  clearTimeout(handle: unknown): void;
  /**
   * Returns a promise to wait for when the event loop was blocked for long; undefined otherwise. Agents that answer
   * synchronously would otherwise starve timers and input of the whole process.
   */
  turn?(): Promise<void> | undefined;
}

/** A smaller difference between the two clocks of a machine is rounding, not a change of the time. */
const clockToleranceMs = 250;

/** The longest delay of a platform timer; one millisecond more and it fires at once. */
const longestPlatformDelayMs = 2 ** 31 - 1;

/** How often the two clocks are compared while timers wait. */
const comparisonMs = 1_000;

/** How long the event loop may be blocked before it gets a turn. */
const longestTurnMs = 25;

/** The delay that a clock uses: never negative, never NaN, possibly infinite. */
export const effectiveDelayMs = (delayMs: number): number => (delayMs > 0 ? delayMs : 0);

/**
 * The real clock.
 *
 * Time never runs backwards. When the wall clock is set back, this clock keeps counting the elapsed time by the
 * monotonic clock of the platform, and stays ahead of the wall clock by that much until that is corrected. When the
 * wall clock is set forward, or the machine slept, it follows, and so do its timers: deadlines are times of the wall
 * clock. A timer that is due by then fires within a second.
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
  const timers = new WaitingTimers();

  const now = (): number => {
    const nextWallMs = Date.now();
    const nextMonotonicMs = performance.now();
    const gainedMs = Math.round(nextWallMs - wallMs - (nextMonotonicMs - monotonicMs));
    if (gainedMs < -clockToleranceMs) aheadOfWallMs -= gainedMs;
    if (gainedMs > clockToleranceMs) {
      // A wall clock that was set back and is corrected has skipped nothing.
      const returnedMs = Math.min(gainedMs, aheadOfWallMs);
      aheadOfWallMs -= returnedMs;
      if (gainedMs - returnedMs > clockToleranceMs) timers.hurry(gainedMs - returnedMs);
    }
    wallMs = nextWallMs;
    monotonicMs = nextMonotonicMs;
    latestMs = Math.max(latestMs, nextWallMs + aheadOfWallMs);
    return latestMs;
  };

  return {
    now,
    setTimeout: (callback, delayMs) => {
      const timer = new SystemTimer(() => {
        timers.delete(timer);
        callback();
      }, effectiveDelayMs(delayMs));
      timers.add(timer, now);
      timer.arm();
      return timer;
    },
    clearTimeout: (handle) => {
      if (!(handle instanceof SystemTimer)) return;
      timers.delete(handle);
      handle.clear();
    },
    turn: eventLoopTurns(),
  };
}

/** The waiting timers, compared with the wall clock once a second: platform timers do not notice a jump. */
class WaitingTimers {
  readonly #timers = new Set<SystemTimer>();
  #comparison: ReturnType<typeof globalThis.setInterval> | undefined;

  add(timer: SystemTimer, compare: () => void): void {
    if (timer.isEndless) return;
    this.#timers.add(timer);
    if (this.#comparison !== undefined) return;
    this.#comparison = globalThis.setInterval(compare, comparisonMs);
    // The comparison alone keeps no Node process alive; in a browser it is a number.
    (this.#comparison as { unref?: () => void }).unref?.();
  }

  delete(timer: SystemTimer): void {
    if (!this.#timers.delete(timer) || this.#timers.size > 0) return;
    globalThis.clearInterval(this.#comparison);
    this.#comparison = undefined;
  }

  /** The wall clock was set forward, or the machine slept: every timer is due that much earlier. */
  hurry(skippedMs: number): void {
    for (const timer of this.#timers) timer.hurry(skippedMs);
  }
}

/** Measures the time since the last turn of the event loop, from the first call in each turn. */
function eventLoopTurns(): () => Promise<void> | undefined {
  let beganAtMs: number | undefined;
  return () => {
    if (beganAtMs === undefined) {
      beganAtMs = performance.now();
      inNextTurn(() => {
        beganAtMs = undefined;
      });
      return undefined;
    }
    return performance.now() - beganAtMs < longestTurnMs ? undefined : new Promise(inNextTurn);
  };
}

/** Browsers have no setImmediate, and take at least a millisecond. */
function inNextTurn(callback: () => void): void {
  const { setImmediate } = globalThis as { readonly setImmediate?: (callback: () => void) => void };
  if (setImmediate === undefined) globalThis.setTimeout(callback, 0);
  else setImmediate(callback);
}

/** One timer of the real clock: a chain of platform timers when its delay exceeds their maximum. */
class SystemTimer {
  readonly #callback: () => void;
  #remainingMs: number;
  #armedAtMs = 0;
  #platformTimer: ReturnType<typeof globalThis.setTimeout> | undefined;

  constructor(callback: () => void, delayMs: number) {
    this.#callback = callback;
    this.#remainingMs = delayMs;
  }

  get isEndless(): boolean {
    return this.#remainingMs === Number.POSITIVE_INFINITY;
  }

  arm(): void {
    // An infinite delay needs no timer, and so does not keep a Node process alive.
    if (this.isEndless) return;
    const chunkMs = Math.min(this.#remainingMs, longestPlatformDelayMs);
    this.#armedAtMs = performance.now();
    // Looked up at every call: a test may have installed fake timers since.
    this.#platformTimer = globalThis.setTimeout(() => {
      this.#remainingMs -= chunkMs;
      if (this.#remainingMs > 0) this.arm();
      else this.#callback();
    }, chunkMs);
  }

  /** Fires that much earlier. */
  hurry(skippedMs: number): void {
    this.clear();
    const elapsedMs = performance.now() - this.#armedAtMs;
    this.#remainingMs = Math.max(0, this.#remainingMs - elapsedMs - skippedMs);
    this.arm();
  }

  clear(): void {
    globalThis.clearTimeout(this.#platformTimer);
  }
}
