import { describe, expect } from 'vitest';

import { needsContext } from '../../src/agents/report.js';
import { presets } from '../../src/policy/presets.js';
import { after, workerBy } from '../scenarios/by-step.js';
import type { ScenarioResult, ScenarioSetup } from '../scenarios/harness.js';
import { scenario } from '../scenarios/harness.js';
import { steps } from '../scenarios/team.js';
import { bounded, plannerCalls, startsOf } from './001-bounded.js';

/** One of the seed's use cases: a goal of one step that finds out what it needs, and the three steps planned then. */
interface UseCase {
  readonly goal: string;
  readonly first: string;
  readonly needs: string;
  readonly next: readonly [string, string, string];
}

const chain = (tasks: readonly string[], from: number): Record<string, unknown>[] =>
  tasks.map((task, index) => ({
    id: `step_${from + index}`,
    agent: 'worker',
    task,
    dependsOn: index === 0 ? [] : [`step_${from + index - 1}`],
  }));

const played = ({ goal, first, needs, next }: UseCase): ScenarioSetup => ({
  ...bounded({ step_1: needsContext(needs, `Partial: ${first}`) }, [
    { steps: chain([first], 1) },
    { steps: chain(next, 2) },
  ]),
  start: { goal },
});

const expectAdapted = (result: ScenarioResult, { first, needs, next }: UseCase): void => {
  const { factsOf, report } = result;
  expect(factsOf('replan.requested').map(({ stepId, reason }) => [stepId, reason])).toEqual([
    ['step_1', needs],
  ]);
  expect(report.originalPlan?.steps.map(({ task }) => task)).toEqual([first]);
  expect(report.finalPlan?.steps.map(({ id, task }) => [id, task])).toEqual([
    ['step_1', first],
    ['step_2_rp1', next[0]],
    ['step_3_rp1', next[1]],
    ['step_4_rp1', next[2]],
  ]);
  expect(startsOf(result).map(([stepId]) => stepId)).toEqual([
    'step_1',
    'step_2_rp1',
    'step_3_rp1',
    'step_4_rp1',
  ]);
  expect(report.steps[0]?.output).toBe(`Partial: ${first}`);
  expect(report).toMatchObject({ status: 'completed', replans: 1, allSucceeded: true });
};

const codeAnalysis: UseCase = {
  goal: 'Analyze module',
  first: 'Review imports and exports',
  needs: 'Need access to dependencies',
  next: [
    'Analyze dependent modules',
    'Map dependency graph',
    'Identify optimization opportunities',
  ],
};

const research: UseCase = {
  goal: 'Research framework best practices',
  first: 'Search documentation',
  needs: 'Need more details on performance patterns',
  next: [
    'Research performance optimization patterns',
    'Benchmark implementation approaches',
    'Synthesize recommendations',
  ],
};

const refactoring: UseCase = {
  goal: 'Refactor legacy code',
  first: 'Identify issues and patterns',
  needs: 'Need test coverage analysis first',
  next: ['Analyze test coverage', 'Plan test improvements', 'Execute refactoring with test safety'],
};

describe('seed 001, the use cases', () => {
  scenario(
    'progressive code analysis: three more steps',
    () => played(codeAnalysis),
    (result) => {
      expectAdapted(result, codeAnalysis);
    },
  );

  scenario(
    'adaptive research: three more steps',
    () => played(research),
    (result) => {
      expectAdapted(result, research);
    },
  );

  scenario(
    'multi-phase refactoring: three more steps',
    () => played(refactoring),
    (result) => {
      expectAdapted(result, refactoring);
    },
  );

  scenario(
    'orchestrator and workers: the goal is split, the parts run in parallel, the results are combined',
    (clock) => {
      const { options } = bounded(
        {
          step_1: after(clock, 100, 'Imports'),
          step_2: after(clock, 100, 'Exports'),
          step_3: after(clock, 100, 'Types'),
        },
        [['step_1', 'step_2', 'step_3']],
      );
      const summarizer = (request: {
        readonly results: readonly { readonly output: unknown }[];
      }): string => request.results.map(({ output }) => String(output)).join(', ');
      return { options: { ...options, summarizer } };
    },
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', durationMs: 100 });
      expect(report.summary).toBe('Imports, Exports, Types');
    },
  );
});

describe('seed 001, errors', () => {
  const asks = needsContext('Need more details', 'Partial result');

  scenario(
    'a planner that throws at a replan spends the replan, and the current results are kept',
    () => bounded({ step_1: asks }, [['step_1', 'step_2<step_1'], new Error('No model today')]),
    (result) => {
      const { factsOf, report } = result;
      expect(factsOf('agent.failed')).toMatchObject([
        { role: 'planner', code: 'threw', reason: 'Error: No model today' },
      ]);
      expect(factsOf('plan.rejected')).toMatchObject([
        { revision: 1, by: 'planner', reason: 'Error: No model today' },
      ]);
      expect(plannerCalls(result)).toBe(2);
      expect(report).toMatchObject({ status: 'completed', replans: 1 });
      expect(report.steps.map(({ id, output }) => [id, output])).toEqual([
        ['step_1', 'Partial result'],
        ['step_2', 'did step_2'],
      ]);
      expect(report.finalPlan).toEqual(report.originalPlan);
    },
  );

  scenario(
    'without a planner the request is refused with a fact, and the plan continues',
    () => ({
      options: { agents: [workerBy({ step_1: asks })], policy: presets.boundedReplan() },
      start: { plan: { steps: steps('step_1', 'step_2<step_1') } },
    }),
    (result) => {
      expect(result.factsOf('replan.requested')).toHaveLength(1);
      expect(result.factsOf('request.refused')).toMatchObject([{ bound: 'no-planner' }]);
      expect(plannerCalls(result)).toBe(0);
      expect(result.report).toMatchObject({ status: 'completed', replans: 0 });
      expect(result.report.successfulSteps).toEqual(['step_1', 'step_2']);
    },
  );
});
