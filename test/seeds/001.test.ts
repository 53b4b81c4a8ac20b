import { describe, expect } from 'vitest';

import type { PlanRequest } from '../../src/agents/roles.js';
import type { AgentCall } from '../../src/agents/agent.js';
import { done, needsContext } from '../../src/agents/report.js';
import { after } from '../scenarios/by-step.js';
import type { ScenarioResult, ScenarioSetup } from '../scenarios/harness.js';
import { scenario } from '../scenarios/harness.js';
import { toldBy } from '../scenarios/planners.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { bounded, plannerCalls, startsOf } from './001-bounded.js';

const asks = needsContext('Need access to related configuration files', 'Partial result');

const asText = (output: unknown): string =>
  typeof output === 'string' ? output : JSON.stringify(output);

describe('seed 001, how it works', () => {
  scenario(
    'normal execution: no worker needs more context, and nothing is planned again',
    (clock) =>
      bounded({ step_1: after(clock, 100, done('Step result')) }, [['step_1', 'step_2<step_1']]),
    (result) => {
      const { factsOf, report } = result;
      expect(factsOf('replan.requested', 'replan.started', 'request.refused')).toEqual([]);
      expect(plannerCalls(result)).toBe(1);
      expect(report).toMatchObject({ status: 'completed', replans: 0, allSucceeded: true });
      expect(report.steps[0]).toMatchObject({
        id: 'step_1',
        status: 'completed',
        output: 'Step result',
        durationMs: 100,
      });
      expect(report.finalPlan).toEqual(report.originalPlan);
    },
  );

  scenario(
    'a worker needs more context: its partial result counts, execution pauses, plans, merges and resumes',
    (clock) => bounded({ step_1: after(clock, 100, asks) }, [['step_1', 'step_2<step_1'], ['x']]),
    (result) => {
      const { facts, report } = result;
      const from = facts.findIndex(({ type, at }) => type === 'agent.answered' && at === 100);
      expect(facts.slice(from, from + 11)).toMatchObject([
        { type: 'agent.answered', report: 'needsContext', output: 'Partial result' },
        { type: 'step.completed', stepId: 'step_1', attempts: 1 },
        {
          type: 'replan.requested',
          kind: 'needsContext',
          stepId: 'step_1',
          reason: 'Need access to related configuration files',
        },
        { type: 'phase.entered', phase: 'draining' },
        { type: 'phase.entered', phase: 'replanning' },
        { type: 'replan.started', replans: 1, maxReplans: 2 },
        { type: 'agent.called', role: 'planner' },
        { type: 'agent.answered', role: 'planner' },
        { type: 'plan.proposed', revision: 1, origin: 'planner' },
        { type: 'plan.adopted', revision: 1, steps: [{ id: 'x_rp1' }], replaced: ['step_2'] },
        { type: 'step.skipped', stepId: 'step_2', reason: 'replaced' },
      ]);
      expect(startsOf(result)).toEqual([
        ['step_1', 0],
        ['x_rp1', 100],
      ]);
      expect(report.steps[0]).toMatchObject({ status: 'completed', output: 'Partial result' });
      expect(report).toMatchObject({ status: 'completed', replans: 1, allSucceeded: true });
    },
  );

  scenario(
    'pauses at the current level: running steps finish, and nothing new starts before the plan',
    (clock) =>
      bounded(
        {
          step_1: after(clock, 10, asks),
          step_2: after(clock, 20, 'Done'),
          step_3: after(clock, 50, 'Done'),
        },
        [['step_1', 'step_2', 'step_3', 'step_4<step_2'], ['step_5<step_3']],
      ),
    (result) => {
      expect(startsOf(result)).toEqual([
        ['step_1', 0],
        ['step_2', 0],
        ['step_3', 0],
        ['step_5_rp1', 50],
      ]);
      expect(toldBy(result.factsOf)[1]).toMatchObject({
        completed: ['step_1 = "Partial result"', 'step_2 = "Done"', 'step_3 = "Done"'],
        pending: ['step_4'],
      });
    },
  );

  /** The seed's prompt, made only of what a planner is told. */
  const promptOf = ({ goal, completed, failed, requests }: PlanRequest): string =>
    [
      `Original plan: ${goal}`,
      `Steps completed: ${completed.map(({ stepId }) => stepId).join(', ')}`,
      `Steps failed: ${failed.map(({ stepId }) => stepId).join(', ') || 'none'}`,
      'Completed results:',
      ...completed.map(({ stepId, output }) => `- ${stepId}: ${asText(output)}`),
      ...requests.map(({ reason }) => `Context suggestion from worker: ${reason}`),
    ].join('\n');

  const building = (step1: unknown): ScenarioSetup => ({
    ...bounded(
      {
        step_1: step1,
        step_2: needsContext('Need database migration strategy', 'JWT middleware implemented'),
      },
      [
        ['step_1', 'step_2'],
        (request: PlanRequest) => ({ analysis: promptOf(request), steps: steps('migrate') }),
      ],
    ),
    start: { goal: 'Implement authentication system' },
  });

  scenario(
    'the planner is told everything in the example prompt of the seed',
    () => building('User model created with email validation'),
    ({ factsOf }) => {
      expect(factsOf('plan.proposed')[1]?.plan?.analysis).toBe(
        [
          'Original plan: Implement authentication system',
          'Steps completed: step_1, step_2',
          'Steps failed: none',
          'Completed results:',
          '- step_1: User model created with email validation',
          '- step_2: JWT middleware implemented',
          'Context suggestion from worker: Need database migration strategy',
        ].join('\n'),
      );
    },
  );

  scenario(
    'the planner is told of failed steps, and their results are not among the completed',
    () => building(new Error('No model')),
    ({ factsOf }) => {
      expect(factsOf('plan.proposed')[1]?.plan?.analysis.split('\n').slice(1, 5)).toEqual([
        'Steps completed: step_2',
        'Steps failed: step_1',
        'Completed results:',
        '- step_2: JWT middleware implemented',
      ]);
    },
  );
});

