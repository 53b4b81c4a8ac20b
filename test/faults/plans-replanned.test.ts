import { describe, expect } from 'vitest';

import { needsContext } from '../../src/agents/report.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import { after, workerBy } from '../scenarios/by-step.js';
import type { ScenarioSetup } from '../scenarios/harness.js';
import { scenario } from '../scenarios/harness.js';
import type { PlannerAnswer } from '../scenarios/planners.js';
import { plannerInTurn, toldBy } from '../scenarios/planners.js';
import { agentNamed } from '../scenarios/team.js';
import { expectNoLeaks } from './no-leaks.js';
import { planning } from './plans-planning.js';

expectNoLeaks();

const broken = new Error('Broken');

describe('a plan without a runnable step', () => {
  scenario(
    'completes the run immediately when the first plan is empty',
    () => planning([[]]),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'completed', reason: 'empty-plan', durationMs: 0 });
      expect(factsOf('plan.adopted')).toMatchObject([{ revision: 0, steps: [] }]);
      expect(factsOf('step.started')).toEqual([]);
    },
  );

  scenario(
    'completes the run with its completed work when a new plan is empty',
    () => ({
      options: {
        agents: [workerBy({ a: needsContext('More', 'half') })],
        planner: plannerInTurn(['a', 'b<a'], []),
      },
    }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', successfulSteps: ['a'] });
      expect(report.steps[1]).toMatchObject({ status: 'skipped', reason: 'replaced' });
    },
  );

  scenario(
    'is refused when a new plan only depends on failed, skipped or replaced steps',
    () => ({
      options: {
        agents: [workerBy({ a: broken })],
        planner: plannerInTurn(['a', 'b<a', 'c'], ['x<a'], ['x<b'], ['x<c'], ['x']),
        policy: definePolicy({ retry: { attempts: 1 }, limits: { maxParallel: 1, maxReplans: 4 } }),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected').map(({ issues }) => issues.map(({ code }) => code))).toEqual([
        ['unknown-dependency'],
        ['unknown-dependency'],
        ['unknown-dependency'],
      ]);
      expect(report).toMatchObject({ status: 'completed', successfulSteps: ['x_rp1'] });
    },
  );

  scenario(
    'ends by time when every step waits for an approval without an answer',
    () =>
      planning([['a', 'b']], {
        approval: { agents: ['worker'], onReject: 'skip', timeoutMs: 500 },
      }),
    ({ report }) => {
      expect(report.steps.map(({ status }) => status)).toEqual(['skipped', 'skipped']);
      expect(report.durationMs).toBe(500);
    },
  );
});

/** Every call fails; every failure requests another plan. */
const failing = (
  answers: readonly PlannerAnswer[],
  overrides: PolicyOverrides = {},
): ScenarioSetup => ({
  options: {
    agents: [agentNamed('worker', () => Promise.reject(broken))],
    planner: plannerInTurn(...answers),
    policy: definePolicy({
      retry: { attempts: 1 },
      ...overrides,
      limits: { maxReplans: 6, maxFailures: 50, ...overrides.limits },
    }),
  },
});

const planA = { steps: [{ id: 'a', agent: 'worker', task: 'Try it this way' }] };
const planB = { steps: [{ id: 'b', agent: 'worker', task: 'Try it that way' }] };
const planAUnderAnotherName = {
  steps: [{ id: 'new', agent: 'worker', task: ' Try it this way ' }],
};

describe('a planner that repeats itself', () => {
  scenario(
    'with the same plan under other step names is detected by its fingerprint',
    () => failing([planA, planAUnderAnotherName]),
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected')).toMatchObject([{ revision: 1, by: 'repeat' }]);
      expect(factsOf('step.started').map(({ stepId }) => stepId)).toEqual(['a']);
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'steps-failed: repeated-plan',
        replans: 1,
      });
    },
  );

  scenario(
    'by alternating two plans is detected: the third is the first again, and each was counted',
    () => failing([planA, planB, planA, planB]),
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected')).toMatchObject([{ revision: 2, by: 'repeat' }]);
      expect(factsOf('step.started').map(({ stepId }) => stepId)).toEqual(['a', 'b_rp1']);
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'steps-failed: repeated-plan',
        replans: 2,
      });
    },
  );

  scenario(
    'by alternating two plans stops at the replan bound where repeating is allowed',
    () =>
      failing(
        Array.from({ length: 99 }, (_, index) => (index % 2 === 0 ? planA : planB)),
        { replan: { stopOnRepeatedPlan: false } },
      ),
    ({ report, factsOf }) => {
      expect(factsOf('step.started')).toHaveLength(7);
      expect(factsOf('plan.rejected')).toEqual([]);
      expect(factsOf('agent.called').filter(({ role }) => role === 'planner')).toHaveLength(7);
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'steps-failed: replan-limit',
        replans: 6,
      });
    },
  );
});

