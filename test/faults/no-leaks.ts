import { afterEach, beforeEach, expect } from 'vitest';

import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';

/** How long something that is closing, such as a socket, may take. */
const patienceMs = 1_000;

/**
 * Every test of the file fails when it leaves something behind: an uncaught rejection or exception, a timer of the
 * platform or of a watched clock, an open handle, a changed `Object.prototype`. Call it once, at the top of every
 * file of this folder; `no-leaks.test.ts` checks that.
 */
export const expectNoLeaks = (): void => {
  let before: readonly string[] = [];
  let prototype: readonly PropertyKey[] = [];
  let timers: WatchedTimers | undefined;
  expectNothingUnhandled();
  beforeEach(() => {
    clocks.clear();
    before = handles();
    prototype = Reflect.ownKeys(Object.prototype);
    timers = watchTimers();
  });
  afterEach(async () => {
    timers?.release();
    expect(timers?.armed(), 'timers of the platform').toBe(0);
    for (const clock of clocks) expect(clock.pending(), 'timers of a watched clock').toBe(0);
    expect(Reflect.ownKeys(Object.prototype), 'Object.prototype').toEqual(prototype);
    await closing(before);
    expect(openedSince(before), 'open handles').toEqual([]);
  });
};

const clocks = new Set<VirtualClock>();

/** A virtual clock that must have no timer left at the end of the test. Scenarios check their own clock. */
export const watchedClock = (options?: Parameters<typeof virtualClock>[0]): VirtualClock => {
  const clock = virtualClock(options);
  clocks.add(clock);
  return clock;
};

interface WatchedTimers {
  /** Timers armed since the start of the watch that have neither fired nor been cleared. */
  readonly armed: () => number;
  /** Restores the timers of the platform; watched timers still count. */
  readonly release: () => void;
}

/**
 * Counts timers where they are armed. The platform's own list also has a timer of the test runner, which appears and
 * disappears.
 */
export const watchTimers = (): WatchedTimers => {
  const original = { ...timersOf(globalThis) };
  const armed = new Set<unknown>();
  const arming = (isOnce: boolean) => ({
    apply: (target: Arm, self: unknown, [callback, ...rest]: Parameters<Arm>): unknown => {
      const fire = (...values: unknown[]): void => {
        if (isOnce) armed.delete(timer);
        callback(...values);
      };
      const timer = Reflect.apply(target, self, [fire, ...rest]);
      armed.add(timer);
      return timer;
    },
  });
  const clearing = {
    apply: (target: Clear, self: unknown, [timer]: Parameters<Clear>): void => {
      armed.delete(timer);
      Reflect.apply(target, self, [timer]);
    },
  };
  Object.assign(globalThis, {
    setTimeout: new Proxy(original.setTimeout, arming(true)),
    setInterval: new Proxy(original.setInterval, arming(false)),
    clearTimeout: new Proxy(original.clearTimeout, clearing),
    clearInterval: new Proxy(original.clearInterval, clearing),
  });
  return {
    armed: () => armed.size,
    release: () => {
      Object.assign(globalThis, original);
    },
  };
};

type Arm = (callback: (...values: unknown[]) => void, ...rest: unknown[]) => unknown;
type Clear = (timer: unknown) => void;

const timersOf = (scope: object): PlatformTimers => {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = scope as PlatformTimers;
  return { setTimeout, setInterval, clearTimeout, clearInterval };
};

interface PlatformTimers {
  readonly setTimeout: Arm;
  readonly setInterval: Arm;
  readonly clearTimeout: Clear;
  readonly clearInterval: Clear;
}

/** What keeps the process alive, except timers, which are counted above, and the current turn. */
const handles = (): string[] =>
  process.getActiveResourcesInfo().filter((type) => type !== 'Timeout' && type !== 'Immediate');

/** Handles that are open now and were not before, each as often as it is new. */
export const openedSince = (before: readonly string[]): string[] => {
  const known = [...before];
  return handles().filter((type) => {
    const index = known.indexOf(type);
    if (index >= 0) known.splice(index, 1);
    return index < 0;
  });
};

const closing = async (before: readonly string[]): Promise<void> => {
  const deadlineMs = performance.now() + patienceMs;
  while (openedSince(before).length > 0 && performance.now() < deadlineMs) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
