import { describe, expect } from 'vitest';

import { done, needsContext, requestReplan } from '../../src/agents/report.js';
import type { FactBody } from '../../src/journal/facts.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/policy/types.js';
import type { Behaviours } from './by-step.js';
import { after, workerBy } from './by-step.js';
import type { ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import type { PlannerAnswer } from './planners.js';
import { plannerInTurn, toldBy } from './planners.js';
import { steps } from './team.js';

const replanning = (
  behaviours: Behaviours,
  answers: readonly PlannerAnswer[],
  overrides: PolicyOverrides = {},
): ScenarioSetup => ({
  options: {
    agents: [workerBy(behaviours), workerBy({}, 'researcher')],
    planner: plannerInTurn(...answers),
    policy: definePolicy({ ...overrides, retry: { attempts: 1, ...overrides.retry } }),
  },
});

const workerKeys = (called: readonly FactBody<'agent.called'>[]): string[] =>
  called.filter(({ role }) => role === 'worker').map(({ key }) => key);

describe('a request for another plan', () => {
  scenario(
    'tells the planner what is done, what waits and what is missing, and keeps the partial result',
    () =>
      replanning({ b: needsContext('The schema is missing', { rows: 2 }) }, [
        ['a', 'b<a', 'c<b'],
        ['researcher:schema', 'c<schema,b'],
      ]),
    ({ report, factsOf }) => {
      expect(factsOf('replan.requested')).toEqual([
        {
          type: 'replan.requested',
          parentStepId: null,
          kind: 'needsContext',
          stepId: 'b',
          agent: 'worker',
          reason: 'The schema is missing',
          agents: [],
          confidence: null,
        },
      ]);
      expect(toldBy(factsOf)[1]).toEqual({
        revision: 1,
        completed: ['a = "did a"', 'b = {"rows":2}'],
        failed: [],
        pending: ['c'],
        requests: ['needsContext of b: The schema is missing'],
        issues: [],
      });
      expect(report).toMatchObject({ status: 'completed', replans: 1 });
      expect(report.successfulSteps).toEqual(['a', 'b', 'schema_rp1', 'c_rp1']);
      expect(report.skippedSteps).toEqual(['c']);
      expect(report.steps[1]?.output).toEqual({ rows: 2 });
      expect(factsOf('plan.adopted')[1]?.steps[1]?.dependsOn).toEqual(['schema_rp1', 'b']);
    },
  );

  scenario(
    'may name agents: a hint for the planner, and no more than that',
    () =>
      replanning(
        { a: requestReplan({ reason: 'Out of date', agents: ['researcher', 'wizard'] }) },
        [['a', 'b'], ['b']],
      ),
    ({ report, factsOf }) => {
      expect(toldBy(factsOf)[1]?.requests).toEqual([
        'requestReplan of a: Out of date (researcher) (wizard)',
      ]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'without a planner is refused, and the run goes on',
    () => {
      const options = { agents: [workerBy({ a: needsContext('More') })] };
      return { options, start: { plan: { steps: steps('a', 'b<a') } } };
    },
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'completed', replans: 0 });
      expect(factsOf('replan.refused')).toMatchObject([{ reason: 'replan-limit' }]);
      expect(report.successfulSteps).toEqual(['a', 'b']);
    },
  );

  scenario(
    'spends the budget when the planner is called, whatever comes of it: one budget for all reasons',
    () =>
      replanning(
        {
          a: needsContext('More'),
          b_rp1: new Error('Broken'),
          c_rp2: requestReplan({ reason: 'Old' }),
        },
        [['a'], ['b'], ['nobody:x'], ['c'], new Error('No model today')],
        { limits: { maxReplans: 4 } },
      ),
    ({ report, factsOf }) => {
      expect(factsOf('replan.started').map(({ replans, reasons }) => [replans, reasons])).toEqual([
        [1, ['More']],
        [2, ['Error: Broken']],
        [3, ['Error: Broken', 'The plan is not valid']],
        [4, ['Old']],
      ]);
      expect(report).toMatchObject({ status: 'completed', replans: 4 });
      expect(report.successfulSteps).toEqual(['a', 'c_rp2']);
      expect(report.failedSteps).toEqual(['b_rp1']);
    },
  );
});

