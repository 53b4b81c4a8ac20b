import { describe, expect } from 'vitest';

import { blocked, needsContext } from '../../src/agents/report.js';
import type { Fact } from '../../src/model/facts.js';
import { definePolicy } from '../../src/policy/policy.js';
import { presets } from '../../src/policy/presets.js';
import type { Policy, PolicyOverrides } from '../../src/model/policy.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import type { ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import type { PlannerAnswer } from './planners.js';
import { plannerInTurn, toldBy } from './planners.js';
import { agentNamed, steps } from './team.js';

const noWaiting: PolicyOverrides['retry'] = { attempts: 1 };

const planning = (answers: readonly PlannerAnswer[], policy: Policy): ScenarioSetup => ({
  options: {
    agents: [
      agentNamed('worker', (call) =>
        call.step.id === 'asks' ? needsContext('More, please', 'half') : `did ${call.step.id}`,
      ),
    ],
    planner: plannerInTurn(...answers),
    policy,
  },
});

const never = (): Promise<never> => new Promise(() => undefined);

/** An answer that arrives late. */
const slowly = (clock: VirtualClock, durationMs: number, answer: unknown) => async () => {
  await clock.sleep(durationMs);
  return answer;
};

describe('a planner that fails at the first plan', () => {
  scenario(
    'by throwing is called retry.attempts times, then the run fails',
    () => planning([new Error('No model today')], definePolicy()),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'failed', reason: 'planning-failed', replans: 0 });
      expect(factsOf('agent.failed').map(({ key, code, reason }) => [key, code, reason])).toEqual([
        ['run/plan/planner.1', 'threw', 'Error: No model today'],
        ['run/plan/planner.1#2', 'threw', 'Error: No model today'],
        ['run/plan/planner.1#3', 'threw', 'Error: No model today'],
      ]);
      expect(factsOf('plan.rejected')).toMatchObject([
        { revision: 0, by: 'planner', reason: 'Error: No model today' },
      ]);
      expect(factsOf('plan.proposed')).toEqual([]);
    },
  );

  for (const [name, garbage, code] of [
    ['nothing', undefined, 'invalid-output'],
    ['a function in its plan', () => ({ steps: [() => 'work'] }), 'not-serializable'],
    ['a plan that contains itself', () => circular(), 'not-serializable'],
  ] as const) {
    scenario(
      `by answering with ${name} has given no answer`,
      () => planning([garbage], definePolicy({ retry: noWaiting })),
      ({ report, factsOf }) => {
        expect(report).toMatchObject({ status: 'failed', reason: 'planning-failed' });
        expect(factsOf('agent.failed').map((fact) => fact.code)).toEqual([code]);
      },
    );
  }

  scenario(
    'and then succeeds costs no replan',
    () => planning([new Error('Not yet'), ['a']], definePolicy()),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'completed', replans: 0 });
      expect(factsOf('agent.called').map(({ key }) => key)).toEqual([
        'run/plan/planner.1',
        'run/plan/planner.1#2',
        'run/a/1/worker',
      ]);
    },
  );

  scenario(
    'by hanging is aborted by the timeout of every try',
    () =>
      planning([never], definePolicy({ time: { stepTimeoutMs: 1_000 }, retry: { backoffMs: 0 } })),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'failed', reason: 'planning-failed' });
      expect(report.durationMs).toBe(3_000);
      expect(factsOf('agent.failed').map((fact) => fact.code)).toEqual([
        'timeout',
        'timeout',
        'timeout',
      ]);
    },
  );

  scenario(
    'by hanging is aborted by the planning budget if that ends first',
    () =>
      planning([never], definePolicy({ time: { planningMs: 2_500, stepTimeoutMs: 1_000_000 } })),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'failed', reason: 'planning-failed' });
      expect(report.durationMs).toBe(2_500);
      expect(factsOf('time.expired')).toEqual([{ type: 'time.expired', scope: 'planning' }]);
      expect(factsOf('agent.failed')).toEqual([]);
    },
  );

  scenario(
    'by answering too late is ignored',
    (clock) =>
      planning(
        [slowly(clock, 2_501, { steps: [] })],
        definePolicy({ time: { planningMs: 2_500 }, failure: { onPlannerFailure: 'interrupt' } }),
      ),
    ({ report, factsOf }) => {
      expect(factsOf('agent.answered')).toEqual([]);
      expect(factsOf('plan.proposed')).toEqual([]);
      expect(report).toMatchObject({ status: 'timeExpired' });
    },
  );
});

