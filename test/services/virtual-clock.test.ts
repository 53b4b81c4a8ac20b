import fc from 'fast-check';
import { createActor, createMachine } from 'xstate';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { virtualClock } from '../../src/testing/virtual-clock.js';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('virtualClock', () => {
  it('stands still until it is moved', () => {
    const clock = virtualClock({ startMs: 5_000 });
    clock.setTimeout(() => expect.fail('fired'), 0);
    expect(clock.now()).toBe(5_000);
  });

  it('fires chained timers each at its own time', () => {
    const clock = virtualClock();
    const times: number[] = [];
    const chain = (): void => {
      times.push(clock.now());
      clock.setTimeout(chain, 10);
    };
    clock.setTimeout(chain, 10);
    clock.advance(30);
    expect(times).toEqual([10, 20, 30]);
    expect(clock.now()).toBe(30);
    clock.advanceTo(39);
    expect(times).toHaveLength(3);
    expect(clock.now()).toBe(39);
  });

  it('fires in the order of time, and in the order of arming when times are equal', () => {
    const delays = fc.array(fc.record({ delayMs: fc.nat(20), isCleared: fc.boolean() }));
    fc.assert(
      fc.property(delays, (timers) => {
        const clock = virtualClock();
        const fired: number[] = [];
        const handles = timers.map(({ delayMs }, index) =>
          clock.setTimeout(() => fired.push(index), delayMs),
        );
        timers.forEach(({ isCleared }, index) => {
          if (isCleared) clock.clearTimeout(handles[index]);
        });
        const expected = timers
          .map(({ delayMs, isCleared }, index) => ({ delayMs, isCleared, index }))
          .filter(({ isCleared }) => !isCleared)
          .sort((left, right) => left.delayMs - right.delayMs)
          .map(({ index }) => index);
        expect(clock.pending()).toBe(expected.length);
        clock.advance(20);
        expect(fired).toEqual(expected);
        expect(clock.pending()).toBe(0);
      }),
    );
  });

  it('fires exactly one timer with next, and reports when there is none', () => {
    const clock = virtualClock();
    const fired: string[] = [];
    clock.setTimeout(() => fired.push('late'), 3_600_000);
    clock.setTimeout(() => fired.push('early'), 5);
    expect(clock.next()).toBe(true);
    expect([clock.now(), fired]).toEqual([5, ['early']]);
    expect(clock.next()).toBe(true);
    expect([clock.now(), fired]).toEqual([3_600_000, ['early', 'late']]);
    expect(clock.next()).toBe(false);
  });

  it('never fires a cleared timer, also when an earlier one clears it', () => {
    const clock = virtualClock();
    const later = clock.setTimeout(() => expect.fail('fired'), 10);
    clock.setTimeout(() => clock.clearTimeout(later), 10 - 1);
    clock.advance(100);
    clock.clearTimeout(later);
    clock.clearTimeout(undefined);
    expect(clock.pending()).toBe(0);
  });

  it('ignores the timers of another clock', () => {
    const [one, other] = [virtualClock(), virtualClock()];
    const fired = vi.fn();
    const timer = one.setTimeout(fired, 1);
    other.clearTimeout(timer);
    one.advance(1);
    expect(fired).toHaveBeenCalledTimes(1);
    expect(other.pending()).toBe(0);
  });

  it('never fires an infinite delay and does not count it', () => {
    const clock = virtualClock();
    const timer = clock.setTimeout(() => expect.fail('fired'), Infinity);
    expect(clock.pending()).toBe(0);
    expect(clock.next()).toBe(false);
    clock.clearTimeout(timer);
    expect(clock.pending()).toBe(0);
  });

  it('treats NaN and negative delays as 0, but still fires after the current moment', () => {
    const clock = virtualClock();
    const fired = vi.fn();
    clock.setTimeout(fired, Number.NaN);
    clock.setTimeout(fired, -5);
    expect(fired).not.toHaveBeenCalled();
    clock.advance(0);
    expect(fired).toHaveBeenCalledTimes(2);
    expect(clock.now()).toBe(0);
  });

  it('refuses to move backwards or by an invalid time', () => {
    const clock = virtualClock({ startMs: 100 });
    expect(() => clock.advanceTo(99)).toThrow(RangeError);
    expect(() => clock.advance(-1)).toThrow(RangeError);
    expect(() => clock.advance(Number.NaN)).toThrow('Expected `durationMs` to be a finite number');
    expect(() => clock.advance(Infinity)).toThrow(TypeError);
    expect(() => virtualClock({ startMs: Number.NaN })).toThrow('`startMs`');
    expect(clock.now()).toBe(100);
  });

  it('lets the error of a callback through and keeps the other timers', () => {
    const clock = virtualClock();
    const fired = vi.fn();
    clock.setTimeout(() => {
      throw new Error('boom');
    }, 1);
    clock.setTimeout(fired, 2);
    expect(() => clock.advance(10)).toThrow('boom');
    expect(clock.now()).toBe(1);
    clock.advance(10);
    expect(fired).toHaveBeenCalledTimes(1);
  });

  it('handles a hundred thousand timers that re-arm, and as many that are cleared, within seconds', () => {
    const clock = virtualClock();
    let [first, second] = [0, 0];
    for (let index = 0; index < 100_000; index += 1) {
      clock.setTimeout(() => {
        first += 1;
        clock.setTimeout(() => (second += 1), 1);
        clock.clearTimeout(clock.setTimeout(() => expect.fail('fired'), 1e9));
      }, index % 1_000);
    }
    clock.advance(2_000);
    expect([first, second, clock.pending()]).toEqual([100_000, 100_000, 0]);
  });

  it('drives the delays of an XState actor', () => {
    const clock = virtualClock();
    const machine = createMachine({
      initial: 'first',
      states: {
        first: { after: { 10: 'second' } },
        second: { after: { 10: 'third' } },
        third: { type: 'final' },
      },
    });
    const actor = createActor(machine, { clock }).start();
    clock.advance(20);
    expect(actor.getSnapshot().status).toBe('done');
    expect(clock.pending()).toBe(0);
  });
});

