import { createActor, createMachine } from 'xstate';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { effectiveDelayMs, systemClock } from '../../src/services/clock.js';

/* Delays of every length and a wall clock that is set are in test/faults/time-clock.test.ts. */

describe('systemClock', () => {
  beforeEach(() => {
    // Not setInterval: it would tick millions of times in the years that pass here.
    const toFake = ['setTimeout', 'clearTimeout', 'Date', 'performance'] as const;
    vi.useFakeTimers({ now: 1_000_000, toFake: [...toFake] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([0, -5, Number.NaN, -Infinity])('treats a delay of %d as 0', (delayMs) => {
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

  it('returns the time of day', () => {
    const clock = systemClock();
    expect(clock.now()).toBe(1_000_000);
    vi.advanceTimersByTime(500);
    expect(clock.now()).toBe(1_000_500);
  });

  it('loses no time when the wall clock is set back between two readings', () => {
    const clock = systemClock();
    expect(clock.now()).toBe(1_000_000);
    vi.advanceTimersByTime(3_600_000);
    vi.setSystemTime(1_000_000 + 1_800_000);
    expect(clock.now()).toBe(1_000_000 + 3_600_000);
    vi.advanceTimersByTime(500);
    expect(clock.now()).toBe(1_000_000 + 3_600_500);
    vi.setSystemTime(5);
    expect(clock.now()).toBe(1_000_000 + 3_600_500);
  });

  it('follows a wall clock that is set forward', () => {
    const clock = systemClock();
    vi.advanceTimersByTime(1_000);
    vi.setSystemTime(9_000_000);
    expect(clock.now()).toBe(9_000_000);
  });

  it('does not drift away from a wall clock that is slowed down a little', () => {
    const clock = systemClock();
    for (let second = 0; second < 1_000; second += 1) {
      vi.advanceTimersByTime(1_000);
      vi.setSystemTime(Date.now() - 1);
      clock.now();
    }
    expect(clock.now()).toBe(1_000_000 + 1_000 * 999);
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

describe('systemClock, when the wall clock is set', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('fires due timers within a second after the wall clock was set forward, and no others', () => {
    const clock = systemClock();
    const fired: string[] = [];
    clock.setTimeout(() => fired.push('an hour'), 3_600_000);
    clock.setTimeout(() => fired.push('two hours'), 7_200_000);
    const cleared = clock.setTimeout(() => fired.push('cleared'), 60_000);
    clock.clearTimeout(cleared);
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(fired).toEqual([]);
    vi.advanceTimersByTime(1_010);
    expect(fired).toEqual(['an hour']);
    vi.advanceTimersByTime(3_600_000);
    expect(fired).toEqual(['an hour', 'two hours']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('fires nothing early after the wall clock was set back', () => {
    const clock = systemClock();
    const fired = vi.fn();
    clock.setTimeout(fired, 10_000);
    vi.setSystemTime(Date.now() - 3_600_000);
    vi.advanceTimersByTime(9_999);
    expect(fired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(fired).toHaveBeenCalledTimes(1);
  });
});
