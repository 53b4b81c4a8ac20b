import { describe, expect, it } from 'vitest';

import type { PlanRequest } from '../../src/agents/roles.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { validatePlan } from '../../src/plan/validate.js';
import { presets } from '../../src/policy/presets.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { started } from '../run/runs.js';
import { after } from '../scenarios/by-step.js';
import { scenario } from '../scenarios/harness.js';
import { plannerInTurn, toldBy } from '../scenarios/planners.js';
import { steps } from '../scenarios/team.js';
import {
  orchestrating,
  recordAfter,
  REQUEST,
  statusesOf,
  summarizedBy,
  SYSTEMS,
  systems,
} from './003-team.js';

/*
 * Seed 003, "Plan-and-Execute Graph Architecture": the graph and its planner. Execution, people and reports are in
 * the files beside this one. The seed's node REPLAN is here the guard `isPlanSettled` of `executing`.
 */

const inOrder = ['salesforce:task_1', 'jira:task_2<task_1', 'servicenow:task_3<task_2'];

describe('the graph', () => {
  scenario(
    'goes from the planner to the agents, back while tasks remain, and to the summary when all are done',
    () => summarizedBy(orchestrating(inOrder), () => 'All three are done'),
    ({ report, factsOf }) => {
      const way = factsOf('phase.entered', 'step.started', 'step.completed', 'run.ended');
      expect(
        way.map((fact) => {
          if (fact.type === 'phase.entered') return fact.phase;
          return fact.type === 'run.ended' ? fact.status : `${fact.type} ${fact.stepId}`;
        }),
      ).toEqual([
        'planning',
        'executing',
        'step.started task_1',
        'step.completed task_1',
        'step.started task_2',
        'step.completed task_2',
        'step.started task_3',
        'step.completed task_3',
        'summarizing',
        'windingDown',
        'completed',
      ]);
      expect(factsOf('agent.called').map(({ agent }) => agent)).toEqual([
        'planner',
        'salesforce',
        'jira',
        'servicenow',
        'summarizer',
      ]);
      expect(report).toMatchObject({ status: 'completed', reason: 'all-steps-completed' });
      expect(report).toMatchObject({ replans: 0, summary: 'All three are done' });
    },
  );

  scenario(
    'ends after planning when the plan has no tasks: no agent is called, nothing is summarized',
    () => summarizedBy(orchestrating([]), () => 'Never written'),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called').map(({ agent }) => agent)).toEqual(['planner']);
      expect(factsOf('phase.entered').map(({ phase }) => phase)).not.toContain('summarizing');
      expect(report).toMatchObject({ status: 'completed', reason: 'empty-plan', steps: [] });
    },
  );

  it('has the numbers of the seed: no replan, one task at a time, a breaker, 20 messages', () => {
    const { limits, failure, breaker, context } = presets.planAndExecute();
    expect(limits).toMatchObject({ maxReplans: 0, maxParallel: 1, maxDepth: 0, maxAttempts: 1 });
    expect(failure).toEqual({
      onStepFailure: 'continue',
      onDependencyFailure: 'skip',
      onPlannerFailure: 'interrupt',
    });
    expect(breaker).toEqual({ failures: 5, resetMs: 30_000 });
    expect(context.maxMessages).toBe(20);
  });

  it('starts with the request and nothing else: no messages, no plan, no summary', async () => {
    const { run, clock } = started(
      { agents: systems(), planner: plannerInTurn(inOrder), policy: presets.planAndExecute() },
      { goal: REQUEST },
    );
    expect(run.record()).toMatchObject({
      goal: REQUEST,
      status: 'running',
      phase: 'planning',
      conversation: [],
      plans: [],
      steps: [],
      summary: null,
      openApprovals: [],
    });
    await clock.runUntil(run.done);
  });
});

describe('the plan', () => {
  const structured = {
    analysis: 'Find critical incidents and create tickets',
    successCriteria: 'Every critical incident has a ticket',
    steps: [
      { id: 'task_1', agent: 'servicenow', task: 'Find all critical incidents' },
      {
        id: 'task_2',
        agent: 'jira',
        task: 'Create Jira tickets for critical incidents',
        dependsOn: ['task_1'],
      },
    ],
  };

  scenario(
    'is kept unchanged: description, tasks and success criteria',
    () => orchestrating(structured, { task_2: ({ summary }: { summary: string }) => summary }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.proposed')).toMatchObject([{ origin: 'planner', plan: structured }]);
      expect(report.steps[1]?.output).toBe(structured.analysis);
    },
  );

  scenario(
    'is adopted with every task linked, assigned and pending, and joins the history',
    () => orchestrating(structured),
    ({ report, facts }) => {
      const { steps: tasks, plans } = recordAfter(facts, ({ type }) => type === 'plan.adopted');
      const pending = { status: 'pending', attempts: 0, revision: 0, complexity: 'medium' };
      expect(tasks).toMatchObject([
        { ...pending, id: 'task_1', agent: 'servicenow', dependsOn: [], startedAt: null },
        { ...pending, id: 'task_2', agent: 'jira', dependsOn: ['task_1'], startedAt: null },
      ]);
      expect(plans).toMatchObject([{ revision: 0, status: 'adopted' }]);
      expect(report.plans).toEqual(plans);
      expect(report.goal).toBe(REQUEST);
    },
  );

  const refused: readonly (readonly [string, readonly string[]])[] = [
    ['unknown-agent', ['hubspot:task_1']],
    ['unknown-dependency', ['jira:task_2<task_1']],
    ['cyclic-dependency', ['jira:task_1<task_2', 'jira:task_2<task_1']],
    ['duplicate-step-id', ['jira:task_1', 'servicenow:task_1']],
  ];
  const rules = { agents: SYSTEMS, maxSteps: 15 };
  const judged = (task: string) =>
    validatePlan({ steps: [{ id: 'task_1', agent: 'jira', task }] }, rules);

  it('is refused for an unknown agent, a missing or circular dependency, a duplicate id, an empty task', () => {
    for (const [code, plan] of refused) {
      const issues = [expect.objectContaining({ code })];
      expect(validatePlan({ steps: steps(...plan) }, rules)).toEqual({ ok: false, issues });
    }
    expect(judged(' ')).toMatchObject({ ok: false, issues: [{ code: 'empty-task' }] });
  });

  it('gets a warning for a task outside 15 to 200 characters, and is still accepted', () => {
    const warnings = (length: number): (string | undefined)[] => {
      const result = judged('x'.repeat(length));
      return result.ok ? result.warnings.map(({ code }) => code) : ['refused'];
    };
    expect([14, 15, 200, 201].map(warnings)).toEqual([['task-length'], [], [], ['task-length']]);
  });

  scenario(
    'runs no task when it is invalid, and has its issues',
    () => orchestrating(['servicenow:task_1', 'hubspot:task_2<task_1']),
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected')).toMatchObject([
        { by: 'validation', issues: [{ code: 'unknown-agent', path: 'steps[1].agent' }] },
      ]);
      expect(factsOf('step.started')).toEqual([]);
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'no-acceptable-plan: replan-limit',
        steps: [],
      });
    },
  );
});

