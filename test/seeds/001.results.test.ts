import { describe, expect } from 'vitest';
import { z } from 'zod';

import type { PlanRequest } from '../../src/agents/roles.js';
import type { AgentCall } from '../../src/agents/agent.js';
import { done, needsContext } from '../../src/agents/report.js';
import type { FactType } from '../../src/model/facts.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import type { Behaviours } from '../scenarios/by-step.js';
import { after, workerBy } from '../scenarios/by-step.js';
import type { ScenarioSetup } from '../scenarios/harness.js';
import { scenario } from '../scenarios/harness.js';
import { toldBy } from '../scenarios/planners.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { bounded, plannerCalls, startsOf } from './001-bounded.js';

const broken = new Error('Broken');

describe('seed 001, the configuration', () => {
  scenario(
    'dispatcher: the worker map decides which agent does the work',
    () => {
      const workerMap = new Map<string, (call: AgentCall) => unknown>([
        ['coder', ({ task }) => `coded: ${task}`],
        ['tester', ({ task }) => `tested: ${task}`],
      ]);
      const idle = (name: string) => agentNamed(name, () => 'was not called');
      return {
        options: {
          ...bounded({}, []).options,
          agents: [idle('coder'), idle('tester')],
          dispatcher: (agent, call) => workerMap.get(agent.name)?.(call),
        },
        start: { plan: { steps: steps('coder:step_1', 'tester:step_2<step_1') } },
      };
    },
    (result) => {
      expect(plannerCalls(result)).toBe(0);
      expect(result.report.steps.map(({ output }) => output)).toEqual([
        'coded: Do the work of step step_1',
        'tested: Do the work of step step_2',
      ]);
    },
  );

  scenario(
    'maxParallel 5: seven steps of a level run five at a time',
    (clock) => {
      const ids = Array.from({ length: 7 }, (_, index) => `step_${index + 1}`);
      const slow = Object.fromEntries(ids.map((id) => [id, after(clock, 100, 'Done')]));
      return bounded(slow, [ids]);
    },
    (result) => {
      expect(startsOf(result).map(([, at]) => at)).toEqual([0, 0, 0, 0, 0, 100, 100]);
      expect(result.report).toMatchObject({ status: 'completed', durationMs: 200 });
    },
  );

  scenario(
    'stepTimeoutMs 60000: a worker that hangs fails after a minute and is not retried',
    (clock) => bounded({ step_1: after(clock, 3_000_000, 'Late') }, [['step_1', 'step_2']]),
    ({ facts, factsOf, report }) => {
      expect(facts.find(({ type }) => type === 'step.failed')).toMatchObject({
        stepId: 'step_1',
        code: 'timeout',
        attempts: 1,
        at: 60_000,
      });
      expect(factsOf('agent.failed')).toHaveLength(1);
      expect(report.successfulSteps).toEqual(['step_2']);
    },
  );

  scenario(
    'continueOnError true: steps that do not depend on the failure continue, and the planner is not called',
    () => bounded({ step_1: broken }, [['step_1', 'step_2<step_1', 'step_3', 'step_4<step_3']]),
    (result) => {
      expect(plannerCalls(result)).toBe(1);
      expect(result.report.successfulSteps).toEqual(['step_3', 'step_4']);
      expect(result.report.skippedSteps).toEqual(['step_2']);
      expect(result.report).toMatchObject({ status: 'failed', reason: 'steps-failed' });
    },
  );

  scenario(
    'continueOnError false: the first failure ends the run',
    () =>
      bounded({ step_1: broken }, [['step_1', 'step_2', 'step_3']], {
        limits: { maxParallel: 1 },
        failure: { onStepFailure: 'stop' },
      }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'failed', reason: 'step-failed' });
      expect(report.cancelledSteps).toEqual(['step_2', 'step_3']);
    },
  );

  scenario(
    'planner maxSteps 10: the planner is told the limits, and a plan of eleven is not adopted',
    () => {
      const eleven = Array.from({ length: 11 }, (_, index) => `step_${index}`);
      const limits = ({ limits: { maxSteps, maxReplans } }: PlanRequest): unknown => ({
        analysis: `at most ${maxSteps} steps, ${maxReplans} more plans`,
        steps: steps(...eleven.slice(1)),
      });
      return bounded({}, [eleven, limits]);
    },
    ({ factsOf, report }) => {
      expect(factsOf('plan.rejected')).toMatchObject([
        { by: 'validation', issues: [{ code: 'plan-too-large', path: 'steps' }] },
      ]);
      expect(factsOf('plan.proposed')[1]?.plan?.analysis).toBe('at most 10 steps, 2 more plans');
      expect(report.successfulSteps).toHaveLength(10);
    },
  );
});

