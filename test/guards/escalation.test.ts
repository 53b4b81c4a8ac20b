import { describe, expect, it } from 'vitest';

import type { Level } from '../../src/guards/escalation.js';
import { LEVELS, levelFor, nextLadder } from '../../src/guards/escalation.js';
import { defaultPolicy } from '../../src/policy/defaults.js';
import { definePolicy } from '../../src/policy/policy.js';

const { escalation } = defaultPolicy;
const SCORES = Array.from({ length: 101 }, (_, score) => score);
const ISSUES = Array.from({ length: 9 }, (_, issues) => issues);

/** Seed 004's table, row by row from the most severe; the first that matches counts. */
const byTheTable = (score: number, issues: number): Level => {
  if (issues >= 5) return 'abort';
  if (issues >= 4) return 'critical';
  if (score < 30 || issues >= 3) return 'refocus';
  if (score < 50 || issues >= 2) return 'correct';
  if (score < 70) return 'remind';
  return 'none';
};

const severity = (level: Level): number => LEVELS.indexOf(level);

describe('the level of a verdict', () => {
  it('is exactly one for every score and every number of issues, the one of the seed’s table', () => {
    for (const score of SCORES) {
      for (const issues of ISSUES) {
        const level = levelFor(score, issues, escalation);
        expect(LEVELS).toContain(level);
        expect(level, `score ${score}, ${issues} issues`).toBe(byTheTable(score, issues));
        expect(levelFor(score, issues, escalation)).toBe(level);
      }
    }
  });

  it('never gets milder with a lower score or with more issues', () => {
    for (const score of SCORES.slice(1)) {
      for (const issues of ISSUES) {
        const here = severity(levelFor(score, issues, escalation));
        expect(severity(levelFor(score - 1, issues, escalation))).toBeGreaterThanOrEqual(here);
        expect(severity(levelFor(score, issues + 1, escalation))).toBeGreaterThanOrEqual(here);
      }
    }
  });

  it('reaches every level by issues or by score', () => {
    const reached = new Set(
      SCORES.flatMap((score) => ISSUES.map((issues) => levelFor(score, issues, escalation))),
    );
    expect([...reached].sort()).toEqual([...LEVELS].sort());
  });

  it('follows the policy at hand', () => {
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

  it('reaches the end after five, whatever the scores were', () => {
    for (const score of SCORES) {
      let ladder = { level: 'none' as Level, consecutiveIssues: 0 };
      const levels = Array.from({ length: 5 }, () => {
        ladder = nextLadder(ladder, { score, hasIssues: true }, escalation);
        return ladder.level;
      });
      expect(levels.indexOf('abort')).toBe(4);
    }
  });
});