describe('requests made at once', () => {
  const asking = (clock: Parameters<typeof after>[0]): Behaviours => ({
    a: after(clock, 10, needsContext('First', 'a', { confidence: 0.2 })),
    b: after(clock, 20, requestReplan({ reason: 'Second' }, 'b', { confidence: 0.9 })),
    c: after(clock, 30, needsContext('Third', 'c', { confidence: 0.9 })),
  });
  const heard = {
    batch: ['needsContext of a: First', 'requestReplan of b: Second', 'needsContext of c: Third'],
    first: ['needsContext of a: First'],
    highestConfidence: ['requestReplan of b: Second'],
  } as const;

  for (const coalesce of ['batch', 'first', 'highestConfidence'] as const) {
    scenario(
      `are one call of the planner and one replan: coalesce ${coalesce}`,
      (clock) =>
        replanning(asking(clock), [['a', 'b', 'c', 'd<a'], ['d']], { replan: { coalesce } }),
      ({ report, factsOf }) => {
        expect(factsOf('replan.requested')).toHaveLength(3);
        expect(factsOf('replan.started')).toHaveLength(1);
        expect(toldBy(factsOf)[1]?.requests).toEqual(heard[coalesce]);
        expect(report).toMatchObject({ status: 'completed', replans: 1, durationMs: 30 });
        expect(report.successfulSteps).toEqual(['a', 'b', 'c', 'd_rp1']);
      },
    );
  }
});

