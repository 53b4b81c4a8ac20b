import { describe, expect } from 'vitest';

import { defineAgent } from '../../src/agents/agent.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { ScenarioResult, ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import { inTurn, scriptedAgent } from './scripted.js';
import { agentNamed, steps } from './team.js';

const down = new Error('down');

const failing = (times: number, retry: PolicyOverrides['retry']): ScenarioSetup => ({
  options: {
    agents: [scriptedAgent('worker', ...Array.from({ length: times }, () => down), 'at last')],
    policy: definePolicy({ retry, failure: { onStepFailure: 'continue' } }),
  },
  start: { plan: { steps: steps('a') } },
});

/** The pauses between the calls that went out. */
const pausesOf = ({ facts }: ScenarioResult): number[] => {
  const times = facts.filter((fact) => fact.type === 'agent.called').map(({ at }) => at);
  return times.slice(1).map((time, index) => time - (times[index] ?? 0));
};

describe('a call that fails', () => {
  scenario(
    'twice and then succeeds gives the output of a call that never failed, under the key of its try',
    () => failing(2, { attempts: 3 }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called').map((fact) => [fact.key, fact.try])).toEqual([
        ['run/a/1/worker', 1],
        ['run/a/1/worker#2', 2],
        ['run/a/1/worker#3', 3],
      ]);
      expect(factsOf('agent.failed').map(({ key, code, reason }) => [key, code, reason])).toEqual([
        ['run/a/1/worker', 'threw', 'Error: down'],
        ['run/a/1/worker#2', 'threw', 'Error: down'],
      ]);
      expect(factsOf('step.completed')).toMatchObject([
        { attempts: 1, outputKeys: ['run/a/1/worker#3'] },
      ]);
      expect(report.steps[0]).toMatchObject({ status: 'completed', output: 'at last' });
      expect(report.metrics.agents['worker']).toMatchObject({ calls: 3, errors: 2, answers: 1 });
    },
  );

  scenario(
    'every time is tried exactly as often as the policy says, and fails the step with the last reason',
    () => failing(99, { attempts: 4 }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called')).toHaveLength(4);
      expect(factsOf('step.failed')).toMatchObject([
        { stepId: 'a', code: 'threw', reason: 'Error: down', attempts: 1 },
      ]);
      expect(report.status).toBe('failed');
    },
  );

  scenario(
    'is not retried when the policy allows one try',
    () => failing(1, { attempts: 1 }),
    ({ factsOf }) => {
      expect(factsOf('agent.called')).toHaveLength(1);
    },
  );

  scenario(
    'waits longer from try to try, up to the cap',
    () => failing(99, { attempts: 10, backoffMs: 100, maxBackoffMs: 1_000 }),
    (result) => {
      const pauses = pausesOf(result);
      expect(pauses).toHaveLength(9);
      for (const [index, pause] of pauses.entries()) {
        expect(pause).toBeLessThanOrEqual(1_000);
        expect(pause).toBeGreaterThanOrEqual(pauses[index - 1] ?? 50);
      }
      expect(pauses.at(-1)).toBeGreaterThan(500);
    },
  );

  scenario(
    'is retried immediately when the policy has no backoff',
    () => failing(2, { attempts: 3, backoffMs: 0 }),
    (result) => {
      expect(pausesOf(result)).toEqual([0, 0]);
      expect(result.report.durationMs).toBe(0);
    },
  );

  scenario(
    'beside others has its own backoff, so that retries are spread',
    () => ({
      options: {
        agents: [
          agentNamed('worker', () => {
            throw down;
          }),
        ],
        policy: definePolicy({
          retry: { attempts: 2, backoffMs: 10_000 },
          // More would end the run and its pending retries.
          limits: { maxParallel: 10, maxFailures: 10 },
          failure: { onStepFailure: 'continue' },
        }),
      },
      start: { plan: { steps: steps('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j') } },
    }),
    ({ facts }) => {
      const retries = facts.filter((fact) => fact.type === 'agent.called' && fact.try === 2);
      expect(new Set(retries.map(({ at }) => at)).size).toBeGreaterThanOrEqual(9);
      for (const { at } of retries) {
        expect(at).toBeGreaterThanOrEqual(5_000);
        expect(at).toBeLessThanOrEqual(10_000);
      }
    },
  );

  scenario(
    'is retried for planner, supervisor, tester and summarizer alike',
    () => ({
      options: {
        agents: [agentNamed('worker', () => 'x')],
        planner: inTurn(down, { steps: steps('a', 'b') }) as never,
        supervisor: inTurn(down, { score: 90 }) as never,
        tester: inTurn(down, { passed: true }) as never,
        summarizer: inTurn(down, 'All done') as never,
        policy: definePolicy({ gates: { goal: 80 }, limits: { maxParallel: 1 } }),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.failed').map((fact) => fact.role)).toEqual([
        'planner',
        'tester',
        'supervisor',
        'summarizer',
      ]);
      expect(report).toMatchObject({ status: 'completed', summary: 'All done' });
    },
  );

  scenario(
    'by answering with something other than a plan, every time, fails the run before any agent is called',
    () => ({
      options: {
        agents: [agentNamed('worker', () => 'x')],
        planner: () => {
          throw down;
        },
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called').map((fact) => fact.key)).toEqual([
        'run/plan/planner.1',
        'run/plan/planner.1#2',
        'run/plan/planner.1#3',
      ]);
      expect(report).toMatchObject({ status: 'failed', reason: 'planning-failed' });
    },
  );

  scenario(
    'because the answer timed out is retried like any other',
    (clock) => ({
      options: {
        agents: [
          scriptedAgent(
            'worker',
            (call: { readonly signal: AbortSignal }) => clock.sleep(9_999, call.signal),
            'in time',
          ),
        ],
        policy: definePolicy({ time: { stepTimeoutMs: 1_000 }, retry: { backoffMs: 0 } }),
      },
      start: { plan: { steps: steps('a') } },
    }),
    ({ report, facts }) => {
      expect(facts.find((fact) => fact.type === 'agent.failed')).toMatchObject({
        at: 1_000,
        code: 'timeout',
      });
      expect(report.steps[0]).toMatchObject({ status: 'completed', output: 'in time' });
    },
  );
});

