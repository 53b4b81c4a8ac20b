import { describe, expect } from 'vitest';

import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import { scriptedAgent } from './scripted.js';
import { agentNamed, slowAgent, steps } from './team.js';

const down = new Error('down');

/** Failures stop no other step. The breaker opens after two failures and resets after ten seconds. */
const policyOf = (overrides: PolicyOverrides = {}) =>
  definePolicy({
    failure: { onStepFailure: 'continue', onDependencyFailure: 'run' },
    breaker: { failures: 2, resetMs: 10_000 },
    ...overrides,
    limits: { maxFailures: 99, maxParallel: 1, ...overrides.limits },
    retry: { attempts: 1, ...overrides.retry },
  });

describe('the breaker of an agent', () => {
  scenario(
    'opens after its failures in a row, refuses calls, lets one through after the reset and closes',
    (clock) => ({
      options: {
        agents: [scriptedAgent('worker', down, down, 'back'), slowAgent('other', clock, 10_000)],
        policy: policyOf(),
      },
      start: { plan: { steps: steps('a', 'b<a', 'c<b', 'other:wait<c', 'd<wait', 'e<d') } },
    }),
    ({ report, facts, factsOf }) => {
      const told = facts.filter(
        (fact) => fact.type === 'breaker.opened' || fact.type === 'breaker.closed',
      );
      expect(told.map(({ type, at }) => [type, at])).toEqual([
        ['breaker.opened', 0],
        ['breaker.closed', 10_000],
      ]);
      expect(
        factsOf('agent.called')
          .filter(({ agent }) => agent === 'worker')
          .map(({ stepId }) => stepId),
      ).toEqual(['a', 'b', 'd', 'e']);
      expect(factsOf('step.failed').map(({ stepId, code }) => [stepId, code])).toEqual([
        ['a', 'threw'],
        ['b', 'threw'],
        ['c', 'breaker-open'],
      ]);
      expect(report.successfulSteps).toEqual(['wait', 'd', 'e']);
    },
  );

  scenario(
    'opens again when the one call it lets through fails',
    (clock) => ({
      options: {
        agents: [scriptedAgent('worker', down), slowAgent('other', clock, 10_000)],
        policy: policyOf(),
      },
      start: {
        plan: {
          steps: steps('a', 'b<a', 'other:wait<b', 'c<wait', 'd<c', 'other:again<d', 'e<again'),
        },
      },
    }),
    ({ facts, factsOf }) => {
      expect(facts.filter((fact) => fact.type === 'breaker.opened').map(({ at }) => at)).toEqual([
        0, 10_000, 20_000,
      ]);
      expect(factsOf('step.failed').map(({ stepId, code }) => [stepId, code])).toEqual([
        ['a', 'threw'],
        ['b', 'threw'],
        ['c', 'threw'],
        ['d', 'breaker-open'],
        ['e', 'threw'],
      ]);
    },
  );

  scenario(
    'lets exactly one call through after the reset, even when others are requested meanwhile',
    (clock) => ({
      options: {
        agents: [
          scriptedAgent('worker', down, down, (call: { readonly signal: AbortSignal }) =>
            clock.sleep(500, call.signal).then(() => 'back'),
          ),
          slowAgent('other', clock, 10_000),
        ],
        policy: policyOf({ limits: { maxParallel: 3 } }),
      },
      start: {
        plan: { steps: steps('a', 'b', 'other:wait<a,b', 'c<wait', 'd<wait', 'e<wait') },
      },
    }),
    ({ factsOf }) => {
      expect(
        factsOf('agent.failed')
          .filter(({ code }) => code === 'breaker-open')
          .map(({ stepId }) => stepId),
      ).toEqual(['d', 'e']);
      expect(factsOf('breaker.closed')).toHaveLength(1);
    },
  );

  scenario(
    'starts counting again after a success: only failures in a row open it',
    () => ({
      options: {
        agents: [scriptedAgent('worker', down, 'fine', down, 'fine', down, 'fine')],
        policy: policyOf(),
      },
      start: { plan: { steps: steps('a', 'b<a', 'c<b', 'd<c', 'e<d', 'f<e') } },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('breaker.opened')).toEqual([]);
      expect(report.successfulSteps).toEqual(['b', 'd', 'f']);
    },
  );

  scenario(
    'is one per agent: calls of another agent go through',
    () => ({
      options: {
        agents: [scriptedAgent('worker', down), agentNamed('other', () => 'fine')],
        policy: policyOf(),
      },
      start: { plan: { steps: steps('a', 'b<a', 'other:c<b', 'd<c') } },
    }),
    ({ report }) => {
      expect(report.successfulSteps).toEqual(['c']);
      expect(report.steps.map(({ code }) => code)).toEqual([
        'threw',
        'threw',
        null,
        'breaker-open',
      ]);
    },
  );

  const patient = (backoffMs: number): ScenarioSetup => ({
    options: {
      agents: [scriptedAgent('worker', down, down, 'back')],
      policy: policyOf({ retry: { attempts: 5, backoffMs, maxBackoffMs: 20_000 } }),
    },
    start: { plan: { steps: steps('a') } },
  });

  scenario(
    'refuses a try, and the next try can go through after the reset',
    () => patient(4_000),
    ({ report, factsOf }) => {
      expect(factsOf('agent.failed').some(({ code }) => code === 'breaker-open')).toBe(true);
      expect(factsOf('breaker.closed')).toHaveLength(1);
      expect(report.steps[0]).toMatchObject({ status: 'completed', output: 'back' });
    },
  );

  scenario(
    'leaves no timer behind when the run ends while it is open',
    () => patient(1),
    ({ report, factsOf }) => {
      expect(factsOf('breaker.opened')).toHaveLength(1);
      expect(report.steps[0]).toMatchObject({ status: 'failed', code: 'breaker-open' });
      expect(report.durationMs).toBeLessThan(10_000);
    },
  );

  scenario(
    'exists only for agents: a planner that fails has retries and no breaker',
    () => ({
      options: {
        agents: [agentNamed('worker', () => 'x')],
        planner: () => {
          throw down;
        },
        policy: policyOf({ retry: { attempts: 5, backoffMs: 0 } }),
      },
    }),
    ({ factsOf }) => {
      expect(factsOf('agent.called')).toHaveLength(5);
      expect(factsOf('breaker.opened')).toEqual([]);
    },
  );
});