const circular = (): unknown => {
  const plan: { steps: unknown[] } = { steps: [] };
  plan.steps.push(plan);
  return plan;
};

describe('a planner that fails at a replan', () => {
  for (const [name, answer, durationMs] of [
    ['by throwing', new Error('No model today'), 0],
    ['by hanging', never, 2_500],
    ['by answering nothing', undefined, 0],
  ] as const) {
    scenario(
      `${name} has spent the replan, and the run continues with its plan`,
      () =>
        planning(
          [['asks', 'b<asks', 'c<b'], answer],
          definePolicy({ retry: noWaiting, time: { planningMs: 2_500 } }),
        ),
      ({ report, factsOf }) => {
        expect(report).toMatchObject({ status: 'completed', reason: 'all-steps-completed' });
        expect(report.replans).toBe(1);
        expect(report.successfulSteps).toEqual(['asks', 'b', 'c']);
        expect(report.durationMs).toBe(durationMs);
        expect(factsOf('plan.rejected')).toMatchObject([{ revision: 1, by: 'planner' }]);
        expect(factsOf('plan.adopted')).toHaveLength(1);
      },
    );
  }

  scenario(
    'by an invalid plan is told so until the budget is spent, and the run continues',
    () => planning([['asks', 'b<asks'], ['nobody:x']], definePolicy({ limits: { maxReplans: 2 } })),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'completed', replans: 2 });
      expect(report.successfulSteps).toEqual(['asks', 'b']);
      expect(factsOf('plan.rejected').map(({ revision, by }) => [revision, by])).toEqual([
        [1, 'validation'],
        [1, 'validation'],
      ]);
      expect(factsOf('replan.started').map(({ reasons }) => reasons)).toEqual([
        ['More, please'],
        ['More, please', 'The plan is not valid'],
      ]);
      expect(factsOf('request.refused')).toMatchObject([{ bound: 'replan-limit' }]);
    },
  );

  scenario(
    'does not make the run wait for a person: onPlannerFailure interrupt',
    () =>
      planning(
        [['asks', 'b<asks'], new Error('No model today')],
        definePolicy({ retry: noWaiting, failure: { onPlannerFailure: 'interrupt' } }),
      ),
    ({ report, factsOf }) => {
      expect(report.status).toBe('completed');
      expect(factsOf('run.paused')).toEqual([]);
    },
  );
});

describe('a run that is paused after an invalid plan', () => {
  const paused = (setup: ScenarioSetup): ScenarioSetup => ({
    ...setup,
    at: { 50: (control) => control.pause(), 500: (control) => control.unpause() },
  });
  const plannedAt = (facts: readonly Fact[]): number[] =>
    facts.flatMap((fact) =>
      fact.type === 'agent.called' && fact.role === 'planner' ? [fact.at] : [],
    );

  scenario(
    'does not call the planner until it is unpaused: the first plan',
    (clock) =>
      paused(planning([slowly(clock, 100, { steps: steps('nobody:x') }), ['a']], definePolicy())),
    ({ report, facts, factsOf }) => {
      expect(facts.find((fact) => fact.type === 'plan.rejected')?.at).toBe(100);
      expect(plannedAt(facts)).toEqual([0, 500]);
      expect(factsOf('run.paused', 'run.unpaused')).toHaveLength(2);
      expect(toldBy(factsOf)[1]).toMatchObject({
        requests: ['planRejected of the plan: The plan is not valid'],
        issues: ['unknown-agent at steps[0].agent'],
      });
      // The second call is a replan even after a pause: it spends the budget.
      expect(report).toMatchObject({ status: 'completed', replans: 1, durationMs: 500 });
    },
  );

  scenario(
    'does not call the planner until it is unpaused: a later plan',
    (clock) =>
      paused(
        planning(
          [['asks', 'b<asks'], slowly(clock, 100, { steps: steps('nobody:x') }), ['c']],
          definePolicy(),
        ),
      ),
    ({ report, facts }) => {
      expect(plannedAt(facts)).toEqual([0, 0, 500]);
      expect(report).toMatchObject({ status: 'completed', replans: 2 });
      expect(report.successfulSteps).toEqual(['asks', 'c_rp1']);
    },
  );

  scenario(
    'refuses the replan after it is unpaused when no budget is left',
    (clock) =>
      paused(
        planning(
          [slowly(clock, 100, { steps: steps('nobody:x') })],
          definePolicy({ limits: { maxReplans: 0 } }),
        ),
      ),
    ({ report, facts }) => {
      expect(plannedAt(facts)).toEqual([0]);
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'no-acceptable-plan: replan-limit',
      });
      expect(report.durationMs).toBe(500);
    },
  );

  scenario(
    'does not call the planner after a missed goal, and reviews the goal once per plan',
    (clock) => {
      const { options } = planning(
        [['a']],
        definePolicy({
          gates: { goal: 80 },
          time: { limitMs: 10_000 },
        }),
      );
      const supervisor = async (): Promise<{ score: number }> => {
        await clock.sleep(100);
        return { score: 10 };
      };
      return {
        options: { ...options, supervisor },
        at: { 50: (control) => control.pause(), 9_500: (control) => control.unpause() },
      };
    },
    ({ report, facts, factsOf }) => {
      expect(plannedAt(facts)).toEqual([0]);
      expect(factsOf('verdict.given')).toHaveLength(1);
      expect(report).toMatchObject({ status: 'failed', reason: 'goal-not-achieved' });
      expect(report.durationMs).toBe(9_500);
    },
  );
});