describe('seed 001, the bound', () => {
  /** Sends a request in the first, the second and the third plan. */
  const askingThrice = (onLimit: 'continue' | 'finish'): ScenarioSetup =>
    bounded(
      { step_1: asks, step_2_rp1: asks, step_3_rp2: asks },
      [['step_1'], ['step_2<step_1'], ['step_3<step_2_rp1', 'step_4<step_3']],
      { replan: { onLimit } },
    );

  const expectTwoReplans = (result: ScenarioResult): void => {
    const { factsOf, report } = result;
    expect(factsOf('replan.requested')).toHaveLength(3);
    expect(
      factsOf('replan.started').map(({ replans, maxReplans }) => [replans, maxReplans]),
    ).toEqual([
      [1, 2],
      [2, 2],
    ]);
    expect(factsOf('request.refused')).toMatchObject([{ limit: 2, bound: 'replan-limit' }]);
    expect(plannerCalls(result)).toBe(3);
    expect(report.replans).toBe(2);
    expect(report.steps.slice(0, 3).map(({ output }) => output)).toEqual([
      'Partial result',
      'Partial result',
      'Partial result',
    ]);
  };

  scenario(
    'is two iterations: the third request is refused, and planned steps still run',
    () => askingThrice('continue'),
    (result) => {
      expectTwoReplans(result);
      expect(result.report).toMatchObject({
        status: 'completed',
        reason: 'all-steps-completed: replan-limit',
        allSucceeded: false,
      });
      expect(result.report.successfulSteps).toEqual([
        'step_1',
        'step_2_rp1',
        'step_3_rp2',
        'step_4_rp2',
      ]);
    },
  );

  scenario(
    'is two iterations: the third request ends the run with the results so far, under onLimit finish',
    () => askingThrice('finish'),
    (result) => {
      expectTwoReplans(result);
      expect(result.report).toMatchObject({ status: 'failed', reason: 'steps-left: replan-limit' });
      expect(result.report.cancelledSteps).toEqual(['step_4_rp2']);
    },
  );

  scenario(
    'holds for a worker that always asks and a planner that always adds ten steps',
    () => {
      const tenSteps = (name: string): string[] =>
        Array.from({ length: 10 }, (_, index) => `${name}${index}`);
      const { options } = bounded({}, [tenSteps('a'), tenSteps('b'), tenSteps('c')]);
      return { options: { ...options, agents: [agentNamed('worker', () => asks)] } };
    },
    (result) => {
      expect(plannerCalls(result)).toBe(3);
      expect(result.report).toMatchObject({ status: 'completed', replans: 2 });
      // Five of the first, five of the second, all ten of the third plan.
      expect(result.report.successfulSteps).toHaveLength(20);
      expect(result.report.skippedSteps).toHaveLength(10);
      expect(result.orchestrator.bounds()).toMatchObject({
        plannerCalls: 3,
        replans: 2,
        steps: 30,
      });
    },
  );

  scenario(
    'is not reached by a run that needs less: it ends when no worker needs more context',
    () => bounded({ step_1: asks }, [['step_1'], ['step_2'], ['step_3']]),
    (result) => {
      expect(plannerCalls(result)).toBe(2);
      expect(result.report).toMatchObject({ status: 'completed', replans: 1 });
      expect(result.report.successfulSteps).toEqual(['step_1', 'step_2_rp1']);
    },
  );

  scenario(
    'can be configured: with one iteration the second request is refused',
    () =>
      bounded({ step_1: asks, step_2_rp1: asks }, [['step_1'], ['step_2']], {
        limits: { maxReplans: 1 },
      }),
    (result) => {
      expect(plannerCalls(result)).toBe(2);
      expect(result.factsOf('request.refused')).toMatchObject([{ limit: 1 }]);
    },
  );
});

