import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { definePolicy } from '../../src/policy/policy.js';
import { presets } from '../../src/policy/presets.js';
import {
  executionBudgetMs,
  failureLimit,
  fixBudgetMs,
  planningBudgetMs,
  stepBudgetMs,
  verificationBudgetMs,
} from '../../src/guards/time-budgets.js';

const minuteMs = 60_000;
const limits = fc.oneof(
  fc.integer({ min: 1, max: 1_000 }),
  fc.integer({ min: 1, max: 24 * 60 * minuteMs }),
  fc.maxSafeInteger().map((value) => Math.max(1, Math.abs(value))),
);
const stepCounts = fc.integer({ min: 0, max: 1_000_000 });

describe('time budgets', () => {
  it('give planning and verification a tenth each', () => {
    const policy = definePolicy({ time: { limitMs: 60 * minuteMs } });
    expect(planningBudgetMs(policy)).toBe(6 * minuteMs);
    expect(verificationBudgetMs(policy)).toBe(6 * minuteMs);
    expect(executionBudgetMs(policy)).toBe(48 * minuteMs);
  });

  it('cap planning at 15 and verification at 10 minutes, and leave the rest to execution', () => {
    const policy = definePolicy({ time: { limitMs: 600 * minuteMs } });
    expect(planningBudgetMs(policy)).toBe(15 * minuteMs);
    expect(verificationBudgetMs(policy)).toBe(10 * minuteMs);
    expect(executionBudgetMs(policy)).toBe(575 * minuteMs);
  });

  it('follow the policy where it sets the time of a phase', () => {
    const policy = definePolicy({
      time: { limitMs: 1_000, planningMs: 300, verificationMs: 200 },
    });
    expect(planningBudgetMs(policy)).toBe(300);
    expect(verificationBudgetMs(policy)).toBe(200);
    expect(executionBudgetMs(policy)).toBe(500);
  });

  it('add up to the limit, with at least 80 % for execution, for every limit', () => {
    fc.assert(
      fc.property(limits, (limitMs) => {
        const policy = definePolicy({ time: { limitMs } });
        const phasesMs = planningBudgetMs(policy) + verificationBudgetMs(policy);
        expect(executionBudgetMs(policy) + phasesMs).toBe(limitMs);
        // At least 80 % without fractions: the phases are at most a fifth.
        expect(phasesMs * 5).toBeLessThanOrEqual(limitMs);
      }),
    );
  });

  it('leave at least a millisecond for execution in every accepted policy', () => {
    const phase = fc.option(fc.integer({ min: 1, max: 200 }));
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        phase,
        phase,
        (limitMs, planningMs, verificationMs) => {
          const time = { limitMs, planningMs, verificationMs };
          const derivedMs = Math.floor(limitMs / 10);
          fc.pre(limitMs > (planningMs ?? derivedMs) + (verificationMs ?? derivedMs));
          expect(executionBudgetMs(definePolicy({ time }))).toBeGreaterThanOrEqual(1);
        },
      ),
    );
  });
});

describe('the budget of a step', () => {
  it('is its share of the execution time when time is shared, and 30 % of that for a fix', () => {
    const policy = presets.supervised({ time: { limitMs: 60 * minuteMs } });
    expect(stepBudgetMs(policy, 4)).toBe(12 * minuteMs);
    expect(fixBudgetMs(policy, 12 * minuteMs)).toBe(3.6 * minuteMs);
  });

  it('is all of the execution time when it is not shared', () => {
    const policy = definePolicy({ time: { limitMs: 60 * minuteMs } });
    expect(stepBudgetMs(policy, 4)).toBe(48 * minuteMs);
    expect(fixBudgetMs(policy, 48 * minuteMs)).toBe(48 * minuteMs);
  });

  it('of a plan without steps is that of one step', () => {
    const policy = presets.supervised();
    expect(stepBudgetMs(policy, 0)).toBe(stepBudgetMs(policy, 1));
  });

  it('is a positive integer, and the shares never exceed the execution time by more than 1 ms each', () => {
    fc.assert(
      fc.property(limits, stepCounts, (limitMs, stepCount) => {
        const policy = presets.supervised({ time: { limitMs } });
        const executionMs = executionBudgetMs(policy);
        const stepMs = stepBudgetMs(policy, stepCount);
        const fixMs = fixBudgetMs(policy, stepMs);
        expect([stepMs, fixMs].every((budgetMs) => Number.isInteger(budgetMs))).toBe(true);
        expect(fixMs).toBeGreaterThanOrEqual(1);
        expect(fixMs === 1 || BigInt(fixMs) * 10n <= BigInt(stepMs) * 3n).toBe(true);
        expect(stepMs * stepCount).toBeLessThanOrEqual(Math.max(executionMs, stepCount));
      }),
    );
  });
});

describe('failureLimit', () => {
  it.each([
    [0, 2],
    [1, 2],
    [6, 2],
    [7, 3],
    [15, 5],
    [16, 6],
  ])('follows from the number of steps: of %i steps %i may fail', (stepCount, expected) => {
    expect(failureLimit(definePolicy(), stepCount)).toBe(expected);
  });

  it('is the one of the policy, zero included', () => {
    expect(failureLimit(definePolicy({ limits: { maxFailures: 0 } }), 15)).toBe(0);
    expect(failureLimit(definePolicy({ limits: { maxFailures: 9 } }), 3)).toBe(9);
  });
});