describe('settle', () => {
  it('lets promise chains of any length run, without moving time', async () => {
    const clock = virtualClock();
    let hops = 0;
    void (async () => {
      for (let hop = 0; hop < 1_000; hop += 1) {
        await Promise.resolve();
        hops += 1;
      }
    })();
    await clock.settle();
    expect(hops).toBe(1_000);
    expect(clock.now()).toBe(0);
  });

  it('works while timers are fake', async () => {
    vi.useFakeTimers();
    await virtualClock().settle();
  });

  it('works without immediates, as in a browser', async () => {
    vi.stubGlobal('setImmediate', undefined);
    vi.resetModules();
    const browser = await import('../../src/testing/virtual-clock.js');
    const clock = browser.virtualClock();
    await clock.runUntil(clock.sleep(1_000));
    expect(clock.now()).toBe(1_000);
  });
});

describe('runUntil', () => {
  it('jumps from timer to timer until the predicate holds', async () => {
    const clock = virtualClock();
    let ticks = 0;
    const tick = (): void => {
      ticks += 1;
      clock.setTimeout(tick, 1_000);
    };
    tick();
    await clock.runUntil(() => ticks === 50);
    expect(clock.now()).toBe(49_000);
  });

  it('runs until a promise settles, and leaves the rejection to its owner', async () => {
    const clock = virtualClock();
    const work = async (fails: boolean): Promise<string> => {
      for (let attempt = 0; attempt < 3; attempt += 1) await clock.sleep(60_000);
      if (fails) throw new Error('gave up');
      return 'done';
    };
    const fine = work(false);
    await clock.runUntil(fine);
    await expect(fine).resolves.toBe('done');
    expect(clock.now()).toBe(180_000);
    const failing = work(true);
    await clock.runUntil(failing);
    await expect(failing).rejects.toThrow('gave up');
  });

  it('moves no time when the condition already holds', async () => {
    const clock = virtualClock();
    clock.setTimeout(() => expect.fail('fired'), 1);
    await clock.runUntil(() => true);
    await clock.runUntil(Promise.resolve());
    expect(clock.now()).toBe(0);
  });

  it('throws when nothing is left that could happen', async () => {
    const clock = virtualClock();
    clock.setTimeout(() => {}, 10);
    const endless = new Promise(() => {});
    await expect(clock.runUntil(endless)).rejects.toThrow('Deadlock at 10 ms');
    await expect(clock.runUntil(() => false)).rejects.toThrow('no timer');
  });

  it('waits a little for invisible work before it reports a deadlock', async () => {
    const clock = virtualClock();
    let isDone = false;
    setImmediate(() => setImmediate(() => setImmediate(() => (isDone = true))));
    await clock.runUntil(() => isDone);
  });

  it('stops after the given number of timers', async () => {
    const clock = virtualClock();
    const tick = (): void => void clock.setTimeout(tick, 1);
    tick();
    const endless = clock.runUntil(() => false, { maxTimers: 100 });
    await expect(endless).rejects.toThrow('Not done after 100 timers, at 100 ms');
  });
});

describe('sleep', () => {
  it('resolves when its time has come', async () => {
    const clock = virtualClock();
    const woken = vi.fn();
    void clock.sleep(10).then(woken);
    clock.advance(9);
    await clock.settle();
    expect(woken).not.toHaveBeenCalled();
    clock.advance(1);
    await clock.settle();
    expect(woken).toHaveBeenCalledTimes(1);
  });

  it('rejects with the reason of its signal and leaves no timer and no listener behind', async () => {
    const clock = virtualClock();
    const controller = new AbortController();
    const removed = vi.spyOn(controller.signal, 'removeEventListener');
    const sleeping = clock.sleep(10, controller.signal);
    controller.abort('because');
    await expect(sleeping).rejects.toBe('because');
    expect(clock.pending()).toBe(0);
    expect(removed).toHaveBeenCalledTimes(1);
  });

  it('does not begin when its signal is already aborted', async () => {
    const clock = virtualClock();
    const reason = new Error('too late');
    await expect(clock.sleep(10, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(clock.pending()).toBe(0);
  });

  it('ignores an abort after it has resolved', async () => {
    const clock = virtualClock();
    const controller = new AbortController();
    const sleeping = clock.sleep(1, controller.signal);
    clock.advance(1);
    controller.abort();
    await expect(sleeping).resolves.toBeUndefined();
  });
});