describe('seed 001, the execution result', () => {
  scenario(
    'has every result, the three lists of steps, the times, the iterations, the original and the final plan',
    (clock) =>
      bounded(
        {
          step_1: after(clock, 100, needsContext('Need the schema', 'Partial result')),
          step_2: after(clock, 50, broken),
          step_5_rp1: after(clock, 200, 'The schema'),
        },
        [['step_1', 'step_2', 'step_3<step_2', 'step_4<step_1'], ['step_5']],
      ),
    ({ report }) => {
      expect(Object.fromEntries(report.steps.map(({ id, output }) => [id, output]))).toEqual({
        step_1: 'Partial result',
        step_2: null,
        step_3: null,
        step_4: null,
        step_5_rp1: 'The schema',
      });
      expect(report).toMatchObject({
        successfulSteps: ['step_1', 'step_5_rp1'],
        failedSteps: ['step_2'],
        skippedSteps: ['step_3', 'step_4'],
        durationMs: 300,
        allSucceeded: false,
        replans: 1,
      });
      const idsOf = (plan: typeof report.finalPlan) => plan?.steps.map(({ id }) => id);
      expect(idsOf(report.originalPlan)).toEqual(['step_1', 'step_2', 'step_3', 'step_4']);
      expect(idsOf(report.finalPlan)).toEqual(['step_1', 'step_2', 'step_3', 'step_5_rp1']);
    },
  );

  scenario(
    'has every field of a worker result: data or error, duration, tokens, and what was missing',
    (clock) => {
      const usage = { inputTokens: 10, outputTokens: 20 };
      return bounded(
        {
          step_1: after(clock, 100, done({ files: 2 }, { usage })),
          step_2: after(clock, 40, broken),
          step_3: after(clock, 70, needsContext('Need the schema', ['half'])),
        },
        [['step_1', 'step_2', 'step_3'], ['step_4']],
      );
    },
    ({ factsOf, report }) => {
      expect(
        report.steps
          .slice(0, 3)
          .map(({ id, status, output, code, reason, durationMs }) => [
            id,
            status,
            output,
            code,
            reason,
            durationMs,
          ]),
      ).toEqual([
        ['step_1', 'completed', { files: 2 }, null, null, 100],
        ['step_2', 'failed', null, 'threw', 'Error: Broken', 40],
        ['step_3', 'completed', ['half'], null, null, 70],
      ]);
      expect(report.usage).toEqual({ inputTokens: 10, outputTokens: 20, costUsd: 0 });
      expect(factsOf('replan.requested')).toMatchObject([
        { stepId: 'step_3', reason: 'Need the schema' },
      ]);
    },
  );

  scenario(
    'has only data that matches the schema of the worker',
    () => {
      const answers = { step_1: done({ files: 2 }), step_2: done({ files: 'two' }) };
      const { options } = bounded({}, [['step_1', 'step_2']]);
      const output = z.object({ files: z.number() });
      return { options: { ...options, agents: [{ ...workerBy(answers), output }] } };
    },
    ({ report }) => {
      expect(report.steps.map(({ status, output, code }) => [status, output, code])).toEqual([
        ['completed', { files: 2 }, null],
        ['failed', null, 'invalid-output'],
      ]);
    },
  );

  scenario(
    'allows comparing the times of the original and of the re-planned steps',
    (clock) =>
      bounded(
        {
          step_1: after(clock, 100, needsContext('More')),
          step_2_rp1: after(clock, 50, 'Done'),
          step_3_rp1: after(clock, 200, 'Done'),
        },
        [['step_1'], ['step_2', 'step_3<step_2']],
      ),
    ({ report }) => {
      expect(report.steps.map(({ revision, durationMs }) => [revision, durationMs])).toEqual([
        [0, 100],
        [1, 50],
        [1, 200],
      ]);
      expect(
        report.plans.map(({ revision, origin, status }) => [revision, origin, status]),
      ).toEqual([
        [0, 'planner', 'adopted'],
        [1, 'planner', 'adopted'],
      ]);
    },
  );
});

