import { describe, expect, it } from 'vitest';
import { createActor, toPromise } from 'xstate';

import { PlanError } from '../../src/errors.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { planning } from '../faults/plans-planning.js';
import { scenario } from './harness.js';
import type { PlannerAnswer } from './planners.js';
import { plannerInTurn, toldBy } from './planners.js';
import { agentNamed, steps } from './team.js';

const worker = agentNamed('worker', (call) => `did ${call.step.id}`);

describe('the first plan', () => {
  scenario(
    'is made by the planner, reviewed, adopted and executed',
    () => planning([['a', 'b<a']]),
    ({ report, facts, factsOf }) => {
      expect(facts.slice(0, 7).map((fact) => fact.type)).toEqual([
        'run.started',
        'phase.entered',
        'agent.called',
        'agent.answered',
        'plan.proposed',
        'plan.adopted',
        'phase.entered',
      ]);
      expect(factsOf('plan.adopted')).toEqual([
        {
          type: 'plan.adopted',
          parentStepId: null,
          revision: 0,
          steps: [
            {
              id: 'a',
              agent: 'worker',
              task: 'Do the work of step a',
              complexity: 'medium',
              dependsOn: [],
            },
            {
              id: 'b',
              agent: 'worker',
              task: 'Do the work of step b',
              complexity: 'medium',
              dependsOn: ['a'],
            },
          ],
          replaced: [],
        },
      ]);
      expect(toldBy(factsOf)).toEqual([
        { revision: 0, completed: [], failed: [], pending: [], requests: [], issues: [] },
      ]);
      expect(report).toMatchObject({ status: 'completed', reason: 'all-steps-completed' });
      expect(report.replans).toBe(0);
      expect(report.originalPlan).toEqual(report.finalPlan);
    },
  );

  scenario(
    'may be given with the goal; then the planner is not called',
    () => ({
      ...planning([new Error('The planner must not be called')]),
      start: { plan: { analysis: 'Known beforehand', steps: steps('a') } },
    }),
    ({ report, factsOf }) => {
      expect(report.status).toBe('completed');
      expect(factsOf('plan.proposed')).toMatchObject([
        { revision: 0, origin: 'given', plan: { analysis: 'Known beforehand' } },
      ]);
      expect(factsOf('agent.called').map((fact) => fact.role)).toEqual(['worker']);
    },
  );

  scenario(
    'tells each agent its position and the planner’s analysis of the goal',
    () => ({
      options: {
        agents: [agentNamed('worker', ({ step, summary }) => `${step.position}: ${summary}`)],
        planner: () => ({ analysis: 'Two of a kind', steps: steps('a', 'b') }),
      },
    }),
    ({ report }) => {
      expect(report.steps.map((step) => step.output)).toEqual([
        'Step 1 of 2: Two of a kind',
        'Step 2 of 2: Two of a kind',
      ]);
    },
  );
});

const validStep = { id: 'a', agent: 'worker', task: 'Do the work of step a' };

/** Mistakes that test/faults/plans-refused.test.ts does not cover. */
const invalidPlans: readonly (readonly [string, PlannerAnswer, string])[] = [
  ['no task', { steps: [{ ...validStep, task: ' ' }] }, 'empty-task at steps[0].task'],
  [
    'a step of the wrong shape',
    { steps: [{ ...validStep, id: 7 }] },
    'invalid-shape at steps[0].id',
  ],
];

