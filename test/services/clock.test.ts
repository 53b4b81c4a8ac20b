import { createActor, createMachine } from 'xstate';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { effectiveDelayMs, systemClock } from '../../src/services/clock.js';

const longestPlatformDelayMs = 2 ** 31 - 1;

describe('systemClock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([1, 1_000, longestPlatformDelayMs, 2 ** 31, 2 ** 31 + 1, 2 ** 33, 5 * 2 ** 31 + 7])(
    'fires after exactly %d ms, not before and only once',
    (delayMs) => {
      const fired = vi.fn();
      systemClock().setTimeout(fired, delayMs);
      vi.advanceTimersByTime(delayMs - 1);
      expect(fired).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      expect(fired).toHaveBeenCalledTimes(1);
      vi.advanceTimersByTime(2 ** 32);
      expect(fired).toHaveBeenCalledTimes(1);
    },
  );

  it.each([0, -5, Number.NaN, -Infinity])('takes a delay of %d for 0', (delayMs) => {
    const fired = vi.fn();
    systemClock().setTimeout(fired, delayMs);
    expect(fired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(0);
    expect(fired).toHaveBeenCalledTimes(1);
  });

  it('never fires an infinite delay, arms nothing for it, and lets it be cleared', () => {
    const clock = systemClock();
    const timer = clock.setTimeout(() => expect.fail('fired'), Infinity);
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(2 ** 33);
    clock.clearTimeout(timer);
  });

  it('never hands the platform a delay that it cannot keep', () => {
    const delays = vi.spyOn(globalThis, 'setTimeout');
    systemClock().setTimeout(() => {}, Number.MAX_SAFE_INTEGER);
    vi.advanceTimersByTime(3 * longestPlatformDelayMs);
    expect(delays.mock.calls.map(([, delayMs]) => delayMs)).toEqual(
      Array.from({ length: 4 }, () => longestPlatformDelayMs),
    );
    delays.mockRestore();
  });

  it('clears a timer, also between two chunks of a long delay', () => {
    const clock = systemClock();
    const timer = clock.setTimeout(() => expect.fail('fired'), 2 ** 32);
    vi.advanceTimersByTime(2 ** 31 + 5);
    clock.clearTimeout(timer);
    clock.clearTimeout(timer);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ignores handles that are not its own', () => {
    const clock = systemClock();
    for (const handle of [undefined, null, 0, 'x', {}, Symbol('x')]) clock.clearTimeout(handle);
  });

  it('tells the time of day', () => {
    const clock = systemClock();
    expect(clock.now()).toBe(1_000_000);
    vi.advanceTimersByTime(500);
    expect(clock.now()).toBe(1_000_500);
  });

  it('never goes back when the wall clock does, and keeps counting', () => {
    const clock = systemClock();
    expect(clock.now()).toBe(1_000_000);
    vi.setSystemTime(400_000);
    expect(clock.now()).toBe(1_000_000);
    vi.advanceTimersByTime(250);
    expect(clock.now()).toBe(1_000_250);
    vi.setSystemTime(100_000);
    expect(clock.now()).toBe(1_000_250);
    vi.advanceTimersByTime(50);
    expect(clock.now()).toBe(1_000_300);
  });

  it('drives the delays of an XState actor, however long', () => {
    const waiting = createMachine({
      initial: 'waiting',
      states: { waiting: { after: { [2 ** 31]: 'over' } }, over: {} },
    });
    const actor = createActor(waiting, { clock: systemClock() }).start();
    vi.advanceTimersByTime(2 ** 31 - 1);
    expect(actor.getSnapshot().value).toBe('waiting');
    vi.advanceTimersByTime(1);
    expect(actor.getSnapshot().value).toBe('over');
    actor.stop();
  });
});

describe('systemClock, in real time', () => {
  it('warns of no timeout overflow', async () => {
    const warnings: string[] = [];
    const listen = (warning: Error): void => void warnings.push(warning.name);
    process.on('warning', listen);
    const clock = systemClock();
    const timers = [2 ** 31, 2 ** 40, Infinity, Number.MAX_SAFE_INTEGER].map((delayMs) =>
      clock.setTimeout(() => expect.fail('fired'), delayMs),
    );
    await new Promise<void>((resolve) => void clock.setTimeout(resolve, 20));
    for (const timer of timers) clock.clearTimeout(timer);
    process.off('warning', listen);
    expect(warnings).toEqual([]);
  });
});

describe('effectiveDelayMs', () => {
  it('is never negative and always a number', () => {
    expect([-1, -0, 0, 3, Number.NaN, Infinity].map(effectiveDelayMs)).toEqual([
      0,
      0,
      0,
      3,
      0,
      Infinity,
    ]);
  });
});
