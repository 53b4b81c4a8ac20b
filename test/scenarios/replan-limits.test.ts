import { describe, expect } from 'vitest';

import { needsContext } from '../../src/agents/report.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { after, workerBy } from './by-step.js';
import type { ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import type { PlannerAnswer } from './planners.js';
import { plannerInTurn } from './planners.js';

/** Asks for another plan in step `a` when no replan is left. */
const atTheLimit = (
  clock: VirtualClock,
  onLimit: PolicyOverrides['replan'],
  overrides: PolicyOverrides = {},
): ScenarioSetup => ({
  options: {
    agents: [
      workerBy({
        a: after(clock, 10, needsContext('More', 'half')),
        b: after(clock, 20, 'did b'),
        c: after(clock, 10, 'did c'),
      }),
    ],
    planner: plannerInTurn(['a', 'b', 'c']),
    policy: definePolicy({
      replan: onLimit,
      ...overrides,
      limits: { maxReplans: 0, maxParallel: 1, ...overrides.limits },
    }),
  },
});

describe('at the replan limit', () => {
  scenario(
    'the rest of the plan still runs: onLimit continue',
    (clock) => atTheLimit(clock, { onLimit: 'continue' }),
    ({ report, factsOf }) => {
      expect(factsOf('request.refused')).toMatchObject([
        {
          type: 'request.refused',
          parentStepId: null,
          limit: 0,
          bound: 'replan-limit',
        },
      ]);
      expect(report).toMatchObject({
        status: 'completed',
        reason: 'all-steps-completed: replan-limit',
        allSucceeded: false,
      });
      expect(report.successfulSteps).toEqual(['a', 'b', 'c']);
    },
  );

  scenario(
    'nothing more starts and completed work is the result: onLimit finish',
    (clock) => atTheLimit(clock, { onLimit: 'finish' }),
    ({ report, factsOf }) => {
      expect(factsOf('step.started').map(({ stepId }) => stepId)).toEqual(['a']);
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'steps-left: replan-limit',
        durationMs: 10,
      });
      expect(report.successfulSteps).toEqual(['a']);
      expect(report.cancelledSteps).toEqual(['b', 'c']);
      expect(report.steps[0]?.output).toBe('half');
    },
  );

  scenario(
    'running steps finish and count: onLimit finish',
    (clock) => atTheLimit(clock, { onLimit: 'finish' }, { limits: { maxParallel: 5 } }),
    ({ report, factsOf }) => {
      expect(factsOf('request.refused')).toHaveLength(1);
      expect(report).toMatchObject({
        status: 'completed',
        reason: 'all-steps-completed: replan-limit',
      });
      expect(report.durationMs).toBe(20);
      expect(report.successfulSteps).toEqual(['a', 'b', 'c']);
    },
  );

  scenario(
    'the run fails and keeps completed work: onLimit fail',
    (clock) => atTheLimit(clock, { onLimit: 'fail' }),
    ({ report, factsOf }) => {
      expect(factsOf('step.started').map(({ stepId }) => stepId)).toEqual(['a']);
      expect(report).toMatchObject({ status: 'failed', reason: 'replan-limit', durationMs: 10 });
      expect(report.steps.map(({ id, status }) => [id, status])).toEqual([
        ['a', 'completed'],
        ['b', 'cancelled'],
        ['c', 'cancelled'],
      ]);
    },
  );

  scenario(
    'running steps get the grace period: onLimit fail',
    (clock) =>
      atTheLimit(clock, { onLimit: 'fail' }, { limits: { maxParallel: 2 }, time: { graceMs: 5 } }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'failed', reason: 'replan-limit', durationMs: 15 });
      expect(report.cancelledSteps).toEqual(['b', 'c']);
    },
  );
});