const interrupting = (overrides: PolicyOverrides = {}): Policy =>
  definePolicy({
    retry: noWaiting,
    ...overrides,
    failure: { onPlannerFailure: 'interrupt', ...overrides.failure },
  });

describe('onPlannerFailure interrupt', () => {
  scenario(
    'waits for a person, who can have the planner called again',
    () => ({
      ...planning([new Error('No model today'), ['a']], interrupting()),
      at: { 500: (control) => control.unpause() },
    }),
    ({ report, factsOf, commands }) => {
      expect(factsOf('run.paused')).toEqual([{ type: 'run.paused', reason: 'The planner failed' }]);
      expect(factsOf('run.unpaused')).toHaveLength(1);
      expect(commands).toEqual([{ accepted: true }]);
      expect(factsOf('agent.called').map(({ key }) => key)).toEqual([
        'run/plan/planner.1',
        'run/plan/planner.2',
        'run/a/1/worker',
      ]);
      expect(toldBy(factsOf)).toMatchObject([{ revision: 0, requests: [], issues: [] }]);
      expect(report).toMatchObject({ status: 'completed', replans: 0, durationMs: 500 });
    },
  );

  scenario(
    'waits under the preset that sets it',
    () => ({
      ...planning(
        [new Error('No model today'), ['a']],
        presets.planAndExecute({ retry: noWaiting }),
      ),
      at: { 500: (control) => control.unpause() },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('run.paused')).toHaveLength(1);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'waits a bounded number of times',
    () => ({
      ...planning([new Error('No model today')], interrupting({ limits: { maxAttempts: 2 } })),
      onFact: (fact, control) => {
        if (fact.type === 'run.paused') control.unpause();
      },
    }),
    ({ report, factsOf, orchestrator }) => {
      expect(report).toMatchObject({ status: 'failed', reason: 'planning-failed' });
      expect(factsOf('run.paused')).toHaveLength(2);
      expect(factsOf('agent.called')).toHaveLength(3);
      expect(orchestrator.bounds().plannerCalls).toBeGreaterThanOrEqual(3);
    },
  );

  scenario(
    'ends the run when the person says so',
    () => ({
      ...planning([new Error('No model today')], interrupting()),
      at: { 500: (control) => control.abort('Enough') },
    }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'aborted', reason: 'Enough', durationMs: 500 });
    },
  );

  scenario(
    'ends with the time limit of the run when no command arrives',
    () =>
      planning(
        [new Error('No model today')],
        interrupting({ time: { limitMs: 10_000, graceMs: 100 } }),
      ),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'timeExpired', reason: 'time-limit' });
      expect(report.durationMs).toBe(10_000);
    },
  );

  scenario(
    'does not wait inside a sub-plan, which receives no commands: the step fails',
    () => ({
      options: {
        agents: [agentNamed('worker', () => blocked('Too hard'))],
        planner: plannerInTurn(['a'], new Error('No model today')),
        policy: interrupting({
          limits: { maxAttempts: 2, maxDepth: 1, maxReplans: 0 },
          failure: { onStepFailure: 'continue' },
        }),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('run.paused')).toEqual([]);
      expect(factsOf('subplan.ended')).toMatchObject([
        { stepId: 'a', status: 'failed', reason: 'planning-failed' },
      ]);
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed', durationMs: 0 });
    },
  );
});
