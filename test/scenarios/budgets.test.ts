import { describe, expect } from 'vitest';
import { z } from 'zod';

import { defineAgent } from '../../src/agents/agent.js';
import { done } from '../../src/agents/report.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { LimitsPolicy } from '../../src/model/policy.js';
import type { ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import { inTurn, scriptedAgent } from './scripted.js';
import { agentNamed, slowAgent, steps } from './team.js';

const using = (usage: { inputTokens?: number; outputTokens?: number; costUsd?: number }) =>
  agentNamed('worker', (call) => done(`did ${call.step.id}`, { usage }));

const fiveSteps = (
  limits: Partial<LimitsPolicy>,
  agent: ReturnType<typeof using>,
): ScenarioSetup => ({
  options: { agents: [agent], policy: definePolicy({ limits: { maxParallel: 1, ...limits } }) },
  start: { plan: { steps: steps('a', 'b', 'c', 'd', 'e') } },
});

describe('a budget', () => {
  for (const [limit, setup, calls] of [
    ['maxAgentCalls', () => fiveSteps({ maxAgentCalls: 3 }, using({})), 3],
    [
      'maxTokens',
      () => fiveSteps({ maxTokens: 100 }, using({ inputTokens: 30, outputTokens: 20 })),
      2,
    ],
    ['maxTokens', () => fiveSteps({ maxTokens: 101 }, using({ inputTokens: 50 })), 3],
    ['maxCostUsd', () => fiveSteps({ maxCostUsd: 0.5 }, using({ costUsd: 0.25 })), 2],
  ] as const) {
    scenario(
      `${limit}: ends the run when it is used up, with everything done so far (${calls} calls)`,
      setup,
      ({ report, factsOf, facts }) => {
        expect(factsOf('budget.exhausted')).toEqual([{ type: 'budget.exhausted', limit }]);
        expect(report).toMatchObject({ status: 'budgetExhausted', reason: limit });
        expect(factsOf('agent.called')).toHaveLength(calls);
        expect(report.successfulSteps).toEqual(['a', 'b', 'c', 'd', 'e'].slice(0, calls));
        expect(report.steps[0]?.output).toBe('did a');
        const exhausted = facts.findIndex((fact) => fact.type === 'budget.exhausted');
        expect(facts.slice(exhausted).some((fact) => fact.type === 'agent.called')).toBe(false);
      },
    );

    scenario(
      `${limit}: is not missed by a run that needs exactly that much (${calls} calls)`,
      () => ({
        ...setup(),
        start: { plan: { steps: steps(...['a', 'b', 'c', 'd', 'e'].slice(0, calls)) } },
      }),
      ({ report, factsOf }) => {
        expect(factsOf('budget.exhausted')).toEqual([]);
        expect(report).toMatchObject({ status: 'completed', allSucceeded: true });
      },
    );
  }

  scenario(
    'counts what a try has cost that failed: its error says so, or the answer that was no good does',
    () => {
      const next = inTurn(
        Object.assign(new Error('Refused'), { usage: { inputTokens: 40 } }),
        () => done(5, { usage: { inputTokens: 20, outputTokens: 10 } }),
        () => done('late', { usage: { inputTokens: 30 } }),
      );
      const worker = defineAgent({
        name: 'worker',
        description: 'Costs something whatever comes of it',
        output: z.string(),
        run: (call) => next(call) as string,
      });
      return {
        options: { agents: [worker], policy: definePolicy({ limits: { maxTokens: 100 } }) },
        start: { plan: { steps: steps('a', 'b<a') } },
      };
    },
    ({ report, factsOf }) => {
      expect(factsOf('agent.failed').map(({ code, usage }) => [code, usage])).toEqual([
        ['threw', { inputTokens: 40 }],
        ['invalid-output', { inputTokens: 20, outputTokens: 10 }],
        ['budget-exhausted', undefined],
      ]);
      expect(report.usage).toEqual({ inputTokens: 90, outputTokens: 10, costUsd: 0 });
      expect(report).toMatchObject({ status: 'budgetExhausted', reason: 'maxTokens' });
      expect(report.successfulSteps).toEqual(['a']);
    },
  );

  scenario(
    'counts what the summary has cost',
    () => ({
      options: {
        agents: [agentNamed('worker', () => 'x')],
        summarizer: () => ({ text: 'All done', usage: { outputTokens: 7, costUsd: 0.5 } }),
        policy: definePolicy(),
      },
      start: { plan: { steps: steps('a', 'b') } },
    }),
    ({ report }) => {
      expect(report.summary).toBe('All done');
      expect(report.usage).toEqual({ inputTokens: 0, outputTokens: 7, costUsd: 0.5 });
    },
  );

  scenario(
    'counts every try of every role',
    () => ({
      options: {
        agents: [scriptedAgent('worker', new Error('down'), 'x')],
        planner: () => ({ steps: steps('a', 'b') }),
        tester: () => ({ passed: true }),
        policy: definePolicy({ limits: { maxAgentCalls: 4, maxParallel: 1 } }),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called').map((fact) => fact.key)).toEqual([
        'run/plan/planner.1',
        'run/a/1/worker',
        'run/a/1/worker#2',
        'run/a/1/tester',
      ]);
      expect(report.status).toBe('budgetExhausted');
      expect(report.successfulSteps).toEqual(['a']);
    },
  );

  scenario(
    'lets what is in flight finish within the grace period, and keeps it',
    (clock) => ({
      options: {
        agents: [slowAgent('slow', clock, 1_000), slowAgent('worker', clock, 100)],
        policy: definePolicy({ limits: { maxAgentCalls: 2 }, time: { graceMs: 5_000 } }),
      },
      start: { plan: { steps: steps('slow:a', 'b', 'c<b') } },
    }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'budgetExhausted', durationMs: 1_000 });
      expect(report.successfulSteps).toEqual(['a', 'b']);
    },
  );

  scenario(
    'holds when many ask at once',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 100)],
        policy: definePolicy({ limits: { maxAgentCalls: 3, maxParallel: 10 } }),
      },
      start: { plan: { steps: steps('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j') } },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called')).toHaveLength(3);
      expect(report.successfulSteps).toEqual(['a', 'b', 'c']);
      expect(report.status).toBe('budgetExhausted');
    },
  );

  scenario(
    'counts what a fallback uses',
    () => ({
      options: {
        agents: [
          defineAgent({
            name: 'worker',
            description: 'Has an expensive plan B',
            run: () => {
              throw new Error('down');
            },
            fallback: () => done('plan B', { usage: { inputTokens: 100 } }),
          }),
        ],
        policy: definePolicy({
          limits: { maxTokens: 100, maxParallel: 1 },
          retry: { attempts: 1 },
        }),
      },
      start: { plan: { steps: steps('a', 'b') } },
    }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'budgetExhausted', reason: 'maxTokens' });
      expect(report.successfulSteps).toEqual(['a']);
    },
  );

  scenario(
    'without anybody to say what was used is not used up',
    () => fiveSteps({ maxTokens: 1, maxCostUsd: 0.01 }, using({})),
    ({ report }) => {
      expect(report.status).toBe('completed');
    },
  );
});

