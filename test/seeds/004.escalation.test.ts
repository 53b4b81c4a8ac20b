import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Verdict } from '../../src/agents/verdict.js';
import type { Level } from '../../src/model/statuses.js';
import { levelFor } from '../../src/guards/escalation.js';
import { LEVELS } from '../../src/model/statuses.js';
import { presets } from '../../src/policy/presets.js';
import type { ScenarioSetup } from '../scenarios/harness.js';
import { scenario } from '../scenarios/harness.js';
import { inTurn } from '../scenarios/scripted.js';
import type { TestAgent } from '../scenarios/team.js';
import { agentNamed, slowAgent, steps } from '../scenarios/team.js';
import { callsIn, teamOf } from './004-team.js';

/* Seed 004: the escalation levels of its table. */

const { escalation } = presets.supervised();

/** The rows of the table as written. They overlap: 80 with five issues is NONE and ABORT. */
const ROWS: readonly (readonly [Level, (score: number, issues: number) => boolean])[] = [
  ['none', (score) => score >= 70],
  ['remind', (score) => score >= 50 && score <= 69],
  ['correct', (score, issues) => (score >= 30 && score <= 49) || issues >= 2],
  ['refocus', (score, issues) => score < 30 || issues >= 3],
  ['critical', (_, issues) => issues >= 4],
  ['abort', (_, issues) => issues >= 5],
];

const rowsFor = (score: number, issues: number): Level[] =>
  ROWS.filter(([, matches]) => matches(score, issues)).map(([level]) => level);

const GRID = Array.from({ length: 101 }, (_, score) =>
  Array.from({ length: 11 }, (_, issues) => [score, issues] as const),
).flat();

const severity = (level: Level): number => LEVELS.indexOf(level);

describe('the levels of seed 004', () => {
  it('are one per score from 0 to 100 and 0 to 10 issues in a row: the most severe row that matches', () => {
    expect(GRID).toHaveLength(101 * 11);
    for (const [score, issues] of GRID) {
      const rows = rowsFor(score, issues);
      expect(rows.length, `${score} and ${issues} are in the table`).toBeGreaterThan(0);
      expect(levelFor(score, issues, escalation), `score ${score}, ${issues} issues`).toBe(
        rows.at(-1),
      );
    }
    expect(rowsFor(80, 5)).toEqual(['none', 'correct', 'refocus', 'critical', 'abort']);
    expect(levelFor(80, 5, escalation)).toBe('abort');
  });

  it('are the same whenever they are computed', () => {
    const forwards = GRID.map(([score, issues]) => levelFor(score, issues, escalation));
    const backwards = GRID.toReversed().map(([score, issues]) =>
      levelFor(score, issues, escalation),
    );
    expect(backwards.toReversed()).toEqual(forwards);
  });

  it('exist for fractional scores and any count, and are never milder for a worse verdict', () => {
    const scores = fc.double({ min: 0, max: 100, noNaN: true });
    const counts = fc.nat(Number.MAX_SAFE_INTEGER);
    fc.assert(
      fc.property(scores, scores, counts, counts, (score, other, issues, more) => {
        const level = levelFor(score, issues, escalation);
        expect(LEVELS).toContain(level);
        const worst = levelFor(Math.min(score, other), Math.max(issues, more), escalation);
        expect(severity(worst)).toBeGreaterThanOrEqual(severity(level));
      }),
    );
  });

  it.each([
    ['NONE', 70, 1, 'none'],
    ['REMIND', 69, 1, 'remind'],
    ['REMIND', 50, 1, 'remind'],
    ['CORRECT', 49, 1, 'correct'],
    ['CORRECT', 30, 1, 'correct'],
    ['CORRECT', 100, 2, 'correct'],
    ['REFOCUS', 29, 0, 'refocus'],
    ['REFOCUS', 100, 3, 'refocus'],
    ['CRITICAL', 100, 4, 'critical'],
    ['CRITICAL', 0, 4, 'critical'],
    ['ABORT', 100, 5, 'abort'],
  ] as const)('%s: a score of %i with %i issues in a row', (_, score, issues, level) => {
    expect(levelFor(score, issues, escalation)).toBe(level);
  });
});