describe('a new plan that conflicts with earlier steps', () => {
  // A new plan aborts nothing: running steps finish first, and their outputs are kept.
  scenario(
    'lets a running step that it drops finish first and keeps its output',
    (clock) => ({
      options: {
        agents: [
          workerBy({
            asks: after(clock, 10, needsContext('More', 'half')),
            runs: after(clock, 500, 'all of it'),
          }),
        ],
        planner: plannerInTurn(['asks', 'runs', 'waits<runs'], ['x']),
      },
    }),
    ({ report, factsOf, facts }) => {
      expect(facts.find(({ type }) => type === 'replan.started')?.at).toBe(500);
      expect(toldBy(factsOf)[1]?.completed).toEqual(['asks = "half"', 'runs = "all of it"']);
      expect(report.steps.map(({ id, status, output }) => [id, status, output])).toEqual([
        ['asks', 'completed', 'half'],
        ['runs', 'completed', 'all of it'],
        ['waits', 'skipped', null],
        ['x_rp1', 'completed', 'did x_rp1'],
      ]);
    },
  );

  scenario(
    'leaves a completed step that it renames unchanged, under its old name',
    () => ({
      options: {
        agents: [workerBy({ done: 'the output', asks: needsContext('More') })],
        planner: plannerInTurn(['done', 'asks<done'], ['finished', 'next<finished,done']),
      },
    }),
    ({ report, factsOf }) => {
      expect(report.steps.map(({ id, output }) => [id, output])).toEqual([
        ['done', 'the output'],
        ['asks', null],
        ['finished_rp1', 'did finished_rp1'],
        ['next_rp1', 'did next_rp1'],
      ]);
      expect(factsOf('plan.adopted')[1]?.steps[1]?.dependsOn).toEqual(['finished_rp1', 'done']);
    },
  );

  scenario(
    'passes the output of a completed step to a dependent new step, byte for byte',
    () => ({
      options: {
        agents: [
          workerBy({ done: { text: 'café 👍', list: [3, 1, 2] }, asks: needsContext('More') }),
          agentNamed('reader', ({ dependencies }) => dependencies),
        ],
        planner: plannerInTurn(['done', 'asks<done'], ['reader:r<done']),
      },
    }),
    ({ report }) => {
      expect(JSON.stringify(report.steps[2]?.output)).toBe(
        '[{"stepId":"done","agent":"worker","output":{"text":"café 👍","list":[3,1,2]},"isWhole":true}]',
      );
    },
  );

  // Reuse is not refused: a planner cannot know every name. The new step gets its own name.
  scenario(
    'that reuses the id of a failed or completed step means the new step; the old one is kept',
    () => ({
      options: {
        agents: [workerBy({ ok: 'first', bad: broken })],
        planner: plannerInTurn(['ok', 'bad<ok'], ['bad', 'ok<bad']),
        policy: definePolicy({ retry: { attempts: 1 } }),
      },
    }),
    ({ report, factsOf }) => {
      expect(report.steps.map(({ id, status, output }) => [id, status, output])).toEqual([
        ['ok', 'completed', 'first'],
        ['bad', 'failed', null],
        ['bad_rp1', 'completed', 'did bad_rp1'],
        ['ok_rp1', 'completed', 'did ok_rp1'],
      ]);
      expect(factsOf('plan.adopted')[1]?.steps.map(({ dependsOn }) => dependsOn)).toEqual([
        [],
        ['bad_rp1'],
      ]);
      expect(report.status).toBe('completed');
    },
  );
});
