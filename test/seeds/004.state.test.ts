import { describe, expect } from 'vitest';

import type { AgentCall } from '../../src/agents/agent.js';
import { blocked } from '../../src/agents/report.js';
import type { Fact } from '../../src/model/facts.js';
import type { RunRecord } from '../../src/journal/record.js';
import { createRecordBuilder } from '../../src/journal/record.js';
import { stepById } from '../journal/selectors.js';
import type { ScenarioSetup } from '../scenarios/harness.js';
import { scenario } from '../scenarios/harness.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { MINUTE_MS, teamOf } from './004-team.js';

/* Seed 004: where the fields of its OrchestrationState, ExecutionPlan and PlanStep are in a run. */

/** The record right after a fact was told. */
const recordWhen = (facts: readonly Fact[], isThen: (fact: Fact) => boolean): RunRecord => {
  const builder = createRecordBuilder();
  const end = facts.findIndex(isThen);
  for (const fact of facts.slice(0, end + 1)) builder.add(fact);
  return builder.record();
};

const isCallOf = (key: string) => (fact: Fact) => fact.type === 'agent.called' && fact.key === key;

/** s1 is blocked and so is the first step of its sub-plan; at the third level the work is done. */
const nestedWork = (): ScenarioSetup => ({
  options: teamOf({
    agents: [
      agentNamed('coder', ({ step, goal, summary, task }: AgentCall) =>
        step.depth < 2 && step.id !== 's2'
          ? blocked(`${step.id} is too hard`)
          : { goal, summary, task, position: step.position },
      ),
    ],
    planner: ({ depth, goal }) => ({
      analysis: `Level ${depth} for: ${goal}`,
      steps:
        [steps('coder:s1', 'coder:s2<s1'), steps('coder:x'), steps('coder:y', 'coder:z<y')][
          depth
        ] ?? [],
    }),
  }),
  start: { goal: 'Add OAuth2 support' },
});

describe('the state of seed 004', () => {
  scenario(
    'is the record, built from the event log alone: id, goal, plans on the stack, agent at work, iteration, times',
    nestedWork,
    ({ facts, journal, report, orchestrator }) => {
      expect(journal.flatMap((entry) => entry.facts)).toEqual(facts);
      const record = recordWhen(facts, isCallOf('run/s1/x/z/1/worker'));
      expect(record).toMatchObject({ runId: 'run', goal: 'Add OAuth2 support', replans: 0 });
      expect(record).toMatchObject({ status: 'running', startedAt: 0, endedAt: null });
      expect(record.plans.map(({ parentStepId, status }) => [parentStepId, status])).toEqual([
        [null, 'adopted'],
        ['s1', 'adopted'],
        ['s1/x', 'adopted'],
      ]);
      const working = record.steps.filter(({ status }) => status === 'running');
      expect(working.map(({ id, agent }) => [id, agent])).toEqual([['s1/x/z', 'coder']]);
      expect(report.endedAt).toBe(report.startedAt + report.durationMs);
      expect(orchestrator.policy.time.limitMs).toBe(60 * MINUTE_MS);
    },
  );

  scenario(
    'goes from initializing over planning, executing, testing and verifying to its end',
    () => ({ options: teamOf({ planner: () => ({ steps: steps('coder:s1') }) }) }),
    ({ facts }) => {
      const seen = facts.map(({ sequence }) => {
        const record = recordWhen(facts, (fact) => fact.sequence === sequence);
        const tester = record.metrics.agents['tester'];
        const isTesting = (tester?.calls ?? 0) > (tester?.answers ?? 0);
        return `${record.status}/${isTesting ? 'testing' : (record.phase ?? 'initializing')}`;
      });
      expect(seen.filter((status, index) => status !== seen[index - 1])).toEqual([
        'running/initializing',
        'running/planning',
        'running/reviewingPlan',
        'running/executing',
        'running/testing',
        'running/executing',
        'running/verifying',
        'running/windingDown',
        'completed/ended',
      ]);
    },
  );

  scenario(
    'has for planner, coder, tester and supervisor their activity, last answer and number of calls',
    (clock) => ({
      options: teamOf({
        agents: [
          agentNamed('coder', async ({ step, signal }: AgentCall) => {
            await clock.sleep(1_000, signal);
            if (step.id === 's2') throw new Error('down');
            return `did ${step.id}`;
          }),
        ],
        tester: () => ({ passed: true, usage: { inputTokens: 5 } }),
      }),
    }),
    ({ facts, report }) => {
      const record = recordWhen(facts, isCallOf('run/s1/1/tester'));
      const isBusy = (agent: string): boolean => {
        const { calls = 0, answers = 0, errors = 0 } = record.metrics.agents[agent] ?? {};
        return calls > answers + errors;
      };
      expect(['planner', 'coder', 'tester', 'supervisor'].map(isBusy)).toEqual([
        false,
        false,
        true,
        false,
      ]);
      expect(report.metrics.agents).toMatchObject({
        planner: { calls: 1, errors: 0, answers: 1, totalLatencyMs: 0 },
        supervisor: { calls: 4, errors: 0, answers: 4, totalLatencyMs: 0 },
        coder: { calls: 4, errors: 3, answers: 1, totalLatencyMs: 4_000 },
        tester: { calls: 1, errors: 0, answers: 1, totalLatencyMs: 0 },
      });
      const lastOutputs = new Map(
        facts.flatMap((fact) =>
          fact.type === 'agent.answered' ? [[fact.agent, fact.output] as const] : [],
        ),
      );
      expect(lastOutputs.get('coder')).toBe('did s1');
      expect(lastOutputs.get('tester')).toMatchObject({ passed: true });
      expect(report.usage.inputTokens).toBe(5);
    },
  );
});