describe('seed 001, context preservation', () => {
  scenario(
    'a completed step is executed once, whatever is planned later, and its result is available to new steps',
    () => {
      const seen = (call: AgentCall): unknown =>
        done(call.dependencies.map(({ stepId, output }) => `${stepId}: ${asText(output)}`));
      return bounded({ step_1: 'The model', step_2: asks, step_2_rp1: asks, step_3_rp2: seen }, [
        ['step_1', 'step_2<step_1'],
        ['step_2<step_1'],
        ['step_3<step_1,step_2_rp1'],
      ]);
    },
    ({ factsOf, report }) => {
      const worked = factsOf('agent.called').filter(({ role }) => role === 'worker');
      expect(worked.map(({ key }) => key)).toEqual([
        'run/step_1/1/worker',
        'run/step_2/1/worker',
        'run/step_2_rp1/1/worker',
        'run/step_3_rp2/1/worker',
      ]);
      expect(report.steps.at(-1)?.output).toEqual([
        'step_1: The model',
        'step_2_rp1: Partial result',
      ]);
    },
  );

  scenario(
    'what the planner is told grows with the completed steps',
    () => bounded({ step_1: asks, step_3_rp1: asks }, [['step_1'], ['step_2', 'step_3'], ['x']]),
    ({ factsOf }) => {
      expect(toldBy(factsOf).map((told) => told?.completed.length)).toEqual([0, 1, 3]);
    },
  );
});

describe('seed 001, merging', () => {
  scenario(
    'new steps get new ids, and dependencies follow them or stay with completed steps',
    () =>
      bounded({ step_1: asks, step_1_rp1: asks }, [
        ['step_1', 'step_2<step_1'],
        ['step_1', 'step_2<step_1', 'step_3<step_2'],
        ['step_2<step_1_rp1', 'step_3<step_2,step_1'],
      ]),
    ({ factsOf, report }) => {
      const edges = factsOf('plan.adopted').map(({ steps: added }) =>
        added.map(({ id, dependsOn }) => `${id} < ${dependsOn.join(', ')}`),
      );
      expect(edges).toEqual([
        ['step_1 < ', 'step_2 < step_1'],
        ['step_1_rp1 < ', 'step_2_rp1 < step_1_rp1', 'step_3_rp1 < step_2_rp1'],
        ['step_2_rp2 < step_1_rp1', 'step_3_rp2 < step_2_rp2, step_1'],
      ]);
      expect(report.skippedSteps).toEqual(['step_2', 'step_2_rp1', 'step_3_rp1']);
      expect(report.successfulSteps).toEqual(['step_1', 'step_1_rp1', 'step_2_rp2', 'step_3_rp2']);
    },
  );

  scenario(
    'every step keeps the complexity its planner gave it, old and new together',
    () => {
      const [first] = steps('step_1');
      const [second, third] = steps('step_2', 'step_3<step_2');
      return bounded({ step_1: asks }, [
        { steps: [{ ...first, complexity: 'simple' }] },
        { steps: [{ ...second, complexity: 'complex' }, third] },
      ]);
    },
    ({ report }) => {
      expect(report.finalPlan?.steps.map(({ id, complexity }) => [id, complexity])).toEqual([
        ['step_1', 'simple'],
        ['step_2_rp1', 'complex'],
        ['step_3_rp1', 'medium'],
      ]);
    },
  );
});
