import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Fact } from '../../src/model/facts.js';
import type { RunReport } from '../../src/journal/report.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { systemClock } from '../../src/services/clock.js';
import { bodiesOf } from '../run/runs.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { expectNoLeaks, watchedClock } from './no-leaks.js';

expectNoLeaks();

/* The real clock, with the timers and the wall clock of the platform faked. */

const LONGEST_PLATFORM_DELAY_MS = 2 ** 31 - 1;
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

describe('delays of every length', () => {
  beforeEach(() => {
    // Not setInterval: it would tick millions of times in the years that pass here.
    const toFake = ['setTimeout', 'clearTimeout', 'Date', 'performance'] as const;
    vi.useFakeTimers({ now: 1_000_000, toFake: [...toFake] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('fire on the real clock after exactly that delay, and only once', () => {
    const lengths = [
      0,
      1,
      1_000,
      2 ** 31 - 1,
      2 ** 31,
      2 ** 31 + 1,
      2 ** 33,
      5 * 2 ** 31 + 7,
      2 ** 40,
    ];
    for (const delayMs of lengths) {
      const fired = vi.fn();
      systemClock().setTimeout(fired, delayMs);
      expect(fired).not.toHaveBeenCalled();
      if (delayMs > 0) {
        vi.advanceTimersByTime(delayMs - 1);
        expect(fired, `${delayMs} ms, one before`).not.toHaveBeenCalled();
      }
      vi.advanceTimersByTime(delayMs > 0 ? 1 : 0);
      expect(fired, `${delayMs} ms`).toHaveBeenCalledTimes(1);
      vi.advanceTimersByTime(2 ** 32);
      expect(fired).toHaveBeenCalledTimes(1);
    }
    expect(vi.getTimerCount()).toBe(0);
  });

  it('fire on a virtual clock after exactly that delay', () => {
    const clock = watchedClock();
    const lengths = [0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER];
    const fired: number[] = [];
    for (const delayMs of lengths) clock.setTimeout(() => fired.push(clock.now()), delayMs);
    while (clock.next());
    expect(fired).toEqual(lengths);
  });
});

describe('delays that a platform timer cannot hold', () => {
  it('are split into parts that the platform holds, and add up exactly', () => {
    let totalMs = 0;
    let longestMs = 0;
    let armed: (() => void) | undefined;
    // Four million parts: fake timers, which store each, would take a minute.
    vi.stubGlobal('setTimeout', (callback: () => void, delayMs: number) => {
      totalMs += delayMs;
      longestMs = Math.max(longestMs, delayMs);
      armed = callback;
    });
    let fired = 0;
    systemClock().setTimeout(() => {
      fired += 1;
    }, Number.MAX_SAFE_INTEGER);
    while (armed !== undefined) {
      const due = armed;
      armed = undefined;
      due();
    }
    vi.unstubAllGlobals();
    expect(fired).toBe(1);
    expect(totalMs).toBe(Number.MAX_SAFE_INTEGER);
    expect(longestMs).toBe(LONGEST_PLATFORM_DELAY_MS);
  });

  it('never make Node warn of a timeout overflow', async () => {
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

/** The facts of a run, and how much real time had passed at each. */
interface Told {
  readonly facts: readonly Fact[];
  readonly passedMs: readonly number[];
  readonly report: RunReport;
}

/**
 * A run with a timer of every kind: an attempt that times out, a backoff, a question that times out, an execution
 * time that ends. The wall clock is set during the run.
 */
const withWallClock = async (jumps: Readonly<Record<number, number>>): Promise<Told> => {
  const orchestrator = composeOrchestrator(
    {
      agents: [
        agentNamed('worker', () => new Promise(() => undefined)),
        agentNamed('architect', () => 1),
      ],
      policy: definePolicy({
        time: { limitMs: 100_000, stepTimeoutMs: 5_000 },
        retry: { attempts: 2, backoffMs: 4_000, maxBackoffMs: 4_000 },
        approval: { agents: ['architect'], timeoutMs: 30_000, onReject: 'skip' },
        failure: { onStepFailure: 'continue' },
      }),
    },
    undefined,
  );
  const facts: Fact[] = [];
  const passedMs: number[] = [];
  let passed = 0;
  const run = orchestrator.start({
    goal: 'The goal',
    runId: 'run',
    plan: { steps: steps('a', 'architect:b') },
  });
  run.subscribe((fact) => {
    facts.push(fact);
    passedMs.push(passed);
  });
  let report: RunReport | undefined;
  void run.done.then((value) => {
    report = value;
  });
  for (; report === undefined && passed < 200_000; passed += 100) {
    const jumpMs = jumps[passed];
    if (jumpMs !== undefined) vi.setSystemTime(Date.now() + jumpMs);
    await vi.advanceTimersByTimeAsync(100);
  }
  if (report === undefined) throw new Error('The run does not end');
  return { facts, passedMs, report };
};

describe('a wall clock that is set while a run goes on', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 10 * YEAR_MS });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const untouched = async (): Promise<Told> => {
    const told = await withWallClock({});
    // Every kind of timer had an effect.
    const types = told.facts.map(({ type }) => type);
    expect(types.filter((type) => type === 'agent.failed')).toHaveLength(2);
    expect(types.filter((type) => type === 'approval.expired')).toHaveLength(1);
    return told;
  };

  /** The same facts after the same time, no timer twice, and no time that runs backwards. */
  const expectUndisturbed = async (jumps: Readonly<Record<number, number>>): Promise<Told> => {
    const before = await untouched();
    const told = await withWallClock(jumps);
    expect(bodiesOf(told.facts)).toEqual(bodiesOf(before.facts));
    expect(told.passedMs).toEqual(before.passedMs);
    for (const [index, { at }] of told.facts.entries()) {
      expect(at).toBeGreaterThanOrEqual(told.facts[index - 1]?.at ?? at);
    }
    expect(told.report.durationMs).toBeGreaterThanOrEqual(0);
    for (const step of told.report.steps) expect(step.durationMs).toBeGreaterThanOrEqual(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(vi.getTimerCount()).toBe(0);
    return told;
  };

  it('back by an hour: every timer fires when it should, once, and no time is negative', async () => {
    const { report, passedMs } = await expectUndisturbed({ 7_000: -HOUR_MS });
    // At most the time since the last reading of the clock is lost.
    expect(report.durationMs).toBeLessThanOrEqual((passedMs.at(-1) ?? 0) + 100);
  });

  it.each([YEAR_MS, HOUR_MS])(
    'forward by %d ms: deadlines that have passed fire within a second or two, each once',
    async (jumpMs) => {
      const { report, facts, passedMs } = await withWallClock({ 7_000: jumpMs });
      // The limits fire in the order in which they were due: the attempt's, the step's, the question's, the run's.
      expect(report.status).toBe('timeExpired');
      expect(facts.filter(({ type }) => type === 'approval.expired')).toHaveLength(1);
      expect(report.durationMs).toBeGreaterThanOrEqual(jumpMs);
      expect(passedMs.at(-1)).toBeLessThan(10_000);
      expect(facts.filter(({ type }) => type === 'run.ended')).toHaveLength(1);
      for (const [index, { at }] of facts.entries()) {
        expect(at).toBeGreaterThanOrEqual(facts[index - 1]?.at ?? at);
      }
      await vi.advanceTimersByTimeAsync(1);
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it('back by an hour and then corrected: nothing fires early, late or twice', async () => {
    await expectUndisturbed({ 3_000: -HOUR_MS });
    await expectUndisturbed({ 3_000: -HOUR_MS, 20_000: HOUR_MS });
  });

  it('in small corrections in both directions: nothing fires early, late or twice', async () => {
    const toAndFro = Array.from({ length: 300 }, (_, index) => [
      index * 100,
      index % 2 === 0 ? -350 : 400,
    ]);
    await expectUndisturbed(Object.fromEntries(toAndFro) as Record<number, number>);
  });

  it('never moves the real clock backwards', () => {
    vi.setSystemTime(1_000_000);
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
});
