import { describe, expect } from 'vitest';

import type { SummaryRequest } from '../../src/agents/roles.js';
import { blocked } from '../../src/agents/report.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { Behaviours } from './by-step.js';
import { after, workerBy } from './by-step.js';
import type { ScenarioResult, ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import { plannerInTurn } from './planners.js';
import { steps } from './team.js';

/** The summarizer writes down what it was told, so that the report shows it. */
const writeDown = ({ analysis, tasks, results, failed, skipped }: SummaryRequest): string =>
  JSON.stringify({ analysis, tasks, results, failed, skipped });

const summarized = (
  plan: readonly string[],
  behaviours: Behaviours = {},
  policy: PolicyOverrides = {},
): ScenarioSetup => ({
  options: {
    agents: [workerBy(behaviours)],
    summarizer: writeDown,
    policy: definePolicy({ retry: { attempts: 1 }, ...policy }),
  },
  start: { plan: { analysis: 'What the goal comes down to', steps: steps(...plan) } },
});

const toldIn = ({ report }: ScenarioResult): unknown => JSON.parse(report.summary);

const summaries = ({ factsOf }: ScenarioResult): number =>
  factsOf('agent.called').filter(({ role }) => role === 'summarizer').length;

const onStepFailure = { failure: { onStepFailure: 'continue' } } as const;

describe('the summary of a run with several tasks', () => {
  scenario(
    'tells the summarizer of a completed, a failed and a skipped task, with the reasons',
    () => summarized(['a', 'b', 'c<b'], { b: new Error('No luck') }, onStepFailure),
    (result) => {
      expect(toldIn(result)).toEqual({
        analysis: 'What the goal comes down to',
        tasks: [
          { stepId: 'a', agent: 'worker', task: 'Do the work of step a' },
          { stepId: 'b', agent: 'worker', task: 'Do the work of step b' },
          { stepId: 'c', agent: 'worker', task: 'Do the work of step c' },
        ],
        results: [{ stepId: 'a', agent: 'worker', output: 'did a', isWhole: true }],
        failed: [{ stepId: 'b', agent: 'worker', reason: 'threw: Error: No luck' }],
        skipped: [{ stepId: 'c', agent: 'worker', reason: 'dependency' }],
      });
    },
  );

  scenario(
    'tells the summarizer of a completed task and one that a person skipped',
    (clock) => ({
      ...summarized(['a', 'b<a'], { a: after(clock, 100, 'did a') }),
      at: { 50: (control) => control.skip(['b'], 'Done already') },
    }),
    (result) => {
      expect(toldIn(result)).toMatchObject({
        results: [{ stepId: 'a' }],
        failed: [],
        skipped: [{ stepId: 'b', reason: 'human: Done already' }],
      });
      expect(result.report.status).toBe('completed');
    },
  );

  scenario(
    'is written even when every task failed',
    () => summarized(['a', 'b'], { a: new Error('No'), b: new Error('No') }, onStepFailure),
    (result) => {
      expect(toldIn(result)).toMatchObject({ results: [], failed: [{ stepId: 'a' }, {}] });
      expect(result.report).toMatchObject({ status: 'failed', reason: 'steps-failed' });
    },
  );

  scenario(
    'includes tasks that a stopped run left undone',
    () => {
      const policy = { failure: { onStepFailure: 'stop' }, limits: { maxParallel: 1 } } as const;
      return summarized(['a', 'b'], { a: new Error('No') }, policy);
    },
    (result) => {
      const tasks = [{ stepId: 'a' }, { stepId: 'b' }];
      expect(toldIn(result)).toMatchObject({ tasks, results: [], skipped: [] });
    },
  );

  scenario(
    'counts a failed task and its replacement as two',
    () => {
      const setup = summarized([], { a: new Error('No luck') });
      return { options: { ...setup.options, planner: plannerInTurn(['a'], ['b']) } };
    },
    (result) => {
      expect(toldIn(result)).toMatchObject({
        tasks: [{ stepId: 'a' }, { stepId: 'b_rp1' }],
        results: [{ stepId: 'b_rp1' }],
        failed: [{ stepId: 'a' }],
      });
      expect(result.report.status).toBe('completed');
    },
  );
});

describe('the summary of a run with one task', () => {
  scenario(
    'is the output, word for word, when the task completed',
    () => summarized(['a'], { a: 'Found 3 incidents' }),
    (result) => {
      expect(summaries(result)).toBe(0);
      expect(result.report.summary).toBe('Found 3 incidents');
    },
  );

  scenario(
    'is the reason, without a summarizer call, when the task failed',
    () => summarized(['a'], { a: new Error('No luck') }, onStepFailure),
    (result) => {
      expect(summaries(result)).toBe(0);
      expect(result.report.summary).toContain('- a (worker) failed: Error: No luck');
    },
  );

  scenario(
    'counts a task done by a sub-plan of several steps as one',
    () => {
      const setup = summarized([], { a: () => blocked('Too much at once') });
      const planner = plannerInTurn(['a'], ['x', 'y']);
      const policy = definePolicy({ limits: { maxAttempts: 1, maxDepth: 1 } });
      return { options: { ...setup.options, planner, policy } };
    },
    (result) => {
      expect(summaries(result)).toBe(0);
      expect(result.report.summary).toBe('["did a/x","did a/y"]');
    },
  );
});
