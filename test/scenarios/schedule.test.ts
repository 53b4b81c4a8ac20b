import { describe, expect } from 'vitest';

import { needsContext } from '../../src/agents/report.js';
import type { Fact } from '../../src/model/facts.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { Behaviours } from './by-step.js';
import { after, workerBy } from './by-step.js';
import type { ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import type { PlannerAnswer } from './planners.js';
import { plannerInTurn, toldBy } from './planners.js';

const scheduling = (
  behaviours: Behaviours,
  answers: readonly PlannerAnswer[],
  overrides: PolicyOverrides = {},
): ScenarioSetup => ({
  options: {
    agents: [workerBy(behaviours)],
    planner: plannerInTurn(...answers),
    policy: definePolicy({ ...overrides, retry: { attempts: 1 } }),
  },
});

const starts = (facts: readonly Fact[]): (string | number)[][] =>
  facts.flatMap((fact) => (fact.type === 'step.started' ? [[fact.stepId, fact.at]] : []));

describe('steps that are ready', () => {
  scenario(
    'start as soon as their dependencies are done, without a barrier between levels',
    (clock) =>
      scheduling({ a: after(clock, 10, 1), b: after(clock, 100, 1), c: after(clock, 10, 1) }, [
        ['a', 'b', 'c<a', 'd<c', 'e<b'],
      ]),
    ({ report, facts }) => {
      expect(starts(facts)).toEqual([
        ['a', 0],
        ['b', 0],
        ['c', 10],
        ['d', 20],
        ['e', 100],
      ]);
      expect(report.durationMs).toBe(100);
    },
  );

  scenario(
    'start in the order of the plan, one at a time where the policy says so',
    (clock) =>
      scheduling(
        Object.fromEntries(['d', 'b', 'a', 'c'].map((id) => [id, after(clock, 10, id)])),
        [['d', 'b', 'a<d', 'c']],
        { limits: { maxParallel: 1 } },
      ),
    ({ facts }) => {
      expect(starts(facts)).toEqual([
        ['d', 0],
        ['b', 10],
        ['a', 20],
        ['c', 30],
      ]);
    },
  );

  scenario(
    'never exceed maxParallel in a plan of maximum length, wide or deep',
    (clock) => {
      const wide = Array.from({ length: 40 }, (_, index) => `w${index}`);
      const deep = Array.from({ length: 40 }, (_, index) =>
        index === 0 ? 'c0' : `c${index}<c${index - 1}`,
      );
      const ids = [...wide, ...deep].map((text) => text.split('<')[0] ?? '');
      const behaviours = Object.fromEntries(ids.map((id) => [id, after(clock, 10, id)]));
      return scheduling(behaviours, [[...wide, ...deep]], {
        limits: { maxSteps: 80, maxParallel: 4 },
      });
    },
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'completed' });
      expect(report.successfulSteps).toHaveLength(80);
      expect(new Set(factsOf('step.started').map(({ slot }) => slot))).toEqual(
        new Set(['slot-0', 'slot-1', 'slot-2', 'slot-3']),
      );
    },
  );
});

describe('steps that request a call at the same moment', () => {
  for (const breaker of [null, { failures: 3, resetMs: 100 }]) {
    scenario(
      `never make more calls than the budget allows, ${breaker === null ? 'without' : 'with'} a breaker`,
      (clock) =>
        scheduling(
          Object.fromEntries(['a', 'b', 'c', 'd'].map((id) => [id, after(clock, 10, id)])),
          [['a', 'b', 'c', 'd']],
          { limits: { maxAgentCalls: 3, maxParallel: 4 }, breaker },
        ),
      ({ report, factsOf }) => {
        expect(factsOf('agent.called')).toHaveLength(3);
        expect(factsOf('budget.exhausted')).toEqual([
          { type: 'budget.exhausted', limit: 'maxAgentCalls' },
        ]);
        expect(report).toMatchObject({ status: 'budgetExhausted', reason: 'maxAgentCalls' });
        expect(report.successfulSteps).toEqual(['a', 'b']);
      },
    );
  }
});

