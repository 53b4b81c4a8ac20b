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
      `${limit}: ends the run when it is spent and keeps the work done so far (${calls} calls)`,
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
      `${limit}: completes a run that needs exactly that much (${calls} calls)`,
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
    'counts the usage of a failed try, read from its error or from its invalid answer',
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
    'counts the usage of the summary',
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
    'lets calls in flight finish within the grace period and keeps their answers',
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
    'holds when many calls are requested at once',
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
    'counts the usage of a fallback',
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
    'is not spent when no answer reports usage',
    () => fiveSteps({ maxTokens: 1, maxCostUsd: 0.01 }, using({})),
    ({ report }) => {
      expect(report.status).toBe('completed');
    },
  );
});

describe('a budget that is spent before a call of a role', () => {
  scenario(
    'ends the run without a plan when the call was for the planner',
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
    'starts nothing of the plan when the call was for the plan gate',
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
    'keeps the work and leaves the goal unconfirmed when the call was for the goal gate',
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
    'still completes the run when the call was for the summarizer',
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
