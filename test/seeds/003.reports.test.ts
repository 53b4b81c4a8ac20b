import { describe, expect } from 'vitest';

import { askHuman, done } from '../../src/agents/report.js';
import { after } from '../scenarios/by-step.js';
import { scenario } from '../scenarios/harness.js';
import { inTurn } from '../scenarios/scripted.js';
import {
  INCIDENTS,
  orchestrating,
  printed,
  recordAfter,
  REQUEST,
  statusesOf,
  summarizedBy,
} from './003-team.js';

/* Seed 003: the summary, the state, the metrics, and how to debug a run. */

const TICKETS = 'INFRA-456, INFRA-457, INFRA-458';

const executiveSummary = [
  '# Plan Execution Summary',
  '## Key Accomplishments',
  `- Created corresponding Jira tickets for tracking (${TICKETS})`,
  '## Important Findings',
  '- All critical incidents are related to email server infrastructure',
  '## Recommended Next Steps',
  '1. Escalate unassigned incident to Infrastructure team lead',
].join('\n');

const incidents = {
  analysis: 'Find the critical incidents and track them in Jira',
  steps: [
    { id: 'task_1', agent: 'servicenow', task: 'Find all critical incidents' },
    { id: 'task_2', agent: 'jira', task: 'Create Jira tickets', dependsOn: ['task_1'] },
    { id: 'task_3', agent: 'jira', task: 'Link incidents to tickets', dependsOn: ['task_2'] },
  ],
};

describe('the summary', () => {
  scenario(
    'of one task is its result, word for word, without a summarizer call',
    () =>
      summarizedBy(
        orchestrating(['servicenow:task_1'], { task_1: INCIDENTS }),
        () => executiveSummary,
      ),
    ({ report, factsOf }) => {
      expect(report.summary).toBe('Found 3 critical incidents: INC001, INC002, INC003');
      expect(factsOf('agent.called').map(({ role }) => role)).toEqual(['planner', 'worker']);
    },
  );

  scenario(
    'of several tasks is written once, from the request and every result, and kept',
    (clock) =>
      summarizedBy(
        orchestrating(incidents, {
          task_1: after(clock, 4_000, INCIDENTS),
          task_2: after(clock, 5_300, TICKETS),
          task_3: after(clock, 3_000, { linked: 3 }),
        }),
        ({ goal, results, failed }) =>
          `${executiveSummary}\n${JSON.stringify({ goal, results, failed })}`,
      ),
    ({ report, facts, factsOf }) => {
      const told = {
        goal: REQUEST,
        results: [
          { stepId: 'task_1', agent: 'servicenow', output: INCIDENTS, isWhole: true },
          { stepId: 'task_2', agent: 'jira', output: TICKETS, isWhole: true },
          { stepId: 'task_3', agent: 'jira', output: { linked: 3 }, isWhole: true },
        ],
        failed: [],
      };
      expect(report.summary).toBe(`${executiveSummary}\n${JSON.stringify(told)}`);
      expect(recordAfter(facts).summary).toBe(report.summary);
      expect(factsOf('agent.called').filter(({ role }) => role === 'summarizer')).toHaveLength(1);
      // The last line of the seed's example, from the report.
      const across = [...new Set(report.steps.map(({ agent }) => agent))].join(' and ');
      expect(`${report.durationMs / 1_000} seconds across ${across}`).toBe(
        '12.3 seconds across servicenow and jira',
      );
    },
  );

  scenario(
    'without a summarizer lists every task, with the error of the failed one',
    () =>
      orchestrating(
        incidents,
        { task_1: INCIDENTS, task_2: new Error('Network error') },
        { retry: { attempts: 1 } },
      ),
    ({ report }) => {
      expect(report.summary.split('\n')).toEqual([
        '# Handle critical incidents end-to-end',
        '',
        'Status: failed (steps-failed)',
        'Steps: 3 (1 completed, 1 failed, 1 skipped)',
        '',
        `- task_1 (servicenow) completed: ${INCIDENTS}`,
        '- task_2 (jira) failed: Error: Network error',
        '- task_3 (jira) skipped: dependency',
      ]);
    },
  );
});