describe('an invalid plan', () => {
  for (const [name, plan, issue] of invalidPlans) {
    scenario(
      `with ${name} goes back to the planner, which is told why`,
      () => planning([plan, ['a']]),
      ({ report, factsOf }) => {
        expect(factsOf('plan.rejected')).toMatchObject([
          { revision: 0, by: 'validation', reason: 'The plan is not valid' },
        ]);
        expect(toldBy(factsOf)).toEqual([
          null,
          expect.objectContaining({
            revision: 0,
            requests: ['planRejected of the plan: The plan is not valid'],
            issues: [issue],
          }),
        ]);
        expect(factsOf('agent.called').filter(({ role }) => role === 'planner')).toHaveLength(2);
        expect(report).toMatchObject({ status: 'completed', replans: 1, successfulSteps: ['a'] });
      },
    );
  }

  scenario(
    'reports everything that is wrong at once',
    () => planning([['nobody:a', 'b<z', '9'], ['a']]),
    ({ factsOf }) => {
      expect(factsOf('plan.rejected')[0]?.issues.map(({ code, path }) => [code, path])).toEqual([
        ['unknown-agent', 'steps[0].agent'],
        ['invalid-step-id', 'steps[2].id'],
        ['unknown-dependency', 'steps[1].dependsOn[0]'],
      ]);
    },
  );

  scenario(
    'that is repeated ends the run at the replan bound, and no step runs',
    () => planning([['nobody:a']], { limits: { maxReplans: 2 } }),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'no-acceptable-plan: replan-limit',
        replans: 2,
      });
      expect(factsOf('plan.rejected')).toHaveLength(3);
      expect(factsOf('replan.started').map(({ replans }) => replans)).toEqual([1, 2]);
      expect(factsOf('request.refused')).toMatchObject([{ bound: 'replan-limit' }]);
      expect(factsOf('agent.called').map(({ key }) => key)).toEqual([
        'run/plan/planner.1',
        'run/plan/planner.2',
        'run/plan/planner.3',
      ]);
      expect(report.originalPlan).toBeNull();
      expect(report.steps).toEqual([]);
    },
  );

  scenario(
    'ends the run immediately when the policy allows no replan',
    () => planning([['nobody:a']], { limits: { maxReplans: 0 } }),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'no-acceptable-plan: replan-limit',
      });
      expect(factsOf('agent.called')).toHaveLength(1);
    },
  );

  scenario(
    'at the bound fails the run with replan-limit: onLimit fail',
    () => planning([['nobody:a']], { limits: { maxReplans: 1 }, replan: { onLimit: 'fail' } }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'failed', reason: 'replan-limit' });
    },
  );

  for (const onLimit of ['continue', 'finish', 'askHuman'] as const) {
    scenario(
      `at the bound fails the run with no-acceptable-plan: onLimit ${onLimit}`,
      () => planning([['nobody:a']], { limits: { maxReplans: 0 }, replan: { onLimit } }),
      ({ report, factsOf }) => {
        expect(report).toMatchObject({
          status: 'failed',
          reason: 'no-acceptable-plan: replan-limit',
        });
        expect(factsOf('approval.requested')).toEqual([]);
      },
    );
  }
});

describe('a given plan that is invalid', () => {
  const options = { agents: [worker], planner: plannerInTurn(['b']) };

  it('is refused by start() with all its issues', () => {
    const orchestrator = composeOrchestrator(options, undefined);
    const start = () => orchestrator.start({ goal: 'A goal', plan: { steps: steps('nobody:a') } });
    expect(start).toThrow(PlanError);
    expect(start).toThrow(/Unknown agent "nobody"; known agents: worker/);
  });

  it('is replaced by the planner when the machine runs on its own', async () => {
    const { machine } = composeOrchestrator(options, undefined);
    const input = { goal: 'A goal', plan: { steps: steps('nobody:a') } };
    const output = await toPromise(createActor(machine, { input }).start());
    expect(output).toMatchObject({ status: 'completed', outputKeys: ['run/b/1/worker'] });
  });

  it('ends the run when the machine runs on its own and there is no planner', async () => {
    const { machine } = composeOrchestrator({ agents: [worker] }, undefined);
    const input = { goal: 'A goal', plan: { steps: steps('nobody:a') } };
    const output = await toPromise(createActor(machine, { input }).start());
    expect(output).toMatchObject({ status: 'failed', reason: 'no-acceptable-plan: no-planner' });
  });
});