describe('while a replan waits for running steps', () => {
  scenario(
    'nothing new starts, and the planner is called when the last one ends',
    (clock) =>
      scheduling(
        { a: after(clock, 10, needsContext('More')), b: after(clock, 50, 'did b') },
        [['a', 'b', 'c<a', 'd'], ['d<b']],
        { limits: { maxParallel: 2 } },
      ),
    ({ report, facts, factsOf }) => {
      expect(starts(facts)).toEqual([
        ['a', 0],
        ['b', 0],
        ['d_rp1', 50],
      ]);
      const asked = facts.find((fact) => fact.type === 'replan.started');
      expect(asked?.at).toBe(50);
      expect(toldBy(factsOf)[1]).toMatchObject({
        completed: ['a = null', 'b = "did b"'],
        pending: ['c', 'd'],
      });
      expect(report.skippedSteps).toEqual(['c', 'd']);
    },
  );

  scenario(
    'a second request joins the first: one call, one replan, both requests reach the planner',
    (clock) =>
      scheduling(
        {
          a: after(clock, 10, needsContext('More of a')),
          b: after(clock, 10, needsContext('More of b')),
        },
        [['a', 'b'], ['c']],
      ),
    ({ report, factsOf }) => {
      expect(factsOf('replan.requested')).toHaveLength(2);
      expect(factsOf('replan.started')).toMatchObject([{ reasons: ['More of a', 'More of b'] }]);
      expect(report).toMatchObject({ status: 'completed', replans: 1 });
    },
  );

  scenario(
    'a step that fails is reported to the planner, and its dependents are skipped',
    (clock) =>
      scheduling(
        { a: after(clock, 10, needsContext('More')), b: after(clock, 20, new Error('Broken')) },
        [['a', 'b', 'c<b', 'd<a'], ['e']],
      ),
    ({ report, factsOf }) => {
      expect(toldBy(factsOf)[1]).toMatchObject({
        failed: ['b: threw: Error: Broken'],
        pending: ['d'],
        requests: ['needsContext of a: More', 'stepFailed of b: Error: Broken'],
      });
      expect(factsOf('step.skipped')).toEqual([
        { type: 'step.skipped', stepId: 'c', reason: 'dependency' },
        { type: 'step.skipped', stepId: 'd', reason: 'replaced' },
      ]);
      expect(report).toMatchObject({ status: 'completed', replans: 1 });
      expect(report.successfulSteps).toEqual(['a', 'e_rp1']);
    },
  );

  scenario(
    'a step that fails is not a request: onStepFailure continue',
    (clock) =>
      scheduling(
        { a: after(clock, 10, needsContext('More')), b: after(clock, 20, new Error('Broken')) },
        [['a', 'b'], ['e']],
        { failure: { onStepFailure: 'continue' } },
      ),
    ({ report, factsOf }) => {
      expect(toldBy(factsOf)[1]?.requests).toEqual(['needsContext of a: More']);
      expect(report).toMatchObject({ status: 'completed', failedSteps: ['b'] });
    },
  );

  scenario(
    'a pause also delays the planner call until the run is unpaused',
    (clock) => ({
      ...scheduling({ a: after(clock, 10, needsContext('More')), b: after(clock, 50, 'did b') }, [
        ['a', 'b'],
        ['c'],
      ]),
      at: { 20: (control) => control.pause(), 500: (control) => control.unpause() },
    }),
    ({ report, facts }) => {
      expect(facts.find((fact) => fact.type === 'replan.started')?.at).toBe(500);
      expect(report.steps.map(({ id, status, endedAt }) => [id, status, endedAt])).toEqual([
        ['a', 'completed', 10],
        ['b', 'completed', 50],
        ['c_rp1', 'completed', 500],
      ]);
    },
  );

  scenario(
    'a person can still skip waiting steps',
    (clock) => ({
      ...scheduling(
        { a: after(clock, 10, needsContext('More')), b: after(clock, 50, 'did b') },
        [['a', 'b', 'c<b', 'd<c'], ['e<d']],
        { replan: { merge: 'append' } },
      ),
      at: { 20: (control) => control.skip(['c', 'd']) },
    }),
    ({ report, factsOf }) => {
      expect(toldBy(factsOf)[1]?.pending).toEqual([]);
      expect(report).toMatchObject({ status: 'completed', skippedSteps: ['c', 'd'] });
      expect(report.successfulSteps).toEqual(['a', 'b', 'e_rp1']);
    },
  );
});
