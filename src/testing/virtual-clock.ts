/** Time that moves only on command: hours of timeouts and retries in milliseconds, in the same order every time. */
import { loadAllParts } from '../orchestrator/load-all-parts.js';
import { effectiveDelayMs } from '../services/clock.js';
import type { Clock } from '../services/clock.js';

/** A clock that a test moves. */
export interface VirtualClock extends Clock {
  /** Moves time forward by `durationMs` and fires the due timers, each at its own time. */
  advance(durationMs: number): void;
  /** Moves time forward to a point and fires the due timers, each at its own time. */
  advanceTo(timeMs: number): void;
  /** Jumps to the next timer and fires that one only. False when there is none. */
  next(): boolean;
  /** The number of armed timers. One with an infinite delay is not counted. */
  pending(): number;
  /** Lets all pending promises run. Does not move time. */
  settle(): Promise<void>;
  /**
   * Settles and jumps from timer to timer until the predicate holds or the promise has settled. Rejects when no timer
   * is left, or after `maxTimers` timers (1,000,000).
   */
  runUntil(
    done: (() => boolean) | PromiseLike<unknown>,
    options?: { readonly maxTimers?: number },
  ): Promise<void>;
  /** Resolves `durationMs` later; rejects with the reason of the signal as soon as it is aborted. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

const defaultMaxTimers = 1_000_000;
/** One turn drains every promise chain; some code also waits for a message or an immediate once or twice. */
const turnsToSettle = 3;
/** Before giving up, work outside of this clock (a file, a worker) gets about this many turns. */
const turnsBeforeDeadlock = 50;

/**
 * Kept from the start, because a test may replace it. Node delivers messages in batches, without a turn of the loop
 * between them; browsers have no immediates, but deliver messages one by one.
 */
const { setImmediate: platformImmediate } = globalThis as {
  readonly setImmediate?: (callback: () => void) => unknown;
};

/**
 * A clock for tests. A callback that throws throws out of `advance` or `next`; the timers after it stay armed.
 *
 * @example
 * ```ts
 * const clock = virtualClock();
 * const run = createOrchestrator({ clock, … }).start({ goal });
 * await clock.runUntil(run.done);
 * ```
 */
export function virtualClock(options: { readonly startMs?: number } = {}): VirtualClock {
  const queue = new TimerQueue();
  let nowMs = requireFinite('startMs', options.startMs ?? 0);

  const next = (latestMs = Number.POSITIVE_INFINITY): boolean => {
    const timer = queue.takeDueBy(latestMs);
    if (!timer) return false;
    nowMs = Math.max(nowMs, timer.dueMs);
    timer.fire();
    return true;
  };
  const advanceTo = (timeMs: number): void => {
    if (requireFinite('timeMs', timeMs) < nowMs) {
      throw new RangeError(
        `Expected \`timeMs\` to be at least the current ${nowMs}, got ${timeMs}`,
      );
    }
    while (next(timeMs));
    nowMs = Math.max(nowMs, timeMs); // a callback may have moved time further
  };
  const clock: VirtualClock = {
    now: () => nowMs,
    setTimeout: (callback, delayMs) => queue.add(callback, nowMs + effectiveDelayMs(delayMs)),
    clearTimeout: (handle) => {
      if (handle instanceof Timer) queue.clear(handle);
    },
    advance: (durationMs) => advanceTo(nowMs + requireFinite('durationMs', durationMs)),
    advanceTo,
    next: () => next(),
    pending: () => queue.armed,
    settle: async () => {
      await loadAllParts();
      await settle();
    },
    runUntil: (done, { maxTimers = defaultMaxTimers } = {}) => runUntil(clock, done, maxTimers),
    sleep: (durationMs, signal) => sleep(clock, durationMs, signal),
  };
  return clock;
}

async function settle(turns = turnsToSettle): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise<void>(takeTurn);
}

async function runUntil(
  clock: VirtualClock,
  done: (() => boolean) | PromiseLike<unknown>,
  maxTimers: number,
): Promise<void> {
  const isDone = typeof done === 'function' ? done : settlementOf(done);
  // A run that waits for code to load is not stuck.
  await loadAllParts();
  for (let fired = 0; ; fired += 1) {
    await settle();
    if (isDone()) return;
    if (fired >= maxTimers) {
      throw new Error(`Not done after ${maxTimers} timers, at ${clock.now()} ms`);
    }
    if (clock.next()) continue;
    await settle(turnsBeforeDeadlock);
    if (isDone()) return;
    if (clock.pending() > 0) continue;
    throw new Error(`Deadlock at ${clock.now()} ms: not done, and no timer is left`);
  }
}