describe('the planner', () => {
  scenario(
    'is not called again while its plan is incomplete: the plan continues where it was',
    (clock) => ({
      ...orchestrating(
        inOrder,
        Object.fromEntries(
          ['task_1', 'task_2', 'task_3'].map((id) => [id, after(clock, 100, `did ${id}`)]),
        ),
      ),
      at: {
        150: (control) => control.pause(),
        160: (control) => control.say('Are the tickets there yet?'),
        1000: (control) => control.unpause(),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called').map(({ agent, stepId }) => [agent, stepId])).toEqual([
        ['planner', null],
        ['salesforce', 'task_1'],
        ['jira', 'task_2'],
        ['servicenow', 'task_3'],
      ]);
      expect(report.steps.map(({ endedAt }) => endedAt)).toEqual([100, 200, 1100]);
    },
  );

  it('is called by the next request once a plan is complete, and starts at the first task', async () => {
    const clock = virtualClock();
    const positions = ({ step }: { step: { position: string } }): string => step.position;
    const asked: PlanRequest[] = [];
    const plans = plannerInTurn(inOrder, ['servicenow:find', 'jira:file<find']);
    const orchestrator = composeOrchestrator(
      {
        agents: systems({ task_1: after(clock, 100, 'done'), find: positions, file: positions }),
        planner: (request) => {
          asked.push(request);
          return plans(request);
        },
        policy: presets.planAndExecute(),
        clock,
      },
      undefined,
    );
    const first = orchestrator.start({ goal: REQUEST });
    await clock.settle();
    expect(await first.skip(['task_2'])).toEqual({ accepted: true });
    await clock.runUntil(first.done);
    const second = orchestrator.start({ goal: 'Find critical incidents and create tickets' });
    await clock.runUntil(second.done);
    const report = await second.done;
    expect(asked.map(({ goal, revision, completed }) => [goal, revision, completed])).toEqual([
      [REQUEST, 0, []],
      ['Find critical incidents and create tickets', 0, []],
    ]);
    expect(report.steps.map(({ id, output }) => [id, output])).toEqual([
      ['find', 'Step 1 of 2'],
      ['file', 'Step 2 of 2'],
    ]);
    expect((await first.done).skippedSteps).toEqual(['task_2']);
    expect(report.skippedSteps).toEqual([]);
  });

  const noModel = new Error('Azure OpenAI: 429 Too Many Requests');

  scenario(
    'that fails three times interrupts the run, which a person can continue',
    () => {
      const setup = orchestrating(inOrder);
      const planner = plannerInTurn(noModel, noModel, noModel, inOrder);
      return {
        ...setup,
        options: { ...setup.options, planner },
        at: { 60_000: (control) => control.unpause() },
      };
    },
    ({ report, facts, factsOf, commands }) => {
      expect(factsOf('agent.failed').map(({ role, reason }) => [role, reason])).toEqual(
        Array.from({ length: 3 }, () => ['planner', `Error: ${noModel.message}`]),
      );
      const interrupted = recordAfter(facts, ({ type }) => type === 'run.paused');
      expect(interrupted).toMatchObject({ status: 'running', steps: [] });
      expect(factsOf('run.paused')).toEqual([{ type: 'run.paused', reason: 'The planner failed' }]);
      expect(factsOf('phase.entered').map(({ phase }) => phase)).toEqual([
        'planning',
        'paused',
        'planning',
        'executing',
        'windingDown',
      ]);
      expect(commands).toEqual([{ accepted: true }]);
      expect(toldBy(factsOf)).toMatchObject([{ revision: 0, issues: [], requests: [] }]);
      expect(report).toMatchObject({ status: 'completed', replans: 0 });
      expect(statusesOf(report)).toEqual(['completed', 'completed', 'completed']);
    },
  );

  scenario(
    'that fails again after the interruption ends the run without a plan',
    () => ({
      ...orchestrating(noModel),
      at: { 60_000: (control) => control.unpause() },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('run.paused')).toHaveLength(1);
      expect(factsOf('agent.called')).toHaveLength(6);
      expect(report).toMatchObject({ status: 'failed', reason: 'planning-failed' });
      expect(report.originalPlan).toBeNull();
    },
  );
});