describe('a new plan', () => {
  const merging = (
    merge: 'replacePending' | 'append' | 'appendNext' | 'replaceAll',
  ): ScenarioSetup =>
    replanning(
      { a: needsContext('More', { half: ['of', 'it'] }) },
      [
        ['a', 'b', 'c<b'],
        ['x', 'y<x,a'],
      ],
      {
        limits: { maxParallel: 1 },
        replan: { merge },
      },
    );

  for (const merge of ['replacePending', 'replaceAll'] as const) {
    scenario(
      `takes the place of what waits, which is settled as replaced: merge ${merge}`,
      () => merging(merge),
      ({ report, factsOf }) => {
        expect(factsOf('plan.adopted')[1]).toMatchObject({ revision: 1, replaced: ['b', 'c'] });
        expect(factsOf('step.skipped')).toEqual([
          { type: 'step.skipped', stepId: 'b', reason: 'replaced' },
          { type: 'step.skipped', stepId: 'c', reason: 'replaced' },
        ]);
        expect(workerKeys(factsOf('agent.called'))).toEqual([
          'run/a/1/worker',
          'run/x_rp1/1/worker',
          'run/y_rp1/1/worker',
        ]);
        expect(report.finalPlan?.steps.map(({ id }) => id)).toEqual(['a', 'x_rp1', 'y_rp1']);
        expect(report.originalPlan?.steps.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
        expect(report.steps[0]?.output).toEqual({ half: ['of', 'it'] });
        expect(report).toMatchObject({ status: 'completed', allSucceeded: true });
      },
    );
  }

  scenario(
    'comes behind what waits: merge append',
    () => merging('append'),
    ({ report, factsOf }) => {
      expect(factsOf('plan.adopted')[1]?.replaced).toEqual([]);
      expect(workerKeys(factsOf('agent.called'))).toEqual([
        'run/a/1/worker',
        'run/b/1/worker',
        'run/c/1/worker',
        'run/x_rp1/1/worker',
        'run/y_rp1/1/worker',
      ]);
      expect(report).toMatchObject({ status: 'completed', skippedSteps: [] });
    },
  );

  scenario(
    'comes before what waits: merge appendNext',
    () => merging('appendNext'),
    ({ report, factsOf }) => {
      expect(workerKeys(factsOf('agent.called'))).toEqual([
        'run/a/1/worker',
        'run/x_rp1/1/worker',
        'run/y_rp1/1/worker',
        'run/b/1/worker',
        'run/c/1/worker',
      ]);
      expect(report).toMatchObject({ status: 'completed', skippedSteps: [] });
    },
  );

  scenario(
    'may build on a step that still waits when that is kept: merge append',
    () =>
      replanning({ a: needsContext('More') }, [['a', 'b'], ['x<b']], {
        replan: { merge: 'append' },
      }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.adopted')[1]?.steps[0]?.dependsOn).toEqual(['b']);
      expect(report.successfulSteps).toEqual(['a', 'b', 'x_rp1']);
    },
  );

  scenario(
    'may not build on a step that it replaces: merge replacePending',
    () => replanning({ a: needsContext('More') }, [['a', 'b<a'], ['x<b'], ['x<a']]),
    ({ report, factsOf }) => {
      expect(toldBy(factsOf)[2]?.issues).toEqual(['unknown-dependency at steps[0].dependsOn[0]']);
      expect(report).toMatchObject({ status: 'completed', replans: 2 });
    },
  );

  scenario(
    'may not build on a step that failed',
    () => replanning({ a: new Error('Broken') }, [['a', 'b<a'], ['x<a'], ['x']]),
    ({ report, factsOf }) => {
      expect(toldBy(factsOf)[1]).toBeNull();
      expect(toldBy(factsOf)[2]).toMatchObject({
        failed: ['a: threw: Error: Broken'],
        issues: ['unknown-dependency at steps[0].dependsOn[0]'],
      });
      expect(report).toMatchObject({
        status: 'completed',
        failedSteps: ['a'],
        skippedSteps: ['b'],
      });
    },
  );

  for (const merge of ['append', 'appendNext'] as const) {
    scenario(
      `that calls itself trivial frees no step of an earlier plan from its approval: merge ${merge}`,
      () => ({
        options: {
          agents: [workerBy({ a: needsContext('More') }), workerBy({}, 'architect')],
          planner: plannerInTurn(
            { scope: 'complex', steps: steps('a', 'architect:design<a') },
            { scope: 'trivial', steps: steps('x') },
          ),
          policy: definePolicy({
            replan: { merge },
            approval: { agents: ['architect'], autoApproveTrivial: true },
          }),
        },
        at: { 100: (control) => control.reject('design:1.1') },
      }),
      ({ report, factsOf }) => {
        expect(factsOf('approval.requested')).toMatchObject([{ stepId: 'design' }]);
        expect(workerKeys(factsOf('agent.called')).sort()).toEqual([
          'run/a/1/worker',
          'run/x_rp1/1/worker',
        ]);
        expect(report.failedSteps).toEqual(['design']);
      },
    );
  }

  scenario(
    'that is empty says that nothing more is to be done',
    () =>
      replanning({ a: needsContext('More') }, [['a', 'b', 'c<b'], []], {
        limits: { maxParallel: 1 },
      }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', reason: 'all-steps-completed' });
      expect(report.skippedSteps).toEqual(['b', 'c']);
    },
  );
});

describe('a completed step', () => {
  const OUTPUT = '{"text":"café 👍","list":[3,1,2],"deep":{"z":null,"a":-0.5}}';

  for (const merge of ['replacePending', 'append', 'appendNext', 'replaceAll'] as const) {
    scenario(
      `is called exactly once over four replans, and its output never changes: merge ${merge}`,
      () => {
        const asks = needsContext('More');
        return replanning(
          { first: done(JSON.parse(OUTPUT)), s: asks, s_rp1: asks, s_rp2: asks, s_rp3: asks },
          [['first', 's<first'], ['s<first'], ['s<first,s_rp1'], ['t', 's<t,s_rp2'], ['s<s_rp3']],
          { limits: { maxReplans: 4 }, replan: { merge, stopOnRepeatedPlan: false } },
        );
      },
      ({ report, factsOf }) => {
        const keys = workerKeys(factsOf('agent.called'));
        expect(new Set(keys).size).toBe(keys.length);
        expect(keys.filter((key) => key.startsWith('run/first/'))).toHaveLength(1);
        for (const told of toldBy(factsOf).slice(1)) {
          expect(told?.completed[0]).toBe(`first = ${OUTPUT}`);
        }
        expect(JSON.stringify(report.steps[0]?.output)).toBe(OUTPUT);
        expect(report).toMatchObject({ status: 'completed', replans: 4 });
        expect(report.plans.map(({ revision, status }) => [revision, status])).toEqual([
          [0, 'adopted'],
          [1, 'adopted'],
          [2, 'adopted'],
          [3, 'adopted'],
          [4, 'adopted'],
        ]);
        const ids = report.steps.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(
          report.steps.flatMap(({ dependsOn }) => dependsOn).every((id) => ids.includes(id)),
        ).toBe(true);
      },
    );
  }

  scenario(
    'keeps its output when a new plan uses its name again',
    () => replanning({ a: needsContext('More', 'the first') }, [['a'], ['a', 'b<a']]),
    ({ report, factsOf }) => {
      expect(report.steps.map(({ id, output }) => [id, output])).toEqual([
        ['a', 'the first'],
        ['a_rp1', 'did a_rp1'],
        ['b_rp1', 'did b_rp1'],
      ]);
      expect(factsOf('plan.adopted')[1]?.steps[1]?.dependsOn).toEqual(['a_rp1']);
    },
  );
});