function settlementOf(promise: PromiseLike<unknown>): () => boolean {
  let isSettled = false;
  const settled = (): void => {
    isSettled = true;
  };
  // The caller handles the rejection of the promise itself.
  promise.then(settled, settled);
  return () => isSettled;
}

async function sleep(clock: Clock, durationMs: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const wake = (): void => {
      clock.clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason is the caller's
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = clock.setTimeout(wake, durationMs);
    signal?.addEventListener('abort', wake);
  });
}

/** Calls back in another turn of the event loop. Without a timer, because those are slow in a browser. */
function takeTurn(callback: () => void): void {
  if (platformImmediate) {
    platformImmediate(callback);
    return;
  }
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    callback();
  };
  port2.postMessage(undefined);
}

function requireFinite(name: string, value: number): number {
  if (Number.isFinite(value)) return value;
  throw new TypeError(`Expected \`${name}\` to be a finite number, got \`${value}\``);
}

class Timer {
  readonly queue: TimerQueue;
  readonly dueMs: number;
  readonly order: number;
  readonly fire: () => void;
  isArmed = true;

  constructor(queue: TimerQueue, dueMs: number, order: number, fire: () => void) {
    this.queue = queue;
    this.dueMs = dueMs;
    this.order = order;
    this.fire = fire;
  }

  isBefore(other: Timer): boolean {
    return this.dueMs < other.dueMs || (this.dueMs === other.dueMs && this.order < other.order);
  }
}

/**
 * A binary heap, earliest first, ties in the order of arrival. A cleared timer stays in it until it is due or until
 * cleared ones are the majority, so that clearing is free and the heap stays small.
 */
class TimerQueue {
  armed = 0;
  #arrivals = 0;
  #heap: Timer[] = [];

  add(fire: () => void, dueMs: number): Timer {
    const timer = new Timer(this, dueMs, this.#arrivals, fire);
    this.#arrivals += 1;
    if (dueMs === Number.POSITIVE_INFINITY) timer.isArmed = false;
    else {
      this.armed += 1;
      let child = this.#heap.push(timer) - 1;
      while (this.#swapIfBefore(child, (child - 1) >> 1)) child = (child - 1) >> 1;
    }
    return timer;
  }

  clear(timer: Timer): void {
    if (timer.queue !== this || !timer.isArmed) return;
    timer.isArmed = false;
    this.armed -= 1;
    if (this.#heap.length > 64 && this.armed * 2 < this.#heap.length) this.#dropCleared();
  }

  takeDueBy(latestMs: number): Timer | undefined {
    for (let first = this.#heap[0]; first && first.dueMs <= latestMs; first = this.#heap[0]) {
      this.#removeFirst();
      if (first.isArmed) {
        first.isArmed = false;
        this.armed -= 1;
        return first;
      }
    }
    return undefined;
  }

  #dropCleared(): void {
    // A sorted array is a heap.
    this.#heap = this.#heap
      .filter((timer) => timer.isArmed)
      .sort((left, right) => (left.isBefore(right) ? -1 : 1));
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (!last || this.#heap.length === 0) return;
    this.#heap[0] = last;
    let parent = 0;
    let child = this.#earlierChild(parent);
    while (this.#swapIfBefore(child, parent)) {
      parent = child;
      child = this.#earlierChild(parent);
    }
  }

  #earlierChild(parent: number): number {
    const left = this.#heap[2 * parent + 1];
    const right = this.#heap[2 * parent + 2];
    return left && right?.isBefore(left) ? 2 * parent + 2 : 2 * parent + 1;
  }

  #swapIfBefore(child: number, parent: number): boolean {
    const lower = this.#heap[child];
    const upper = this.#heap[parent];
    if (!lower || !upper || !lower.isBefore(upper)) return false;
    this.#heap[parent] = lower;
    this.#heap[child] = upper;
    return true;
  }
}