describe('seed 001, the log', () => {
  const longSuggestion = `Need ${'the details of it, '.repeat(20)}please`;

  /** Everything the seed logs happens once: a plan is merged, a planner fails, the bound is reached. */
  const eventful = (): ScenarioSetup =>
    bounded(
      {
        step_1: needsContext(longSuggestion),
        step_2_rp1: needsContext('Second'),
        step_3_rp1: needsContext('Third'),
      },
      [['step_1'], ['step_2', 'step_3<step_2'], new Error('No model today')],
    );

  scenario('has a fact for each of the eight events, in order', eventful, ({ facts, factsOf }) => {
    const logged: readonly FactType[] = [
      'run.started', // Starting plan execution with re-planning support
      'replan.requested', // Step needs more context - triggering re-plan
      'phase.entered', // Pausing execution for re-planning
      'replan.started', // Calling planner for re-planning
      'plan.adopted', // Plan updated with new steps from re-planning
      'plan.rejected', // Failed during re-planning
      'request.refused', // Max re-plan iterations reached
      'run.ended', // Plan execution completed
    ];
    const lines = facts.flatMap((fact) => {
      if (fact.type === 'phase.entered' && fact.phase !== 'draining') return [];
      return logged.includes(fact.type) ? [fact.type] : [];
    });
    expect(lines).toEqual([
      'run.started',
      'plan.adopted',
      ...['replan.requested', 'phase.entered', 'replan.started', 'plan.adopted'],
      ...['replan.requested', 'phase.entered', 'replan.started', 'plan.rejected'],
      ...['replan.requested', 'request.refused'],
      'run.ended',
    ]);
    expect(factsOf('run.ended')).toMatchObject([{ status: 'completed' }]);
  });

  scenario(
    'has the run, the iteration, the maximum and the whole suggestion',
    eventful,
    ({ factsOf }) => {
      expect(factsOf('run.started')).toMatchObject([{ runId: 'run' }]);
      expect(factsOf('agent.called').every(({ key }) => key.startsWith('run/'))).toBe(true);
      expect(factsOf('replan.started')).toMatchObject([
        { replans: 1, maxReplans: 2, reasons: [longSuggestion] },
        { replans: 2, maxReplans: 2, reasons: ['Second'] },
      ]);
      expect(factsOf('request.refused')).toMatchObject([{ limit: 2 }]);
      expect(factsOf('replan.requested').map(({ stepId, agent }) => [stepId, agent])).toEqual([
        ['step_1', 'worker'],
        ['step_2_rp1', 'worker'],
        ['step_3_rp1', 'worker'],
      ]);
    },
  );
});

describe('seed 001, the future enhancements', () => {
  /** Two workers of one level send a request, the less sure one first. */
  const asking = (clock: VirtualClock): Behaviours => ({
    step_1: after(clock, 10, needsContext('Need the tests', 'A', { confidence: 0.4 })),
    step_2: after(clock, 20, needsContext('Need the schema', 'B', { confidence: 0.8 })),
  });

  scenario(
    'batch re-planning: requests of several workers reach the planner in one call',
    (clock) => bounded(asking(clock), [['step_1', 'step_2'], ['step_3<step_1,step_2']]),
    (result) => {
      expect(toldBy(result.factsOf)[1]?.requests).toEqual([
        'needsContext of step_1: Need the tests',
        'needsContext of step_2: Need the schema',
      ]);
      expect(plannerCalls(result)).toBe(2);
      expect(result.report.replans).toBe(1);
    },
  );

  scenario(
    'suggestion ranking: the request of the surest worker reaches the planner',
    (clock) =>
      bounded(asking(clock), [['step_1', 'step_2'], ['step_3<step_2']], {
        replan: { coalesce: 'highestConfidence' },
      }),
    (result) => {
      expect(result.factsOf('replan.requested').map(({ confidence }) => confidence)).toEqual([
        0.4, 0.8,
      ]);
      expect(toldBy(result.factsOf)[1]?.requests).toEqual([
        'needsContext of step_2: Need the schema',
      ]);
      expect(result.report.replans).toBe(1);
    },
  );
});
