import { describe, expect } from 'vitest';

import { handOff, needsContext } from '../../src/agents/report.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { Behaviours } from './by-step.js';
import { after, workerBy } from './by-step.js';
import type { ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import type { PlannerAnswer } from './planners.js';
import { plannerInTurn, toldBy } from './planners.js';

const broken = new Error('Broken');

const failing = (
  behaviours: Behaviours,
  plan: readonly string[],
  overrides: PolicyOverrides = {},
  ...nextPlans: readonly PlannerAnswer[]
): ScenarioSetup => ({
  options: {
    agents: [workerBy(behaviours)],
    planner: plannerInTurn(plan, ...nextPlans),
    policy: definePolicy({ ...overrides, retry: { attempts: 1 } }),
  },
});

describe('a step that fails', () => {
  scenario(
    'leads to a new plan: onStepFailure replan',
    () => failing({ a: broken }, ['a', 'b<a', 'c'], {}, ['a', 'b<a']),
    ({ report, factsOf }) => {
      expect(factsOf('step.failed')).toEqual([
        {
          type: 'step.failed',
          stepId: 'a',
          agent: 'worker',
          attempts: 1,
          code: 'threw',
          reason: 'Error: Broken',
          message: null,
        },
      ]);
      expect(factsOf('replan.requested')).toMatchObject([
        { kind: 'stepFailed', stepId: 'a', agent: 'worker', reason: 'Error: Broken' },
      ]);
      expect(toldBy(factsOf)[1]).toMatchObject({
        completed: ['c = "did c"'],
        failed: ['a: threw: Error: Broken'],
        pending: [],
      });
      expect(report).toMatchObject({ status: 'completed', reason: 'all-steps-completed' });
      expect(report.failedSteps).toEqual(['a']);
      expect(report.skippedSteps).toEqual(['b']);
      expect(report.successfulSteps).toEqual(['c', 'a_rp1', 'b_rp1']);
      expect(report.allSucceeded).toBe(false);
    },
  );

  scenario(
    'at the replan limit lets the rest of the plan run: onStepFailure replan',
    () => failing({ a: broken }, ['a', 'b<a', 'c'], { limits: { maxReplans: 0, maxParallel: 1 } }),
    ({ report, factsOf }) => {
      expect(factsOf('replan.requested', 'replan.started', 'request.refused')).toEqual([]);
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed' });
      expect(report.steps.map(({ id, status, reason }) => [id, status, reason])).toEqual([
        ['a', 'failed', 'Error: Broken'],
        ['b', 'skipped', 'dependency'],
        ['c', 'completed', null],
      ]);
    },
  );

  scenario(
    'does not stop other steps: onStepFailure continue',
    () =>
      failing({ a: broken }, ['a', 'b<a', 'c', 'd<c'], {
        limits: { maxParallel: 1 },
        failure: { onStepFailure: 'continue' },
      }),
    ({ report, factsOf }) => {
      expect(factsOf('replan.requested')).toEqual([]);
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed', replans: 0 });
      expect(report.successfulSteps).toEqual(['c', 'd']);
    },
  );

  scenario(
    'ends the run before anything else starts: onStepFailure stop',
    () =>
      failing({ b: broken }, ['a', 'b', 'c', 'd<b'], {
        limits: { maxParallel: 1 },
        failure: { onStepFailure: 'stop' },
      }),
    ({ report, factsOf }) => {
      expect(factsOf('step.started').map(({ stepId }) => stepId)).toEqual(['a', 'b']);
      expect(report).toMatchObject({ status: 'failed', reason: 'step-failed' });
      expect(report.successfulSteps).toEqual(['a']);
      expect(report.cancelledSteps).toEqual(['c']);
      expect(report.skippedSteps).toEqual(['d']);
    },
  );

  scenario(
    'leaves running steps their grace period: onStepFailure stop',
    (clock) =>
      failing(
        {
          a: after(clock, 10, broken),
          b: after(clock, 14, 'in time'),
          c: after(clock, 60, 'too late'),
        },
        ['a', 'b', 'c', 'd'],
        {
          limits: { maxParallel: 3 },
          time: { graceMs: 5 },
          failure: { onStepFailure: 'stop' },
        },
      ),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'failed', reason: 'step-failed', durationMs: 15 });
      expect(report.successfulSteps).toEqual(['b']);
      expect(report.cancelledSteps).toEqual(['c', 'd']);
    },
  );

  scenario(
    'while the run drains for a replan still ends it: onStepFailure stop',
    (clock) =>
      failing(
        { a: after(clock, 10, needsContext('More')), b: after(clock, 20, broken) },
        ['a', 'b', 'c<a'],
        { failure: { onStepFailure: 'stop' } },
        ['x'],
      ),
    ({ report, factsOf }) => {
      expect(factsOf('replan.started')).toEqual([]);
      expect(report).toMatchObject({ status: 'failed', reason: 'step-failed', durationMs: 20 });
      expect(report.successfulSteps).toEqual(['a']);
      expect(report.cancelledSteps).toEqual(['c']);
    },
  );
});