describe('a try that the breaker refuses', () => {
  const shutOut = (overrides: PolicyOverrides, ...plan: readonly string[]): ScenarioSetup => ({
    options: {
      agents: [scriptedAgent('worker', down)],
      policy: policyOf({ breaker: { failures: 1, resetMs: 60_000 }, ...overrides }),
    },
    start: { plan: { steps: steps(...plan) } },
  });

  scenario(
    'counts like one that goes out: a run whose agents are all refused ends by its budget',
    () => shutOut({ limits: { maxAgentCalls: 3 } }, 'a', 'b', 'c', 'd', 'e'),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'budgetExhausted', reason: 'maxAgentCalls' });
      expect(factsOf('agent.called')).toHaveLength(1);
      expect(factsOf('agent.failed').map(({ code }) => code)).toEqual([
        'threw',
        'breaker-open',
        'breaker-open',
        'budget-exhausted',
      ]);
    },
  );

  scenario(
    'is counted once: a run that requests exactly as many calls as its budget has loses none',
    () => shutOut({ limits: { maxAgentCalls: 3 }, retry: { attempts: 3, backoffMs: 100 } }, 'a'),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed' });
      expect(factsOf('agent.called')).toHaveLength(1);
      expect(factsOf('budget.exhausted')).toEqual([]);
      expect(factsOf('step.failed')).toMatchObject([{ code: 'breaker-open' }]);
    },
  );
});

describe('calls that are requested at the same moment', () => {
  scenario(
    'are counted before a breaker lets them through: the budget is not exceeded',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 100)],
        policy: policyOf({ limits: { maxAgentCalls: 3, maxParallel: 10 } }),
      },
      start: { plan: { steps: steps('a', 'b', 'c', 'd', 'e') } },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called')).toHaveLength(3);
      expect(report.successfulSteps).toEqual(['a', 'b', 'c']);
      expect(report.status).toBe('budgetExhausted');
    },
  );
});
