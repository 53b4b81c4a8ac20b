import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Level } from '../../src/model/statuses.js';
import { levelFor } from '../../src/guards/escalation.js';
import { LEVELS } from '../../src/model/statuses.js';
import { defaultPolicy } from '../../src/policy/defaults.js';
import { presets } from '../../src/policy/presets.js';
import { expectNoLeaks } from '../faults/no-leaks.js';
import { expectEachRefused, planning, untilGood } from '../faults/plans-planning.js';
import { scenario } from '../scenarios/harness.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { plannerCallsIn } from './defects-presets.js';
import { judging, teamOf } from './004-team.js';

expectNoLeaks();

describe('seed 004, as it was written', () => {
  scenario(
    'a plan that the supervisor always refuses is replanned up to the bound, and no step runs',
    () => ({ options: teamOf({ supervisor: judging({ plan: [69] }) }) }),
    (result) => {
      const { maxReplans } = presets.supervised().limits;
      expect(plannerCallsIn(result)).toBe(1 + maxReplans);
      expect(result.factsOf('plan.rejected').map(({ by }) => by)).toEqual(
        Array.from({ length: 1 + maxReplans }, () => 'supervisor'),
      );
      expect(result.factsOf('step.started')).toEqual([]);
      expect(result.report).toMatchObject({
        status: 'failed',
        reason: 'no-acceptable-plan: replan-limit',
      });
    },
  );

  const heard = { aborts: [] as string[] };
  scenario(
    'an abort reaches every running agent, and every step acknowledges it in the report',
    () => {
      heard.aborts = [];
      return {
        options: {
          agents: [
            agentNamed('coder', ({ step, signal }) => {
              signal.addEventListener('abort', () => heard.aborts.push(step.id));
              return new Promise(() => undefined);
            }),
          ],
        },
        start: { plan: { steps: steps('coder:a', 'coder:b', 'coder:c', 'coder:d<a') } },
        at: { 50: (control) => control.abort('Stop') },
      };
    },
    ({ report, factsOf }) => {
      expect(heard.aborts).toEqual(['a', 'b', 'c']);
      expect(factsOf('step.cancelled').map(({ stepId }) => stepId)).toEqual(['a', 'b', 'c', 'd']);
      expect(report).toMatchObject({ status: 'aborted', reason: 'Stop', durationMs: 50 });
    },
  );

  const TIMEOUT_MS = 60_000;
  const cut = { at: [] as number[] };
  scenario(
    'an agent that hangs between two time checks is aborted by its timeout',
    (clock) => {
      cut.at = [];
      return {
        options: teamOf({
          agents: [
            agentNamed('coder', ({ signal }) => {
              signal.addEventListener('abort', () => cut.at.push(clock.now()));
              return new Promise(() => undefined);
            }),
          ],
          planner: () => ({ steps: steps('coder:s1') }),
          policy: presets.supervised({
            retry: { attempts: 1 },
            time: { stepTimeoutMs: TIMEOUT_MS },
          }),
        }),
      };
    },
    ({ report, factsOf }) => {
      expect(cut.at).toEqual([TIMEOUT_MS]);
      expect(factsOf('agent.failed')).toMatchObject([{ stepId: 's1', code: 'timeout' }]);
      expect(report.steps).toMatchObject([{ status: 'failed', durationMs: TIMEOUT_MS }]);
    },
  );

  /** The rows of the seed's table, each on its own: several may match. */
  const rows: Readonly<Record<Level, (score: number, issues: number) => boolean>> = {
    none: (score) => score >= 70,
    remind: (score) => score >= 50 && score < 70,
    correct: (score, issues) => (score >= 30 && score < 50) || issues >= 2,
    refocus: (score, issues) => score < 30 || issues >= 3,
    critical: (_, issues) => issues >= 4,
    abort: (_, issues) => issues >= 5,
  };

  it('the escalation table is a function: of all matching rows the most severe one counts', () => {
    const severest = (score: number, issues: number): Level | undefined =>
      LEVELS.filter((level) => rows[level](score, issues)).at(-1);
    expect(severest(80, 5)).toBe('abort');
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.integer({ min: 0, max: 12 }),
        (score, issues) => {
          expect(levelFor(score, issues, defaultPolicy.escalation)).toBe(severest(score, issues));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  scenario(
    'a score of 80 with the fifth issue in a row ends the run: NONE does not override ABORT',
    () => ({
      options: teamOf({
        planner: () => ({ steps: steps('coder:s1', 'coder:s2', 'coder:s3') }),
        supervisor: () => ({ score: 80, issues: ['Not quite'] }),
      }),
    }),
    ({ report, factsOf }) => {
      expect(factsOf('verdict.given').map(({ score, passed }) => [score, passed])).toEqual(
        Array.from({ length: 5 }, () => [80, true]),
      );
      expect(factsOf('escalation.changed').map(({ to }) => to)).toEqual([
        'correct',
        'refocus',
        'critical',
        'abort',
      ]);
      expect(report).toMatchObject({ status: 'aborted', reason: 'escalation' });
    },
  );
});

describe('all seeds, as they were written', () => {
  const tooMany = Array.from({ length: 16 }, (_, index) => `s${index}`);

  scenario(
    'every mistake in a plan is found by one stage, named, and told to the planner within the bound',
    () =>
      untilGood([
        ['a<b', 'b<a'],
        ['nobody:a'],
        tooMany,
        ['a', 'a'],
        ['a<z'],
        ['nobody:a<z', 'a', '1st<b'],
        { steps: 'first this, then that' },
      ]),
    (result) => {
      expectEachRefused(result, [
        ['cyclic-dependency at steps'],
        ['unknown-agent at steps[0].agent'],
        ['plan-too-large at steps'],
        ['duplicate-step-id at steps[1].id'],
        ['unknown-dependency at steps[0].dependsOn[0]'],
        [
          'unknown-agent at steps[0].agent',
          'invalid-step-id at steps[2].id',
          'duplicate-step-id at steps[1].id',
          'unknown-dependency at steps[0].dependsOn[0]',
          'unknown-dependency at steps[2].dependsOn[0]',
        ],
        ['invalid-shape at steps'],
      ]);
    },
  );

  scenario(
    'a plan without steps is valid: there was nothing to do',
    () => planning([[]]),
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected')).toEqual([]);
      expect(report).toMatchObject({ status: 'completed', reason: 'empty-plan', replans: 0 });
    },
  );

  scenario(
    'a planner whose plans are all invalid ends the run at the bound, before any agent is called',
    () => planning([['a<a']], { limits: { maxReplans: 5 } }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected')).toHaveLength(6);
      expect(factsOf('agent.called').every(({ role }) => role === 'planner')).toBe(true);
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'no-acceptable-plan: replan-limit',
        replans: 5,
      });
    },
  );
});