/** One verdict on the code of each step, and no other. */
const reviewing = (...verdicts: readonly Verdict[]): ScenarioSetup => ({
  options: teamOf({
    agents: [agentNamed('coder', (call) => call.feedback.map(({ text }) => text))],
    planner: () => ({ steps: steps(...verdicts.map((_, index) => `coder:s${index + 1}`)) }),
    supervisor: inTurn(...verdicts) as never,
    policy: presets.supervised({ gates: { plan: null, code: 0, step: null, goal: null } }),
  }),
});

const withIssue = (score: number): Verdict => ({
  score,
  issues: ['A test is missing'],
  feedback: `Mind the tests (${score})`,
});

describe('the ladder of seed 004', () => {
  scenario(
    'follows the scores of its table: 70, 69, 50, 49, 30, 29, and 70 again',
    () => reviewing(...[70, 69, 50, 49, 30, 29, 70].map((score) => ({ score }))),
    ({ report, factsOf }) => {
      expect(factsOf('escalation.changed').map(({ to, score }) => [to, score])).toEqual([
        ['remind', 69],
        ['correct', 49],
        ['refocus', 29],
        ['none', 70],
      ]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'tells the next agent at every level: guidance, redirection, intervention, and the final warning',
    () =>
      reviewing(
        withIssue(69),
        withIssue(68),
        withIssue(67),
        withIssue(66),
        { score: 90 },
        {
          score: 90,
        },
      ),
    ({ report, factsOf }) => {
      expect(
        factsOf('escalation.changed').map(({ to, consecutiveIssues, message }) => [
          to,
          consecutiveIssues,
          message,
        ]),
      ).toEqual([
        ['remind', 1, 'CORRECTION'],
        ['correct', 2, 'CORRECTION'],
        ['refocus', 3, 'CORRECTION'],
        ['critical', 4, 'ESCALATION'],
        ['none', 0, null],
      ]);
      expect(report.steps.map(({ output }) => output)).toEqual([
        [],
        ['[remind] Mind the tests (69)\n- A test is missing'],
        ['[correct] Mind the tests (68)\n- A test is missing'],
        ['[refocus] Mind the tests (67)\n- A test is missing'],
        ['[critical] Mind the tests (66)\n- A test is missing'],
        [],
      ]);
      expect(report.status).toBe('completed');
    },
  );

  const team: { slow?: TestAgent } = {};
  scenario(
    'ends the run at the fifth issue in a row, although every gate was passed and 80 is NONE by score',
    (clock) => {
      team.slow = slowAgent('slow', clock, 60_000);
      return {
        options: teamOf({
          agents: [agentNamed('coder', () => 'x'), team.slow],
          planner: () => ({
            steps: steps('slow:s1', 'coder:s2', 'coder:s3<s2', 'coder:s4<s3'),
          }),
          supervisor: ({ subject }) => ({
            score: 80,
            issues: subject === 'plan' ? [] : ['Names are too short'],
          }),
          policy: presets.supervised({ limits: { maxParallel: 2 } }),
        }),
      };
    },
    ({ report, factsOf, facts }) => {
      expect(factsOf('verdict.given').map(({ subject, passed }) => [subject, passed])).toEqual([
        ['plan', true],
        ['code', true],
        ['step', true],
        ['code', true],
        ['step', true],
        ['code', true],
      ]);
      expect(factsOf('escalation.changed').map(({ to, message }) => [to, message])).toEqual([
        ['correct', 'CORRECTION'],
        ['refocus', 'CORRECTION'],
        ['critical', 'ESCALATION'],
        ['abort', 'ABORT'],
      ]);
      expect(report).toMatchObject({ status: 'aborted', reason: 'escalation', durationMs: 0 });
      expect(report.successfulSteps).toEqual(['s2', 's3']);
      expect(report.cancelledSteps).toEqual(['s1', 's4']);
      expect(team.slow?.calls.map(({ signal }) => signal.aborted)).toEqual([true]);
      expect(callsIn(factsOf).at(-1)).toBe('s4/1/supervisor.code');
      expect(facts.at(-1)?.type).toBe('run.ended');
    },
  );
});