describe('onLimit askHuman', () => {
  const asking = (clock: VirtualClock, overrides: PolicyOverrides = {}): ScenarioSetup =>
    atTheLimit(clock, { onLimit: 'askHuman' }, overrides);

  scenario(
    'starts nothing before the answer, and continues after an approval',
    (clock) => ({ ...asking(clock), at: { 100: (control) => control.approve('plan:plan.1') } }),
    ({ report, facts, factsOf }) => {
      expect(factsOf('approval.requested')).toEqual([
        {
          type: 'approval.requested',
          requestId: 'plan:plan.1',
          stepId: null,
          question: 'The replan limit is reached. Continue without a new plan?',
          payload: null,
        },
      ]);
      const started = facts.flatMap((fact) =>
        fact.type === 'step.started' ? [[fact.stepId, fact.at]] : [],
      );
      expect(started).toEqual([
        ['a', 0],
        ['b', 100],
        ['c', 120],
      ]);
      expect(report).toMatchObject({ status: 'completed', durationMs: 130 });
    },
  );

  scenario(
    'ends the run after a rejection and keeps completed work',
    (clock) => ({
      ...asking(clock),
      at: { 100: (control) => control.reject('plan:plan.1', 'No use') },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('step.started').map(({ stepId }) => stepId)).toEqual(['a']);
      expect(report).toMatchObject({ status: 'failed', reason: 'replan-limit', durationMs: 100 });
      expect(report.successfulSteps).toEqual(['a']);
      expect(report.cancelledSteps).toEqual(['b', 'c']);
    },
  );

  scenario(
    'counts a timeout as a rejection',
    (clock) => asking(clock, { approval: { timeoutMs: 1_000 } }),
    ({ report, factsOf }) => {
      expect(factsOf('approval.expired')).toMatchObject([{ outcome: 'reject' }]);
      expect(report).toMatchObject({ status: 'failed', reason: 'replan-limit', durationMs: 1_010 });
    },
  );

  scenario(
    'counts a timeout as an approval where the policy says so',
    (clock) => asking(clock, { approval: { timeoutMs: 1_000, onTimeout: 'approve' } }),
    ({ report, factsOf }) => {
      expect(factsOf('approval.expired')).toMatchObject([{ outcome: 'approve' }]);
      expect(report).toMatchObject({ status: 'completed', durationMs: 1_040 });
    },
  );

  scenario(
    'lets running steps finish while it waits',
    (clock) => ({
      ...asking(clock, { limits: { maxParallel: 2 } }),
      at: { 100: (control) => control.reject('plan:plan.1') },
    }),
    ({ report }) => {
      expect(report.successfulSteps).toEqual(['a', 'b']);
      expect(report.cancelledSteps).toEqual(['c']);
    },
  );

  scenario(
    'asks once for every step that reaches the limit',
    (clock) => ({
      options: {
        ...asking(clock).options,
        agents: [workerBy({ a: needsContext('More'), b: needsContext('More') })],
      },
      onFact: (fact, control) => {
        if (fact.type === 'approval.requested') control.approve(fact.requestId);
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('approval.requested').map(({ requestId }) => requestId)).toEqual([
        'plan:plan.1',
        'plan:plan.2',
      ]);
      expect(report.status).toBe('completed');
    },
  );
});

describe('a plan that repeats an adopted one', () => {
  const circling = (
    answers: readonly PlannerAnswer[],
    replan: PolicyOverrides['replan'],
    maxReplans = 5,
  ): ScenarioSetup => ({
    options: {
      agents: [workerBy({ a: new Error('Broken') })],
      planner: plannerInTurn(...answers),
      policy: definePolicy({
        limits: { maxReplans, maxFailures: 100 },
        retry: { attempts: 1 },
        replan,
      }),
    },
  });
  const renamed = {
    steps: [{ id: 'other', agent: 'worker', task: 'Do the work of step a' }],
  };

  scenario(
    'is refused, even with other step names',
    () => circling([['a'], renamed], {}),
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected')).toMatchObject([{ revision: 1, by: 'repeat' }]);
      expect(factsOf('request.refused')).toMatchObject([{ bound: 'repeated-plan' }]);
      expect(factsOf('plan.adopted')).toHaveLength(1);
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'steps-failed: repeated-plan',
        replans: 1,
      });
    },
  );

  scenario(
    'is the reason of the refusal even when no replan is left',
    () => circling([['a'], renamed], {}, 1),
    ({ factsOf }) => {
      expect(factsOf('request.refused')).toMatchObject([{ bound: 'repeated-plan' }]);
    },
  );

  scenario(
    'is detected two plans later as well',
    () => {
      const { options } = circling([['a'], ['b'], ['a']], {});
      const agents = [workerBy({ a: new Error('Broken'), b_rp1: new Error('Broken too') })];
      return { options: { ...options, agents } };
    },
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected')).toMatchObject([{ revision: 2, by: 'repeat' }]);
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'steps-failed: repeated-plan',
        replans: 2,
      });
    },
  );

  for (const [stopOnRepeatedPlan, adopted] of [
    [true, ['a', 'b_rp1']],
    [false, ['a', 'b_rp1', 'a_rp2', 'b_rp3']],
  ] as const) {
    scenario(
      `of a planner that alternates between two plans is refused only with stopOnRepeatedPlan: ${stopOnRepeatedPlan}`,
      () => {
        const { options } = circling([['a'], ['b'], ['a'], ['b']], { stopOnRepeatedPlan }, 3);
        const broken = new Error('Broken');
        const agents = [workerBy({ a: broken, b_rp1: broken, a_rp2: broken, b_rp3: broken })];
        return { options: { ...options, agents } };
      },
      ({ report, factsOf }) => {
        const bound = stopOnRepeatedPlan ? 'repeated-plan' : 'replan-limit';
        expect(report).toMatchObject({ status: 'failed', reason: `steps-failed: ${bound}` });
        expect(report.failedSteps).toEqual(adopted);
        expect(report.replans).toBe(stopOnRepeatedPlan ? 2 : 3);
        expect(factsOf('plan.rejected').map(({ by }) => by)).toEqual(
          stopOnRepeatedPlan ? ['repeat'] : [],
        );
      },
    );
  }

  scenario(
    'fails the run like the replan limit: onLimit fail',
    () => circling([['a'], ['a']], { onLimit: 'fail' }),
    ({ report }) => {
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'replan-limit: repeated-plan',
        replans: 1,
      });
    },
  );

  scenario(
    'is adopted again where the policy allows it, as often as there are replans',
    () => {
      const { options } = circling([['a']], { stopOnRepeatedPlan: false }, 3);
      const broken = new Error('Broken');
      const agents = [workerBy({ a: broken, a_rp1: broken, a_rp2: broken, a_rp3: broken })];
      return { options: { ...options, agents } };
    },
    ({ report, factsOf }) => {
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'steps-failed: replan-limit',
        replans: 3,
      });
      expect(report.failedSteps).toEqual(['a', 'a_rp1', 'a_rp2', 'a_rp3']);
      expect(factsOf('plan.rejected')).toEqual([]);
      expect(factsOf('replan.requested')).toHaveLength(3);
    },
  );
});