describe('the state', () => {
  scenario(
    'has every layer of the seed at any time: conversation, plan, control and metrics',
    (clock) => ({
      ...orchestrating(incidents, {
        task_1: after(clock, 100, INCIDENTS),
        task_2: inTurn(askHuman({ question: 'Which project?' }), TICKETS),
      }),
      at: {
        50: (control) => control.say('Only the critical ones'),
        60: (control) => control.skip(['task_3']),
        200: (control) => control.approve('task_2:1.1', 'INFRA'),
      },
    }),
    ({ facts }) => {
      const state = recordAfter(facts, ({ type }) => type === 'approval.requested');
      expect(state).toMatchObject({
        conversation: ['Only the critical ones'],
        goal: REQUEST,
        summary: null,
        plans: [{ revision: 0, status: 'adopted' }],
        phase: 'executing',
        openApprovals: [{ stepId: 'task_2', question: 'Which project?' }],
        startedAt: 0,
      });
      expect(statusesOf(state)).toEqual(['completed', 'awaitingApproval', 'skipped']);
      const calls = Object.entries(state.metrics.agents).map(([name, agent]) => [
        name,
        agent.calls,
      ]);
      expect(calls).toEqual([
        ['planner', 1],
        ['servicenow', 1],
        ['jira', 1],
      ]);
    },
  );

  scenario(
    'is plain data after every event: a result that is not plain data is refused',
    () =>
      orchestrating(
        incidents,
        { task_1: { messages: new Map([['role', 'ai']]) } },
        { retry: { attempts: 1 } },
      ),
    ({ report, journal }) => {
      expect(report.steps[0]).toMatchObject({ status: 'failed', code: 'not-serializable' });
      expect(JSON.parse(JSON.stringify(journal))).toEqual(journal);
      expect(journal.length).toBeGreaterThanOrEqual(2);
    },
  );
});

describe('the metrics', () => {
  scenario(
    'give time, errors, latency and tokens by task, by plan and by agent',
    (clock) =>
      orchestrating(
        incidents,
        {
          task_1: after(
            clock,
            2_000,
            done(INCIDENTS, { usage: { inputTokens: 900, outputTokens: 100 } }),
          ),
          task_2: inTurn(
            after(clock, 500, new Error('Jira said 502')),
            after(clock, 8_000, done(TICKETS, { usage: { inputTokens: 2_000, costUsd: 0.5 } })),
          ),
          task_3: after(clock, 1_000, { linked: 3 }),
        },
        { retry: { attempts: 2, backoffMs: 0 } },
      ),
    ({ report, factsOf }) => {
      expect(report.steps.map(({ durationMs }) => durationMs)).toEqual([2_000, 8_500, 1_000]);
      expect(report.durationMs).toBe(11_500);
      const longest = report.steps.toSorted(
        (left, right) => (right.durationMs ?? 0) - (left.durationMs ?? 0),
      );
      expect(longest[0]).toMatchObject({ id: 'task_2', dependsOn: ['task_1'] });
      expect(report.metrics).toMatchObject({ totalSteps: 3, completedSteps: 3, failedSteps: 0 });
      expect(report.metrics.agents['servicenow']).toMatchObject({
        calls: 1,
        errors: 0,
        totalLatencyMs: 2_000,
      });
      expect(report.metrics.agents['jira']).toMatchObject({
        calls: 3,
        errors: 1,
        answers: 2,
        totalLatencyMs: 9_500,
      });
      expect(factsOf('agent.failed').map(({ agent, code }) => [agent, code])).toEqual([
        ['jira', 'threw'],
      ]);
      const tokens = factsOf('agent.answered').map(({ stepId, usage }) => [stepId, usage]);
      expect(tokens).toEqual([
        [null, null],
        ['task_1', { inputTokens: 900, outputTokens: 100 }],
        ['task_2', { inputTokens: 2_000, costUsd: 0.5 }],
        ['task_3', null],
      ]);
      expect(report.usage).toEqual({ inputTokens: 2_900, outputTokens: 100, costUsd: 0.5 });
    },
  );
});

describe('debugging a run', () => {
  scenario(
    'prints the plan, follows the tasks, and follows the calls',
    (clock) =>
      orchestrating(
        incidents,
        {
          task_1: after(clock, 100, INCIDENTS),
          task_2: after(clock, 100, new Error('Jira said 500')),
        },
        { retry: { attempts: 1 } },
      ),
    ({ facts, factsOf }) => {
      const now = recordAfter(facts, (fact) => fact.type === 'step.started' && fact.at === 100);
      expect(printed(now)).toEqual([
        'Task 1: completed - Find all critical incidents',
        'Task 2: running - Create Jira tickets',
        'Task 3: pending - Link incidents to tickets',
      ]);
      const tasks = factsOf('step.started', 'step.completed', 'step.failed');
      expect(tasks.map(({ type, stepId }) => `${type} ${stepId}`)).toEqual([
        'step.started task_1',
        'step.completed task_1',
        'step.started task_2',
        'step.failed task_2',
      ]);
      const calls = factsOf('agent.called', 'agent.answered', 'agent.failed');
      expect(calls.map(({ type, key }) => `${type} ${key}`)).toEqual([
        'agent.called run/plan/planner.1',
        'agent.answered run/plan/planner.1',
        'agent.called run/task_1/1/worker',
        'agent.answered run/task_1/1/worker',
        'agent.called run/task_2/1/worker',
        'agent.failed run/task_2/1/worker',
      ]);
    },
  );
});
