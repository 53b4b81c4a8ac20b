import { describe, expect, it } from 'vitest';

import type { FailureCode } from '../../src/model/calls.js';
import { hasReachedFailureLimit } from '../../src/guards/breaker.js';
import { canFallBack, canRetry, isCutShort, retryBackoffMs } from '../../src/guards/retry.js';
import { callContextWith } from './contexts.js';

const CODES: readonly FailureCode[] = [
  'threw',
  'timeout',
  'invalid-output',
  'output-too-large',
  'not-serializable',
  'unknown-agent',
  'breaker-open',
  'budget-exhausted',
];

const failedWith = (code: FailureCode) => ({ kind: 'failed', code, reason: 'No' }) as const;

const backoffs = (key: string, backoffMs: number, maxBackoffMs: number): number[] =>
  Array.from({ length: 10 }, (_, index) => {
    const context = callContextWith({
      tries: index + 1,
      retry: { attempts: 10, backoffMs, maxBackoffMs },
    });
    return retryBackoffMs({ ...context, request: { ...context.request, key } });
  });

describe('the wait before a try', () => {
  it('never gets shorter from try to try and never longer than the cap, for any key', () => {
    for (let run = 0; run < 200; run += 1) {
      const waits = backoffs(`run-${run}/step/1/worker`, 100, 5_000);
      for (const [index, wait] of waits.entries()) {
        const full = Math.min(5_000, 100 * 2 ** index);
        expect(wait).toBeGreaterThanOrEqual(Math.floor(full / 2));
        expect(wait).toBeLessThanOrEqual(full);
        expect(wait).toBeGreaterThanOrEqual(waits[index - 1] ?? 0);
      }
    }
  });

  it('is an integer of milliseconds, the same for the same key', () => {
    expect(backoffs('run/a/1/worker', 999, 30_000)).toEqual(
      backoffs('run/a/1/worker', 999, 30_000),
    );
    for (const wait of backoffs('run/a/1/worker', 999, 30_000)) {
      expect(Number.isInteger(wait)).toBe(true);
    }
  });

  it('differs from key to key, so that retries of simultaneous failures are spread', () => {
    const first = Array.from(
      { length: 1_000 },
      (_, step) => backoffs(`run/s${step}/1/worker`, 10_000, 30_000)[0],
    );
    expect(new Set(first).size).toBeGreaterThan(900);
  });

  it('is zero when the policy has none, and holds at the largest numbers', () => {
    expect(backoffs('key', 0, 30_000)).toEqual(Array.from({ length: 10 }, () => 0));
    expect(backoffs('key', 5_000, 0)).toEqual(Array.from({ length: 10 }, () => 0));
    const huge = backoffs('key', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
    expect(Math.max(...huge)).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
  });
});

describe('another try', () => {
  it('is made while tries are left and the failure can be retried', () => {
    for (const code of CODES) {
      const helps = code !== 'unknown-agent' && code !== 'budget-exhausted';
      for (const [tries, isLeft] of [
        [1, true],
        [2, true],
        [3, false],
        [4, false],
      ] as const) {
        const context = callContextWith({ tries, outcome: failedWith(code) });
        expect(canRetry(context), `${code}, try ${tries}`).toBe(helps && isLeft);
      }
    }
  });

  it('is not made when nothing failed, and never after the fallback', () => {
    expect(canRetry(callContextWith())).toBe(false);
    const context = callContextWith({ outcome: failedWith('threw'), isFallback: true });
    expect(canRetry(context)).toBe(false);
  });
});

describe('the fallback', () => {
  it('is called when there is one, a call failed, and there is budget; once', () => {
    for (const code of CODES) {
      const context = callContextWith({ hasFallback: true, outcome: failedWith(code) });
      expect(canFallBack(context), code).toBe(code !== 'budget-exhausted');
      expect(canFallBack({ ...context, hasFallback: false })).toBe(false);
      expect(canFallBack({ ...context, isFallback: true })).toBe(false);
    }
    expect(canFallBack(callContextWith({ hasFallback: true }))).toBe(false);
  });
});

describe('the end of the run', () => {
  it('cancels a call that would be retried or use its fallback, and no other', () => {
    const failed = callContextWith({ outcome: failedWith('threw'), isWindingDown: true });
    const isLastTry = { tries: failed.retry.attempts };
    expect(isCutShort(failed)).toBe(true);
    expect(isCutShort({ ...failed, isWindingDown: false })).toBe(false);
    expect(isCutShort({ ...failed, ...isLastTry })).toBe(false);
    expect(isCutShort({ ...failed, ...isLastTry, hasFallback: true })).toBe(true);
    expect(isCutShort({ ...failed, outcome: failedWith('budget-exhausted') })).toBe(false);
  });
});

describe('the breaker', () => {
  it('opens at its number of failures and not before', () => {
    const breaker = { agent: 'worker', failureLimit: 3, cooldownMs: 1 };
    const reached = [0, 1, 2, 3, 4].map((failures) =>
      hasReachedFailureLimit({ ...breaker, failures }),
    );
    expect(reached).toEqual([false, false, false, true, true]);
  });
});