describe('a fallback', () => {
  const withFallback = (
    fallback: () => unknown,
    policy: PolicyOverrides = {},
    run: () => unknown = () => {
      throw down;
    },
  ): ScenarioSetup => ({
    options: {
      agents: [
        defineAgent({ name: 'worker', description: 'Has a plan B', run, fallback }),
        agentNamed('reader', (call) => call.dependencies.map(({ output }) => output)),
      ],
      policy: definePolicy({
        failure: { onStepFailure: 'continue' },
        ...policy,
        retry: { attempts: 2, ...policy.retry },
      }),
    },
    start: { plan: { steps: steps('a', 'reader:b<a') } },
  });

  scenario(
    'answers once, after every try failed, and the run continues with its answer',
    () => withFallback(() => 'plan B'),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called').map(({ key, isFallback }) => [key, isFallback])).toEqual([
        ['run/a/1/worker', false],
        ['run/a/1/worker#2', false],
        ['run/a/1/worker#fallback', true],
        ['run/b/1/worker', false],
      ]);
      expect(factsOf('step.completed')[0]?.outputKeys).toEqual(['run/a/1/worker#fallback']);
      expect(report.steps[1]?.output).toEqual(['plan B']);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'that fails too fails the step, and is not retried',
    () =>
      withFallback(() => {
        throw new Error('plan B is down');
      }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called').filter(({ isFallback }) => isFallback)).toHaveLength(1);
      expect(report.steps[0]).toMatchObject({ code: 'threw', reason: 'Error: plan B is down' });
    },
  );

  scenario(
    'that hangs is aborted after the timeout of one try',
    () =>
      withFallback(() => new Promise(() => undefined), {
        time: { stepTimeoutMs: 500 },
        retry: { backoffMs: 0 },
      }),
    ({ report }) => {
      expect(report.steps[0]).toMatchObject({ code: 'timeout', durationMs: 500 });
    },
  );

  scenario(
    'is not used when the policy turns it off',
    () => withFallback(() => 'plan B', { retry: { fallback: false } }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called').filter(({ isFallback }) => isFallback)).toEqual([]);
      expect(report.failedSteps).toEqual(['a']);
    },
  );

  scenario(
    'is not used when a try succeeds',
    () => withFallback(() => 'plan B', {}, inTurn(down, 'plan A') as () => unknown),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called').filter(({ isFallback }) => isFallback)).toEqual([]);
      expect(report.steps[0]?.output).toBe('plan A');
    },
  );

  scenario(
    'counts as a call and is not made beyond the budget',
    () => withFallback(() => 'plan B', { limits: { maxAgentCalls: 2 } }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called')).toHaveLength(2);
      expect(report).toMatchObject({ status: 'budgetExhausted', reason: 'maxAgentCalls' });
    },
  );

  scenario(
    'is called while the breaker is open, and does not close it',
    () => withFallback(() => 'plan B', { breaker: { failures: 1, resetMs: 60_000 } }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.failed').map(({ code }) => code)).toEqual(['threw', 'breaker-open']);
      expect(report.steps[0]).toMatchObject({ status: 'completed', output: 'plan B' });
      expect(factsOf('breaker.opened', 'breaker.closed')).toEqual([
        { type: 'breaker.opened', agent: 'worker' },
      ]);
    },
  );
});
