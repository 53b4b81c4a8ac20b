import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Level } from '../../src/model/statuses.js';
import { levelFor, nextLadder } from '../../src/guards/escalation.js';
import { LEVELS } from '../../src/model/statuses.js';
import { defaultPolicy } from '../../src/policy/defaults.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { EscalationPolicy } from '../../src/model/policy.js';

/* The numbers of seed 004 are in test/seeds; these tests hold for any numbers. */

const { escalation } = defaultPolicy;
const SCORES = Array.from({ length: 101 }, (_, score) => score);
const ISSUES = Array.from({ length: 11 }, (_, issues) => issues);

const severity = (level: Level): number => LEVELS.indexOf(level);

/** Any ladder that a policy may have, the tightest and the widest included. */
const ladders: fc.Arbitrary<EscalationPolicy> = fc
  .record({
    scores: fc.uniqueArray(fc.integer({ min: 0, max: 100 }), { minLength: 3, maxLength: 3 }),
    issues: fc.uniqueArray(fc.integer({ min: 1, max: 20 }), { minLength: 4, maxLength: 4 }),
  })
  .map(({ scores, issues }) => {
    const [refocus = 0, correct = 0, remind = 0] = scores.toSorted((a, b) => a - b);
    const [first = 0, second = 0, critical = 0, abort = 0] = issues.toSorted((a, b) => a - b);
    const overrides = {
      scores: { remind, correct, refocus },
      issues: { correct: first, refocus: second, critical, abort },
    };
    return definePolicy({ escalation: overrides }).escalation;
  });
const scores = fc.oneof(
  fc.integer({ min: 0, max: 100 }),
  fc.double({ min: 0, max: 100, noNaN: true }),
);
const counts = fc.oneof(fc.nat(25), fc.nat(Number.MAX_SAFE_INTEGER));

/** By score alone, then by issues alone: the more severe of the two. */
const moreSevere = (score: number, issues: number, ladder: EscalationPolicy): Level => {
  const byScore =
    (['refocus', 'correct', 'remind'] as const).find((level) => score < ladder.scores[level]) ??
    'none';
  const byIssues =
    (['abort', 'critical', 'refocus', 'correct'] as const).find(
      (level) => issues >= ladder.issues[level],
    ) ?? 'none';
  return severity(byScore) > severity(byIssues) ? byScore : byIssues;
};

describe('the level of a verdict', () => {
  it('is the more severe of the levels of score and issues, on any ladder', () => {
    fc.assert(
      fc.property(ladders, scores, counts, (ladder, score, issues) => {
        expect(levelFor(score, issues, ladder)).toBe(moreSevere(score, issues, ladder));
      }),
      { numRuns: 1_000 },
    );
  });

  it('changes exactly at the numbers of the policy, on any ladder', () => {
    fc.assert(
      fc.property(ladders, (ladder) => {
        for (const level of ['remind', 'correct', 'refocus'] as const) {
          const threshold = ladder.scores[level];
          const at = severity(levelFor(threshold, 0, ladder));
          expect(at).toBeLessThan(severity(level));
          expect(levelFor(threshold - 0.001, 0, ladder)).toBe(level);
        }
        for (const level of ['correct', 'refocus', 'critical', 'abort'] as const) {
          const threshold = ladder.issues[level];
          expect(levelFor(100, threshold, ladder)).toBe(level);
          const before = severity(levelFor(100, threshold - 1, ladder));
          expect(before).toBeLessThan(severity(level));
        }
      }),
    );
  });

  it('never gets milder with a lower score or with more issues', () => {
    fc.assert(
      fc.property(ladders, scores, scores, counts, counts, (ladder, score, other, issues, more) => {
        const here = severity(levelFor(score, issues, ladder));
        const worse = levelFor(Math.min(score, other), Math.max(issues, more), ladder);
        expect(severity(worse)).toBeGreaterThanOrEqual(here);
      }),
    );
  });

  it('reaches every level by issues or by score', () => {
    const reached = new Set(
      SCORES.flatMap((score) => ISSUES.map((issues) => levelFor(score, issues, escalation))),
    );
    expect([...reached].sort()).toEqual([...LEVELS].sort());
  });

  it('follows the given policy', () => {
    const strict = definePolicy({
      escalation: {
        scores: { remind: 95, correct: 90, refocus: 85 },
        issues: { correct: 1, refocus: 2, critical: 3, abort: 4 },
      },
    }).escalation;
    expect(levelFor(94, 0, strict)).toBe('remind');
    expect(levelFor(89, 0, strict)).toBe('correct');
    expect(levelFor(84, 0, strict)).toBe('refocus');
    expect(levelFor(100, 4, strict)).toBe('abort');
  });
});

describe('the ladder', () => {
  it('counts verdicts with issues in a row, and starts again after one without', () => {
    let ladder = { level: 'none' as Level, consecutiveIssues: 0 };
    const climb = (score: number, hasIssues: boolean): Level => {
      ladder = nextLadder(ladder, { score, hasIssues }, escalation);
      return ladder.level;
    };
    const levels = [
      climb(100, true),
      climb(100, true),
      climb(100, true),
      climb(100, false),
      climb(100, true),
      climb(100, true),
    ];
    expect(levels).toEqual(['none', 'correct', 'refocus', 'none', 'none', 'correct']);
    expect(ladder.consecutiveIssues).toBe(2);
  });

  it('reaches abort after five, whatever the scores were', () => {
    for (const score of SCORES) {
      let ladder = { level: 'none' as Level, consecutiveIssues: 0 };
      const levels = Array.from({ length: 5 }, () => {
        ladder = nextLadder(ladder, { score, hasIssues: true }, escalation);
        return ladder.level;
      });
      expect(levels.indexOf('abort')).toBe(4);
    }
  });

  it('depends only on the last verdict and the issues in a row before it', () => {
    const verdicts = fc.array(fc.record({ score: scores, hasIssues: fc.boolean() }), {
      minLength: 1,
      maxLength: 30,
    });
    fc.assert(
      fc.property(ladders, verdicts, (policy, given) => {
        const start = { level: 'none' as Level, consecutiveIssues: 0 };
        const end = given.reduce((ladder, verdict) => nextLadder(ladder, verdict, policy), start);
        const inARow = given.length - 1 - given.findLastIndex(({ hasIssues }) => !hasIssues);
        const score = given.at(-1)?.score ?? 0;
        expect(end).toEqual({
          level: levelFor(score, inARow, policy),
          consecutiveIssues: inARow,
        });
      }),
    );
  });
});