describe('a step that depends on a failed step', () => {
  const diamond = ['a', 'b<a', 'c<a', 'd<b,c', 'e<d', 'f'];
  const policy = (
    onDependencyFailure: 'skip' | 'run' | 'stop',
    overrides: PolicyOverrides = {},
  ): PolicyOverrides => ({
    ...overrides,
    failure: { onStepFailure: 'continue', onDependencyFailure },
  });

  scenario(
    'is skipped, as are its own dependents, each once: onDependencyFailure skip',
    () => failing({ a: broken }, diamond, policy('skip', { limits: { maxParallel: 1 } })),
    ({ report, factsOf }) => {
      expect(factsOf('step.skipped')).toEqual(
        ['b', 'c', 'd', 'e'].map((stepId) => ({
          type: 'step.skipped',
          stepId,
          reason: 'dependency',
        })),
      );
      expect(report.successfulSteps).toEqual(['f']);
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed' });
    },
  );

  scenario(
    'is skipped once when two dependencies fail, one after the other',
    (clock) =>
      failing(
        { b: after(clock, 10, broken), c: after(clock, 20, broken) },
        diamond,
        policy('skip'),
      ),
    ({ report, facts }) => {
      const skipped = facts.flatMap((fact) =>
        fact.type === 'step.skipped' ? [[fact.stepId, fact.at]] : [],
      );
      expect(skipped).toEqual([
        ['d', 10],
        ['e', 10],
      ]);
      expect(report.failedSteps).toEqual(['b', 'c']);
    },
  );

  scenario(
    'runs without the missing output: onDependencyFailure run',
    () => {
      const seen = (call: { dependencies: readonly { stepId: string }[] }): string =>
        call.dependencies.map(({ stepId }) => stepId).join();
      return failing({ b: broken, d: seen, e: seen }, diamond, policy('run'));
    },
    ({ report, factsOf }) => {
      expect(factsOf('step.skipped')).toEqual([]);
      expect(report.successfulSteps).toEqual(['a', 'c', 'd', 'e', 'f']);
      expect(report.steps.find(({ id }) => id === 'd')?.output).toBe('c');
      expect(report.steps.find(({ id }) => id === 'e')?.output).toBe('d');
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed' });
    },
  );

  scenario(
    'ends the run before anything else starts: onDependencyFailure stop',
    () => failing({ a: broken }, diamond, policy('stop', { limits: { maxParallel: 1 } })),
    ({ report, factsOf }) => {
      expect(factsOf('step.started').map(({ stepId }) => stepId)).toEqual(['a']);
      expect(report).toMatchObject({ status: 'failed', reason: 'step-failed' });
      expect(report.cancelledSteps).toEqual(['f']);
      expect(report.skippedSteps).toEqual(['b', 'c', 'd', 'e']);
    },
  );

  scenario(
    'is required to end the run; without one the run continues: onDependencyFailure stop',
    () => failing({ e: broken }, diamond, policy('stop', { limits: { maxParallel: 1 } })),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed' });
      expect(report.successfulSteps).toEqual(['a', 'b', 'c', 'd', 'f']);
    },
  );
});

describe('the limit of failures', () => {
  const independent = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `s${index}`);
  const allBroken = Object.fromEntries(independent(12).map((id) => [id, broken]));

  for (const [count, borne] of [
    [1, 1],
    [3, 2],
    [6, 2],
    [7, 3],
    [12, 4],
  ] as const) {
    scenario(
      `is max(2, a third of the steps): of ${count} steps ${borne} may fail`,
      () =>
        failing(allBroken, independent(count), {
          limits: { maxParallel: 1 },
          failure: { onStepFailure: 'continue' },
        }),
      ({ report }) => {
        const isTooMany = count > borne;
        expect(report.failedSteps).toHaveLength(isTooMany ? borne + 1 : borne);
        expect(report.cancelledSteps).toHaveLength(isTooMany ? count - borne - 1 : 0);
        expect(report).toMatchObject({
          status: 'failed',
          reason: isTooMany ? 'too-many-failures' : 'steps-failed',
        });
      },
    );
  }

  scenario(
    'is the one of the policy: with maxFailures 0 the first failure stops the run',
    () => failing({ a: broken }, ['a', 'b'], { limits: { maxFailures: 0, maxParallel: 1 } }, ['x']),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'failed', reason: 'too-many-failures', replans: 0 });
      expect(factsOf('step.started').map(({ stepId }) => stepId)).toEqual(['a']);
      expect(report.cancelledSteps).toEqual(['b']);
    },
  );

  scenario(
    'is counted anew after a plan that answers the failures',
    () =>
      failing(
        { a: broken, b_rp1: broken, c_rp2: broken },
        ['a'],
        { limits: { maxFailures: 1 } },
        ['b'],
        ['c'],
        ['d'],
      ),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', replans: 3 });
      expect(report.failedSteps).toEqual(['a', 'b_rp1', 'c_rp2']);
    },
  );

  scenario(
    'also ends the run while it drains for a replan',
    (clock) =>
      failing(
        { a: after(clock, 10, broken), b: after(clock, 20, broken), c: after(clock, 60, 'late') },
        ['a', 'b', 'c'],
        { limits: { maxFailures: 1 }, time: { graceMs: 5 } },
        ['x'],
      ),
    ({ report, factsOf }) => {
      expect(factsOf('replan.started')).toEqual([]);
      expect(report).toMatchObject({ status: 'failed', reason: 'too-many-failures' });
      expect(report.durationMs).toBe(25);
    },
  );
});

describe('the end of a run', () => {
  scenario(
    'is completed only when no failure is unresolved: a hand-off resolves none',
    () =>
      failing(
        { a: broken, b: handOff({ agent: 'worker', task: 'Do what is left of it' }) },
        ['a', 'b'],
        { failure: { onStepFailure: 'continue' } },
      ),
    ({ report }) => {
      expect(report.successfulSteps).toEqual(['b', 'worker_rp1']);
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed' });
    },
  );

  scenario(
    'is completed when the last plan resolves every failure, and reports all of them',
    () => failing({ a: broken, b_rp1: broken }, ['a'], {}, ['b'], ['c']),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', allSucceeded: false });
      expect(report.failedSteps).toEqual(['a', 'b_rp1']);
    },
  );
});