describe('a budget that is used up before the run itself wants to ask somebody', () => {
  scenario(
    'the planner: ends the run without a plan',
    () => ({
      options: {
        agents: [agentNamed('worker', () => 'x')],
        planner: inTurn(new Error('down'), { steps: steps('a') }) as never,
        policy: definePolicy({ limits: { maxAgentCalls: 1 } }),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called')).toHaveLength(1);
      expect(report).toMatchObject({ status: 'budgetExhausted', reason: 'maxAgentCalls' });
    },
  );

  scenario(
    'the supervisor, for the plan: nothing of it runs',
    () => ({
      options: {
        agents: [agentNamed('worker', () => 'x')],
        planner: () => ({ steps: steps('a') }),
        supervisor: () => ({ score: 100 }),
        policy: definePolicy({ limits: { maxAgentCalls: 1 }, gates: { plan: 70 } }),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('step.started')).toEqual([]);
      expect(report).toMatchObject({ status: 'budgetExhausted', reason: 'maxAgentCalls' });
    },
  );

  scenario(
    'the supervisor, for the goal: the work is kept, the goal is not confirmed',
    () => ({
      options: {
        agents: [using({ inputTokens: 100 })],
        supervisor: () => ({ score: 100 }),
        policy: definePolicy({ limits: { maxTokens: 100 }, gates: { goal: 80 } }),
      },
      start: { plan: { steps: steps('a') } },
    }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'budgetExhausted', reason: 'maxTokens' });
      expect(report.successfulSteps).toEqual(['a']);
    },
  );

  scenario(
    'the summarizer: the run has reached its goal all the same',
    () => ({
      options: {
        agents: [agentNamed('worker', () => 'x')],
        summarizer: () => 'Never asked',
        policy: definePolicy({ limits: { maxAgentCalls: 2 } }),
      },
      start: { plan: { steps: steps('a', 'b') } },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called')).toHaveLength(2);
      expect(report).toMatchObject({ status: 'completed', allSucceeded: true });
    },
  );
});