describe('a plan of seed 004', () => {
  scenario(
    'has a goal, an analysis, steps, a level, a parent, an outcome, and a current step',
    nestedWork,
    ({ report, factsOf }) => {
      expect(
        factsOf('plan.proposed').map(({ parentStepId, revision, plan }) => [
          parentStepId,
          revision,
          plan?.analysis,
        ]),
      ).toEqual([
        [null, 0, 'Level 0 for: Add OAuth2 support'],
        ['s1', 0, 'Level 1 for: Do the work of step s1'],
        ['s1/x', 0, 'Level 2 for: Do the work of step x'],
      ]);
      expect(report.plans.map(({ steps: planned }) => planned.map(({ id }) => id))).toEqual([
        ['s1', 's2'],
        ['s1/x'],
        ['s1/x/y', 's1/x/z'],
      ]);
      expect(factsOf('subplan.ended').map(({ stepId, status }) => [stepId, status])).toEqual([
        ['s1/x', 'completed'],
        ['s1', 'completed'],
      ]);
      expect(report.steps.find(({ id }) => id === 's1/x/z')?.output).toEqual({
        goal: 'Do the work of step x',
        summary: 'Level 2 for: Do the work of step x',
        task: 'Do the work of step z',
        position: 'Step 2 of 2',
      });
    },
  );
});

describe('a step of seed 004', () => {
  scenario(
    'has its position, its level, its parent, its sub-steps, its attempts and its status at any time',
    nestedWork,
    ({ facts, report, orchestrator }) => {
      const statusOf = (stepId: string): string[] => {
        const seen = facts.map(({ sequence }) => {
          const record = recordWhen(facts, (fact) => fact.sequence === sequence);
          return stepById(record, stepId)?.status ?? 'unknown';
        });
        return seen.filter((status, index) => status !== seen[index - 1]);
      };
      // Running again for the moment between the end of its sub-plan and its own.
      expect(statusOf('s1')).toEqual([
        'unknown',
        'pending',
        'running',
        'blocked',
        'running',
        'completed',
      ]);
      expect(statusOf('s2')).toEqual(['unknown', 'pending', 'running', 'completed']);
      expect(
        report.steps.map(({ id, depth, parentStepId, attempts }) => [
          id,
          depth,
          parentStepId,
          attempts,
        ]),
      ).toEqual([
        ['s1', 0, null, 3],
        ['s2', 0, null, 1],
        ['s1/x', 1, 's1', 3],
        ['s1/x/y', 2, 's1/x', 1],
        ['s1/x/z', 2, 's1/x', 1],
      ]);
      expect(orchestrator.policy.limits.maxAttempts).toBe(3);
    },
  );

  scenario(
    'has its code, its test results, its verification and its failure reason',
    () => ({
      options: teamOf({
        planner: () => ({ steps: steps('coder:s1', 'coder:s2') }),
        tester: ({ step }) => ({ passed: step.id === 's1', failures: ['adds wrong'] }),
      }),
    }),
    ({ report, facts, factsOf }) => {
      expect(report.steps).toMatchObject([
        { id: 's1', status: 'completed', output: 'did s1', reason: null, code: null },
        { id: 's2', status: 'failed', output: null, reason: '1 failures', code: 'tests-failed' },
      ]);
      const tests = factsOf('tests.reported').filter(({ stepId }) => stepId === 's2');
      expect(tests).toHaveLength(4);
      const results = facts.flatMap((fact) =>
        fact.type === 'agent.answered' && tests.some(({ key }) => key === fact.key)
          ? [fact.output]
          : [],
      );
      expect(results).toEqual(
        Array.from({ length: 4 }, () => ({ passed: false, failures: ['adds wrong'] })),
      );
      expect(
        report.verdicts.map(({ subject, stepId, passed }) => [subject, stepId, passed]),
      ).toEqual([
        ['plan', null, true],
        ['code', 's1', true],
        ['step', 's1', true],
        ['code', 's2', true],
        ['goal', null, true],
      ]);
    },
  );
});
