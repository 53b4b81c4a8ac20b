import { describe, expect } from 'vitest';

import type { AgentCall } from '../../src/agents/agent.js';
import { askHuman, needsContext, requestReplan } from '../../src/agents/report.js';
import { after } from '../scenarios/by-step.js';
import { scenario } from '../scenarios/harness.js';
import { inTurn } from '../scenarios/scripted.js';
import { INCIDENTS, orchestrating, recordAfter, REQUEST, statusesOf } from './003-team.js';

/* Seed 003: the agent node, which executes, and the replan node, which only checks whether all is done. */

describe('the next task', () => {
  scenario(
    'is the first in the order of the plan whose dependencies are done, and only one runs at a time',
    (clock) => {
      const slowly = Object.fromEntries(
        ['task_1', 'task_2', 'task_3', 'task_4'].map((id) => [id, after(clock, 100, id)]),
      );
      return orchestrating(
        ['jira:task_1', 'jira:task_2<task_3', 'jira:task_3', 'jira:task_4'],
        slowly,
      );
    },
    ({ facts }) => {
      const starts = facts.flatMap((fact) =>
        fact.type === 'step.started' ? [[fact.stepId, fact.at]] : [],
      );
      // task_2 comes before task_4 once it can run: the plan is searched from its beginning.
      expect(starts).toEqual([
        ['task_1', 0],
        ['task_3', 100],
        ['task_2', 200],
        ['task_4', 300],
      ]);
    },
  );

  scenario(
    'is never skipped, failed or behind a failure: such a task is skipped, and the plan ends',
    (clock) => ({
      ...orchestrating(
        ['jira:task_1', 'jira:task_2<task_1', 'jira:task_3', 'jira:task_4<task_3', 'jira:task_5'],
        { task_1: after(clock, 100, new Error('Network error')) },
        { retry: { attempts: 1 } },
      ),
      at: { 50: (control) => control.skip(['task_3']) },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('step.started').map(({ stepId }) => stepId)).toEqual([
        'task_1',
        'task_4',
        'task_5',
      ]);
      expect(report.steps.map(({ status, reason }) => [status, reason])).toEqual([
        ['failed', 'Error: Network error'],
        ['skipped', 'dependency'],
        ['skipped', 'human'],
        ['completed', null],
        ['completed', null],
      ]);
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed' });
    },
  );
});

describe('the call of a task', () => {
  scenario(
    'uses a custom protocol for the three systems, and runs in process for the orchestrator itself',
    () => {
      const setup = orchestrating([
        'salesforce:task_1',
        'jira:task_2',
        'servicenow:task_3',
        'orchestrator:task_4',
      ]);
      return {
        ...setup,
        options: {
          ...setup.options,
          dispatcher: (agent, call) =>
            agent.name === 'orchestrator' ? agent.run(call) : `A2A to ${agent.name}`,
        },
      };
    },
    ({ report }) => {
      expect(report.steps.map(({ agent, output }) => [agent, output])).toEqual([
        ['salesforce', 'A2A to salesforce'],
        ['jira', 'A2A to jira'],
        ['servicenow', 'A2A to servicenow'],
        ['orchestrator', 'did task_4'],
      ]);
    },
  );

  scenario(
    'has the context of the seed: its task, the request, its position, and its dependencies',
    () => {
      const context = (call: AgentCall): unknown => ({
        task_context: {
          current_task: call.task,
          task_id: call.step.id,
          original_request: call.goal,
          plan_position: call.step.position,
          dependencies_completed: call.dependencies.map(({ output }) => output),
        },
      });
      const plan = {
        steps: [
          { id: 'task_1', agent: 'servicenow', task: 'Find all critical incidents' },
          {
            id: 'task_2',
            agent: 'jira',
            task: 'Create Jira tickets for critical incidents',
            dependsOn: ['task_1'],
          },
          { id: 'task_3', agent: 'salesforce', task: 'Tell the account owners' },
        ],
      };
      return orchestrating(plan, { task_1: INCIDENTS, task_2: context });
    },
    ({ report }) => {
      expect(report.steps[1]?.output).toEqual({
        task_context: {
          current_task: 'Create Jira tickets for critical incidents',
          task_id: 'task_2',
          original_request: REQUEST,
          plan_position: 'Step 2 of 3',
          dependencies_completed: ['Found 3 critical incidents: INC001, INC002, INC003'],
        },
      });
    },
  );

  scenario(
    'has a filtered state: not the plan, not the other tasks, no outputs but those of its dependencies',
    () =>
      orchestrating(['servicenow:task_1', 'salesforce:task_2', 'jira:task_3<task_1'], {
        task_1: INCIDENTS,
        task_2: 'Private to Salesforce',
        task_3: (call: AgentCall) => ({ keys: Object.keys(call), call: JSON.stringify(call) }),
      }),
    ({ report }) => {
      // The seed's messages are what people said: `conversation`.
      const seen = report.steps[2]?.output as { keys: string[]; call: string };
      expect(seen.keys.toSorted()).toEqual([
        'conversation',
        'dependencies',
        'feedback',
        'goal',
        'input',
        'key',
        'labels',
        'maxTokens',
        'mode',
        'runId',
        'signal',
        'step',
        'summary',
        'task',
      ]);
      expect(seen.call).toContain(INCIDENTS);
      expect(seen.call).not.toContain('Private to Salesforce');
      expect(seen.call).not.toContain('Do the work of step task_2');
    },
  );
});

