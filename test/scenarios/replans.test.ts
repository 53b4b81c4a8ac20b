import { describe, expect } from 'vitest';

import type { PlanRequest } from '../../src/agents/roles.js';
import type { AgentCall } from '../../src/agents/agent.js';
import { blocked, done, needsContext, requestReplan } from '../../src/agents/report.js';
import type { FactBody } from '../../src/model/facts.js';
import type { RunReport } from '../../src/journal/report.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
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
    'tells the planner how its plan will be merged, and the analysis of the old one',
    () => {
      const answer =
        (analysis: string, ...texts: readonly string[]) =>
        (request: PlanRequest) => ({
          analysis: `${analysis} (${request.merge}, after '${request.analysis}')`,
          steps: steps(...texts),
        });
      return replanning(
        { a: needsContext('More') },
        [answer('First', 'a', 'b'), answer('Second', 'c')],
        { replan: { merge: 'append' } },
      );
    },
    ({ factsOf }) => {
      expect(factsOf('plan.proposed').map(({ plan }) => plan?.analysis)).toEqual([
        "First (append, after '')",
        "Second (append, after 'First (append, after '')')",
      ]);
    },
  );

  scenario(
    'tells the planner what is done, waiting and missing, and keeps the partial result',
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
    'may name agents, which are only a hint for the planner',
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
    'without a planner is refused, and the run continues',
    () => {
      const options = { agents: [workerBy({ a: needsContext('More') })] };
      return { options, start: { plan: { steps: steps('a', 'b<a') } } };
    },
    ({ report, factsOf }) => {
      expect(report).toMatchObject({
        status: 'completed',
        reason: 'all-steps-completed: no-planner',
        allSucceeded: false,
        replans: 0,
      });
      expect(factsOf('request.refused')).toMatchObject([
        {
          what: 'replan',
          stepId: 'a',
          agent: 'worker',
          bound: 'no-planner',
          limit: null,
          reason: 'More',
        },
      ]);
      expect(report.successfulSteps).toEqual(['a', 'b']);
    },
  );

  scenario(
    'spends the budget when the planner is called, whatever it answers: one budget for all reasons',
    () =>
      replanning(
        {
          a: needsContext('More'),
          b_rp1: new Error('Broken'),
          c_rp2: requestReplan({ reason: 'Old' }),
        },
        [['a'], ['b'], ['stranger:x'], ['c'], new Error('No model today')],
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

describe('requests at the same moment', () => {
  const asking = (
    clock: VirtualClock,
    [a, b, c]: readonly [number, number, number],
  ): Behaviours => ({
    a: after(clock, a, needsContext('First', 'a', { confidence: 0.2 })),
    b: after(clock, b, requestReplan({ reason: 'Second' }, 'b', { confidence: 0.9 })),
    c: after(clock, c, needsContext('Third', 'c', { confidence: 0.9 })),
  });
  const heard = {
    batch: ['needsContext of a: First', 'requestReplan of b: Second', 'needsContext of c: Third'],
    first: ['needsContext of a: First'],
    highestConfidence: ['requestReplan of b: Second'],
  } as const;

  const heardSteps = { batch: ['a', 'b', 'c'], first: ['a'], highestConfidence: ['b'] } as const;

  for (const coalesce of ['batch', 'first', 'highestConfidence'] as const) {
    for (const [when, times] of [
      ['while the plan drains', [10, 20, 30]],
      ['in one tick', [30, 30, 30]],
    ] as const) {
      scenario(
        `are one planner call and one replan, ${when}: coalesce ${coalesce}`,
        (clock) =>
          replanning(asking(clock, times), [['a', 'b', 'c', 'd<a'], ['d']], {
            replan: { coalesce },
          }),
        ({ report, factsOf }) => {
          expect(factsOf('replan.requested')).toHaveLength(3);
          expect(factsOf('replan.started')).toHaveLength(1);
          expect(factsOf('replan.started')[0]?.stepIds).toEqual(heardSteps[coalesce]);
          expect(factsOf('agent.called').filter(({ role }) => role === 'planner')).toHaveLength(2);
          expect(toldBy(factsOf)[1]?.requests).toEqual(heard[coalesce]);
          expect(report).toMatchObject({ status: 'completed', replans: 1, durationMs: 30 });
          expect(report.successfulSteps).toEqual(['a', 'b', 'c', 'd_rp1']);
        },
      );
    }
  }

  scenario(
    'without a confidence: the first reaches the planner, coalesce highestConfidence',
    () =>
      replanning({ a: needsContext('First'), b: needsContext('Second') }, [['a', 'b'], ['c']], {
        replan: { coalesce: 'highestConfidence' },
      }),
    ({ factsOf }) => {
      expect(toldBy(factsOf)[1]?.requests).toEqual(['needsContext of a: First']);
    },
  );

  scenario(
    'reach the planner together with failures that happened meanwhile: coalesce batch',
    (clock) =>
      replanning(
        { a: after(clock, 10, needsContext('More')), b: after(clock, 10, new Error('Broken')) },
        [['a', 'b'], ['c']],
      ),
    ({ report, factsOf }) => {
      expect(toldBy(factsOf)[1]?.requests).toEqual([
        'needsContext of a: More',
        'stepFailed of b: Error: Broken',
      ]);
      expect(report).toMatchObject({ status: 'completed', replans: 1 });
    },
  );
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
      `replaces waiting steps, which are settled as replaced: merge ${merge}`,
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
    'is placed after waiting steps: merge append',
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
    'is placed before waiting steps: merge appendNext',
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
    'may depend on a waiting step that is kept: merge append',
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
    'may not depend on a step that it replaces: merge replacePending',
    () => replanning({ a: needsContext('More') }, [['a', 'b<a'], ['x<b'], ['x<a']]),
    ({ report, factsOf }) => {
      expect(toldBy(factsOf)[2]?.issues).toEqual(['unknown-dependency at steps[0].dependsOn[0]']);
      expect(report).toMatchObject({ status: 'completed', replans: 2 });
    },
  );

  scenario(
    'may not depend on a failed step',
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
      `that is trivial frees no step of an earlier plan from its approval: merge ${merge}`,
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
});

describe('a new plan without steps', () => {
  scenario(
    'says that nothing more is to be done',
    () =>
      replanning({ a: needsContext('More') }, [['a', 'b', 'c<b'], []], {
        limits: { maxParallel: 1 },
      }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', reason: 'all-steps-completed' });
      expect(report).toMatchObject({ allSucceeded: true, skippedSteps: ['b', 'c'] });
    },
  );

  scenario(
    'resolves no failure, so the run fails',
    () => replanning({ a: new Error('Broken') }, [['a', 'b<a', 'c'], []]),
    ({ report, factsOf }) => {
      expect(factsOf('plan.adopted')[1]).toMatchObject({ revision: 1, steps: [] });
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed', replans: 1 });
      expect(report).toMatchObject({ failedSteps: ['a'], allSucceeded: false });
      expect(report.successfulSteps).toEqual(['c']);
    },
  );

  scenario(
    'resolves no failure when another step requested it: onStepFailure continue',
    () => {
      const broken = { a: new Error('Broken'), c: needsContext('More') };
      return replanning(broken, [['a', 'c'], []], {
        failure: { onStepFailure: 'continue' },
      });
    },
    ({ report }) => {
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed', replans: 1 });
    },
  );

  for (const [score, status, reason] of [
    [90, 'completed', 'goal-achieved'],
    [10, 'failed', 'goal-not-achieved'],
  ] as const) {
    scenario(
      `leaves the decision to the supervisor where the goal has a gate: ${reason}`,
      () => {
        const { options } = replanning({ a: new Error('Broken') }, [['a', 'b'], []], {
          limits: { maxReplans: 1 },
          gates: { goal: 80 },
        });
        return { options: { ...options, supervisor: () => ({ score }) } };
      },
      ({ report }) => {
        expect(report).toMatchObject({ status, reason, allSucceeded: false, failedSteps: ['a'] });
      },
    );
  }
});

describe('merge replaceAll', () => {
  /** Step `a` asks after 10 ms; `b` would complete after 50 ms. */
  const startingOver = (
    clock: VirtualClock,
    answers: readonly PlannerAnswer[],
    overrides: PolicyOverrides = {},
  ): ScenarioSetup =>
    replanning(
      { a: after(clock, 10, needsContext('More')), b: after(clock, 50, 'did b') },
      [['a', 'b', 'c<b', 'd<a'], ...answers],
      { ...overrides, replan: { merge: 'replaceAll', ...overrides.replan } },
    );

  const endsOf = ({ steps: reported }: RunReport): (string | number | null)[][] =>
    reported.map(({ id, status, reason, endedAt }) => [id, status, reason, endedAt]);

  scenario(
    'drops running steps and their dependents immediately and replaces the rest',
    (clock) => startingOver(clock, [['x<a', 'y']]),
    ({ report, facts, factsOf }) => {
      expect(facts.find((fact) => fact.type === 'replan.started')?.at).toBe(10);
      expect(toldBy(factsOf)[1]).toMatchObject({
        completed: ['a = null'],
        failed: [],
        pending: ['b', 'c', 'd'],
      });
      expect(factsOf('plan.adopted')[1]?.replaced).toEqual(['d']);
      expect(factsOf('step.cancelled')).toEqual([
        { type: 'step.cancelled', stepId: 'b', reason: 'given-up' },
      ]);
      expect(factsOf('agent.answered').map(({ key }) => key)).not.toContain('run/b/1/worker');
      expect(endsOf(report)).toEqual([
        ['a', 'completed', null, 10],
        ['b', 'cancelled', 'given-up', 10],
        ['c', 'skipped', 'given-up', 10],
        ['d', 'skipped', 'replaced', 10],
        ['x_rp1', 'completed', null, 10],
        ['y_rp1', 'completed', null, 10],
      ]);
      expect(report).toMatchObject({ status: 'completed', reason: 'all-steps-completed' });
      expect(report.finalPlan?.steps.map(({ id }) => id)).toEqual(['a', 'x_rp1', 'y_rp1']);
    },
  );

  const given: { b?: AbortSignal } = {};
  scenario(
    'aborts the agents of the steps it drops and frees their slots',
    (clock) =>
      replanning(
        {
          a: after(clock, 10, needsContext('More')),
          b: async (call: AgentCall) => {
            given.b = call.signal;
            await clock.sleep(50, call.signal);
          },
        },
        [
          ['a', 'b'],
          ['x', 'y'],
        ],
        { limits: { maxParallel: 2 }, replan: { merge: 'replaceAll' } },
      ),
    ({ facts }) => {
      expect(given.b?.aborted).toBe(true);
      const started = facts.filter((fact) => fact.type === 'step.started');
      expect(started.map(({ stepId, slot, at }) => [stepId, slot, at])).toEqual([
        ['a', 'slot-0', 0],
        ['b', 'slot-1', 0],
        ['x_rp1', 'slot-0', 10],
        ['y_rp1', 'slot-1', 10],
      ]);
    },
  );

  scenario(
    'keeps earlier failures as history and resolves them',
    (clock) =>
      replanning(
        { a: after(clock, 10, new Error('Broken')), b: after(clock, 50, 'did b') },
        [['a', 'b'], ['x']],
        { replan: { merge: 'replaceAll' } },
      ),
    ({ report, factsOf }) => {
      expect(toldBy(factsOf)[1]).toMatchObject({
        failed: ['a: threw: Error: Broken'],
        pending: ['b'],
      });
      expect(report).toMatchObject({ status: 'completed', failedSteps: ['a'] });
      expect(report.cancelledSteps).toEqual(['b']);
    },
  );

  scenario(
    'may drop everything: a plan without steps says that nothing more is to be done',
    (clock) => startingOver(clock, [[]]),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', reason: 'all-steps-completed' });
      expect(report.successfulSteps).toEqual(['a']);
    },
  );

  for (const [name, answer, replan, reason] of [
    ['the planner fails', new Error('No model today'), {}, 'steps-left'],
    ['the new plan is the old one', ['a', 'b', 'c<b', 'd<a'], {}, 'steps-left: repeated-plan'],
    ['no plan is valid', ['stranger:x'], {}, 'steps-left: replan-limit'],
    [
      'the policy finishes at the limit',
      ['stranger:x'],
      { onLimit: 'finish' },
      'steps-left: replan-limit',
    ],
  ] as const) {
    scenario(
      `does not restore dropped steps, and the run fails, when ${name}`,
      (clock) => startingOver(clock, [answer], { limits: { maxReplans: 1 }, replan }),
      ({ report }) => {
        expect(report).toMatchObject({ status: 'failed', reason, replans: 1 });
        const isFinished = 'onLimit' in replan;
        expect(endsOf(report)).toEqual([
          ['a', 'completed', null, 10],
          ['b', 'cancelled', 'given-up', 10],
          ['c', 'skipped', 'given-up', 10],
          isFinished ? ['d', 'cancelled', 'steps-left', 10] : ['d', 'completed', null, 10],
        ]);
      },
    );
  }

  scenario(
    'runs the dependents of a dropped step under onDependencyFailure run',
    (clock) =>
      startingOver(clock, [new Error('No model today')], {
        failure: { onDependencyFailure: 'run' },
      }),
    ({ report }) => {
      expect(report.successfulSteps).toEqual(['a', 'c', 'd']);
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-left' });
    },
  );

  scenario(
    'drops steps that wait for a person: the question closes, a late answer is refused',
    (clock) => ({
      options: {
        agents: [
          workerBy({ a: after(clock, 10, needsContext('More')), x_rp1: after(clock, 50, 'did x') }),
          workerBy({}, 'architect'),
        ],
        planner: plannerInTurn(['a', 'architect:b'], ['x']),
        policy: definePolicy({
          replan: { merge: 'replaceAll' },
          approval: { agents: ['architect'] },
        }),
      },
      at: { 20: (control) => control.approve('b:1.1') },
    }),
    ({ report, commands, factsOf }) => {
      expect(factsOf('agent.called').map(({ agent }) => agent)).not.toContain('architect');
      expect(report.approvals).toMatchObject([{ stepId: 'b', outcome: 'closed' }]);
      expect(commands).toEqual([{ accepted: false, reason: 'already-decided' }]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'drops a sub-plan as a whole',
    (clock) => ({
      options: {
        agents: [
          workerBy({
            a: after(clock, 10, needsContext('More')),
            b: blocked('Too hard'),
            'b/p': after(clock, 50, 'did p'),
          }),
        ],
        planner: plannerInTurn(['a', 'b'], ['p', 'q<p'], ['x']),
        policy: definePolicy({
          replan: { merge: 'replaceAll' },
          limits: { maxAttempts: 1, maxDepth: 1 },
        }),
      },
    }),
    ({ report }) => {
      expect(endsOf(report)).toEqual([
        ['a', 'completed', null, 10],
        ['b', 'cancelled', 'given-up', 10],
        ['b/p', 'cancelled', 'parent-ended', 10],
        ['b/q', 'cancelled', 'parent-ended', 10],
        ['x_rp1', 'completed', null, 10],
      ]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'drops nothing for a request that the bound refuses',
    (clock) => startingOver(clock, [], { limits: { maxReplans: 0 } }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', cancelledSteps: [], durationMs: 50 });
      expect(report.successfulSteps).toEqual(['a', 'b', 'c', 'd']);
    },
  );

  scenario(
    'drops nothing while the run is paused',
    (clock) => ({
      ...startingOver(clock, [['x']]),
      at: { 5: (control) => control.pause(), 30: (control) => control.unpause() },
    }),
    ({ report, facts }) => {
      expect(facts.find((fact) => fact.type === 'step.cancelled')?.at).toBe(30);
      expect(facts.find((fact) => fact.type === 'replan.started')?.at).toBe(30);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'can start over repeatedly, and every step settles once',
    (clock) => {
      const asks = after(clock, 10, needsContext('More'));
      const runs = after(clock, 50, 'done');
      return replanning(
        { a: asks, b: runs, a_rp1: asks, b_rp1: runs, a_rp2: asks, b_rp2: runs },
        [['a', 'b', 'c<b']],
        { replan: { merge: 'replaceAll', stopOnRepeatedPlan: false } },
      );
    },
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', replans: 3, durationMs: 30 });
      expect(report.cancelledSteps).toEqual(['b', 'b_rp1', 'b_rp2']);
      expect(report.skippedSteps).toEqual(['c', 'c_rp1', 'c_rp2']);
      expect(report.successfulSteps.slice(-3)).toEqual(['a_rp3', 'b_rp3', 'c_rp3']);
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
    'keeps its output when a new plan reuses its name',
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
