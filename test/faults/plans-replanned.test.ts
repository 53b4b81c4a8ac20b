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

describe('a plan without a step that can run', () => {
  scenario(
    'an empty first plan completes the run at once',
    () => planning([[]]),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'completed', reason: 'empty-plan', durationMs: 0 });
      expect(factsOf('plan.adopted')).toMatchObject([{ revision: 0, steps: [] }]);
      expect(factsOf('step.started')).toEqual([]);
    },
  );

  scenario(
    'an empty new plan completes the run with what is done',
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
    'a new plan that only waits for what failed, was skipped or is replaced is refused: it could never run',
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
    'a plan of which every step waits for a person who never comes ends all the same',
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

/** Whoever is asked, fails; every failure asks for another plan. */
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

describe('a planner that goes round in circles', () => {
  scenario(
    'the same plan again, whatever it calls its steps, is seen by its fingerprint and not run again',
    () => failing([planA, planAUnderAnotherName]),
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected')).toMatchObject([{ revision: 1, by: 'repeat' }]);
      expect(factsOf('step.started').map(({ stepId }) => stepId)).toEqual(['a']);
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed', replans: 1 });
    },
  );

  scenario(
    'two plans in turns are seen as well: the third is the first again, and each was counted',
    () => failing([planA, planB, planA, planB]),
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected')).toMatchObject([{ revision: 2, by: 'repeat' }]);
      expect(factsOf('step.started').map(({ stepId }) => stepId)).toEqual(['a', 'b_rp1']);
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed', replans: 2 });
    },
  );

  scenario(
    'where repeating is allowed two plans in turns stop at the replan bound',
    () =>
      failing(
        Array.from({ length: 99 }, (_, index) => (index % 2 === 0 ? planA : planB)),
        { replan: { stopOnRepeatedPlan: false } },
      ),
    ({ report, factsOf }) => {
      expect(factsOf('step.started')).toHaveLength(7);
      expect(factsOf('plan.rejected')).toEqual([]);
      expect(factsOf('agent.called').filter(({ role }) => role === 'planner')).toHaveLength(7);
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed', replans: 6 });
    },
  );
});

describe('a new plan that does not go with what was done', () => {
  // Nothing is cut off for a new plan: what runs comes to its end first, and its output is kept.
  scenario(
    'a running step that a new plan drops comes to its end first, and its output is there',
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
    'a completed step that a new plan names otherwise stays what it was, under the name it had',
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
    'a new step that depends on a completed one is given its output, byte for byte',
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
        '[{"stepId":"done","agent":"worker","output":{"text":"café 👍","list":[3,1,2]}}]',
      );
    },
  );

  // Reuse is not refused: a planner cannot know every name. The new step gets a name of its own.
  scenario(
    'the id of a failed or completed step that a new plan uses again means the new step; the old one is kept',
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