describe('the answer of an agent', () => {
  scenario(
    'is a command, an object or a text; anything else fails instead of becoming a text',
    () => ({
      ...orchestrating(
        ['jira:task_1', 'jira:task_2', 'jira:task_3', 'jira:task_4'],
        {
          task_1: inTurn(askHuman({ question: 'Which project?' }), 'INFRA'),
          task_2: { result: '3 incidents found', success: true },
          task_3: '3 incidents found',
          task_4: () => () => 'a function',
        },
        { retry: { attempts: 1 } },
      ),
      onFact: (fact, control) => {
        if (fact.type === 'approval.requested') control.approve(fact.requestId, 'INFRA');
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.answered').map(({ report: kind }) => kind)).toEqual([
        'done',
        'askHuman',
        'done',
        'done',
        'done',
      ]);
      expect(report.steps.map(({ output }) => output)).toEqual([
        'INFRA',
        { result: '3 incidents found', success: true },
        '3 incidents found',
        null,
      ]);
      expect(report.steps[3]).toMatchObject({ status: 'failed', code: 'not-serializable' });
    },
  );

  scenario(
    'becomes the result of its task: the output on success, the error on failure',
    () =>
      orchestrating(
        ['servicenow:task_1', 'jira:task_2'],
        { task_1: INCIDENTS, task_2: new Error('Jira said 500') },
        { retry: { attempts: 1 } },
      ),
    ({ report, factsOf }) => {
      expect(report.steps.map(({ status, output, reason }) => [status, output, reason])).toEqual([
        ['completed', INCIDENTS, null],
        ['failed', null, 'Error: Jira said 500'],
      ]);
      const said = factsOf('agent.answered', 'agent.failed').filter(
        ({ role }) => role === 'worker',
      );
      expect(said).toMatchObject([
        { type: 'agent.answered', stepId: 'task_1', output: INCIDENTS },
        { type: 'agent.failed', stepId: 'task_2', code: 'threw', reason: 'Error: Jira said 500' },
      ]);
    },
  );

  scenario(
    'moves its task from pending over running to completed, failed or skipped, and never back',
    (clock) => ({
      ...orchestrating(
        ['jira:task_1', 'jira:task_2', 'jira:task_3', 'jira:task_4'],
        {
          task_1: after(clock, 100, 'done'),
          task_2: after(clock, 100, new Error('Network error')),
          task_3: after(clock, 100, 'never heard'),
        },
        { retry: { attempts: 1 } },
      ),
      at: { 250: (control) => control.skip(['task_3']) },
    }),
    ({ facts }) => {
      const seen = facts.map((last) => statusesOf(recordAfter(facts, (fact) => fact === last)));
      const ways = [0, 1, 2, 3].map((task) =>
        seen
          .flatMap((statuses) => statuses[task] ?? [])
          .filter((status, index, all) => status !== all[index - 1]),
      );
      expect(ways).toEqual([
        ['pending', 'running', 'completed'],
        ['pending', 'running', 'failed'],
        ['pending', 'running', 'skipped'],
        ['pending', 'running', 'completed'],
      ]);
    },
  );
});

describe('an agent that does not respond', () => {
  scenario(
    'in 60 seconds is retried, three tries in all, before its task fails',
    () => {
      const never = (): Promise<never> => new Promise(() => undefined);
      return orchestrating(['servicenow:task_1', 'jira:task_2', 'jira:task_3'], {
        task_1: inTurn(never, new Error('ECONNRESET'), INCIDENTS),
        task_2: never,
      });
    },
    ({ report, facts, factsOf }) => {
      const [timeout] = facts.filter((fact) => fact.type === 'agent.failed');
      expect(timeout).toMatchObject({ at: 60_000, code: 'timeout', stepId: 'task_1', try: 1 });
      expect(
        factsOf('agent.failed').map(({ stepId, code, try: nth }) => [stepId, code, nth]),
      ).toEqual([
        ['task_1', 'timeout', 1],
        ['task_1', 'threw', 2],
        ['task_2', 'timeout', 1],
        ['task_2', 'timeout', 2],
        ['task_2', 'timeout', 3],
      ]);
      expect(report.steps.map(({ status, output }) => [status, output])).toEqual([
        ['completed', INCIDENTS],
        ['failed', null],
        ['completed', 'did task_3'],
      ]);
    },
  );

  scenario(
    'is refused by its circuit breaker after five failures, and called again after 30 seconds',
    (clock) =>
      orchestrating(['jira:task_1', 'jira:task_2', 'servicenow:task_3', 'jira:task_4'], {
        task_1: new Error('ECONNREFUSED'),
        task_2: new Error('ECONNREFUSED'),
        task_3: after(clock, 30_000, INCIDENTS),
      }),
    ({ report, factsOf }) => {
      const calls = factsOf('agent.called').filter(({ agent }) => agent === 'jira');
      expect(calls.map(({ stepId }) => stepId)).toEqual([
        ...['task_1', 'task_1', 'task_1'],
        ...['task_2', 'task_2'],
        'task_4',
      ]);
      expect(factsOf('breaker.opened', 'breaker.closed')).toEqual([
        { type: 'breaker.opened', agent: 'jira' },
        { type: 'breaker.closed', agent: 'jira' },
      ]);
      expect(report.steps.map(({ status, code }) => [status, code])).toEqual([
        ['failed', 'threw'],
        ['failed', 'breaker-open'],
        ['completed', null],
        ['completed', null],
      ]);
    },
  );

  scenario(
    'can be skipped by a person, and the next task starts immediately',
    () => ({
      ...orchestrating(['servicenow:task_1', 'jira:task_2<task_1'], {
        task_1: () => new Promise(() => undefined),
        task_2: ({ dependencies }: AgentCall) => dependencies.length,
      }),
      at: { 5_000: (control) => control.skip(['task_1']) },
    }),
    ({ report, facts }) => {
      const start = facts.find((fact) => fact.type === 'step.started' && fact.stepId === 'task_2');
      expect(start?.at).toBe(5_000);
      expect(report.steps.map(({ status, output }) => [status, output])).toEqual([
        ['skipped', null],
        ['completed', 0],
      ]);
      expect(report).toMatchObject({ status: 'completed', durationMs: 5_000 });
    },
  );
});

describe('the replan node', () => {
  scenario(
    'never replans: the rest of the plan runs unchanged',
    () =>
      orchestrating(['servicenow:task_1', 'jira:task_2', 'salesforce:task_3<task_2'], {
        task_1: needsContext('Which severity is critical?', INCIDENTS),
        task_2: requestReplan({ reason: 'Jira moved to another system' }, 'INFRA-456'),
      }),
    ({ report, factsOf, orchestrator }) => {
      expect(factsOf('replan.requested')).toHaveLength(2);
      expect(factsOf('request.refused')).toMatchObject(
        Array.from({ length: 2 }, () => ({ limit: 0, bound: 'replan-limit' })),
      );
      expect(factsOf('replan.started')).toEqual([]);
      expect(factsOf('agent.called').filter(({ role }) => role === 'planner')).toHaveLength(1);
      expect(statusesOf(report)).toEqual(['completed', 'completed', 'completed']);
      expect(report).toMatchObject({ status: 'completed', replans: 0 });
      expect(report.finalPlan).toEqual(report.originalPlan);
      expect(orchestrator.bounds().replans).toBe(0);
    },
  );

  scenario(
    'completes a plan exactly when every task is completed, failed or skipped',
    (clock) => ({
      ...orchestrating(
        ['servicenow:task_1', 'jira:task_2', 'salesforce:task_3'],
        {
          task_1: after(clock, 100, INCIDENTS),
          task_2: after(clock, 100, new Error('Network error')),
        },
        { retry: { attempts: 1 } },
      ),
      at: { 150: (control) => control.skip(['task_3']) },
    }),
    ({ report, facts }) => {
      const left = facts.find(
        (fact) => fact.type === 'phase.entered' && fact.phase === 'windingDown',
      );
      expect(left?.at).toBe(200);
      const before = recordAfter(facts, (fact) => fact.type === 'step.skipped');
      expect(before).toMatchObject({ phase: 'executing', status: 'running' });
      expect(statusesOf(report)).toEqual(['completed', 'failed', 'skipped']);
    },
  );
});
