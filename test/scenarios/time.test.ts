import { describe, expect } from 'vitest';

import { needsContext } from '../../src/agents/report.js';
import { definePolicy } from '../../src/policy/policy.js';
import { scenario } from './harness.js';
import { inTurn, scriptedAgent } from './scripted.js';
import type { TestAgent } from './team.js';
import { agentNamed, slowAgent, steps } from './team.js';

const LIMIT_MS = 10_000;

/** Nearly all of the time is for the steps, so that steps that start a little later reach the limit. */
const allForSteps = { limitMs: LIMIT_MS, planningMs: 1, verificationMs: 1 } as const;

const never = new Promise<never>(() => undefined);

const startsOf = (facts: readonly { type: string; at: number; stepId?: string | null }[]) =>
  facts.filter(({ type }) => type === 'step.started').map(({ stepId, at }) => [stepId, at]);

/* A limit during much concurrent work, and times of every length: test/faults/time.test.ts. */
describe('the time limit', () => {
  scenario(
    'gives running steps the grace period, keeps what finishes and starts nothing new',
    (clock) => ({
      options: {
        agents: [slowAgent('early', clock, 200), slowAgent('worker', clock, 9_900)],
        policy: definePolicy({ time: { ...allForSteps, graceMs: 500 } }),
      },
      start: { plan: { steps: steps('early:early', 'a<early', 'b<a') } },
    }),
    ({ report, facts }) => {
      expect(report).toMatchObject({ status: 'timeExpired', durationMs: 10_100 });
      expect(report.successfulSteps).toEqual(['early', 'a']);
      expect(report.cancelledSteps).toEqual(['b']);
      expect(startsOf(facts)).toHaveLength(2);
    },
  );

  scenario(
    'ends the run immediately when there is no grace period',
    (clock) => ({
      options: {
        agents: [slowAgent('early', clock, 200), slowAgent('worker', clock, 9_900)],
        policy: definePolicy({ time: { ...allForSteps, graceMs: 0 } }),
      },
      start: { plan: { steps: steps('early:early', 'a<early') } },
    }),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'timeExpired', durationMs: LIMIT_MS });
      expect(report.cancelledSteps).toEqual(['a']);
      expect(factsOf('agent.answered')).toHaveLength(1);
    },
  );

  scenario(
    'holds when the planner hangs and its budget is nearly the whole run',
    () => ({
      options: {
        agents: [agentNamed('worker', () => 'x')],
        planner: () => never,
        policy: definePolicy({
          time: { limitMs: 1000, planningMs: 998, verificationMs: 1, graceMs: 100 },
          retry: { attempts: 1 },
        }),
      },
    }),
    ({ report }) => {
      expect(report.durationMs).toBeLessThanOrEqual(1100);
      expect(report.status).toBe('failed');
    },
  );

  for (const limitMs of [1, 2, 9, 10]) {
    scenario(
      `of ${limitMs} ms still ends with a report, within limit and grace`,
      () => ({
        options: {
          agents: [agentNamed('worker', () => never)],
          policy: definePolicy({ time: { limitMs, graceMs: 5 } }),
        },
        start: { plan: { steps: steps('a', 'b<a') } },
      }),
      ({ report }) => {
        expect(report.durationMs).toBeLessThanOrEqual(limitMs + 5);
        expect(['timeExpired', 'failed']).toContain(report.status);
        expect(report.successfulSteps).toEqual([]);
      },
    );
  }
});

describe('the end of the execution time', () => {
  scenario(
    'comes before the limit: no step starts after it, and the goal is still verified',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 3_100)],
        supervisor: async ({ signal }) => {
          await clock.sleep(500, signal);
          return { score: 40, feedback: 'Not there yet' };
        },
        planner: () => ({ steps: steps('a', 'b<a', 'c<b', 'd<c') }),
        policy: definePolicy({ time: { limitMs: LIMIT_MS }, gates: { goal: 80 } }),
      },
    }),
    ({ report, facts, factsOf }) => {
      expect(facts.find((fact) => fact.type === 'time.executionClosed')?.at).toBe(9_000);
      expect(startsOf(facts)).toEqual([
        ['a', 0],
        ['b', 3_100],
        ['c', 6_200],
      ]);
      expect(facts.find((fact) => fact.type === 'verdict.given')).toMatchObject({
        at: 9_800,
        subject: 'goal',
        passed: false,
      });
      // There is a replan budget, but no time to use it.
      expect(factsOf('replan.started')).toEqual([]);
      expect(report).toMatchObject({ status: 'failed', reason: 'goal-not-achieved' });
      expect(report.successfulSteps).toEqual(['a', 'b', 'c']);
      expect(report.cancelledSteps).toEqual(['d']);
    },
  );

  scenario(
    'ends a run with work left as soon as nothing runs, and keeps completed work',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 3_100)],
        policy: definePolicy({ time: { limitMs: LIMIT_MS } }),
      },
      start: { plan: { steps: steps('a', 'b<a', 'c<b', 'd<c') } },
    }),
    ({ report }) => {
      expect(report).toMatchObject({
        status: 'timeExpired',
        reason: 'execution-time-used',
        durationMs: 9_300,
      });
      expect(report.successfulSteps).toEqual(['a', 'b', 'c']);
    },
  );

  scenario(
    'drops replan requests, because no time is left to carry them out',
    (clock) => ({
      options: {
        agents: [
          agentNamed('worker', async (call) => {
            await clock.sleep(4_800, call.signal);
            return needsContext('More, please');
          }),
        ],
        planner: () => ({ steps: steps('a', 'b<a') }),
        policy: definePolicy({
          time: { limitMs: LIMIT_MS },
          limits: { maxReplans: 1 },
          replan: { merge: 'append', stopOnRepeatedPlan: false },
        }),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('replan.started')).toHaveLength(1);
      expect(report.durationMs).toBeLessThanOrEqual(LIMIT_MS);
      expect(report.status).toBe('timeExpired');
    },
  );
});

describe('the budget of a phase', () => {
  const planning: { signal?: AbortSignal } = {};
  scenario(
    'of the planner is a tenth of the time: a planner that exceeds it is aborted, and the run fails',
    () => ({
      options: {
        agents: [agentNamed('worker', () => 'x')],
        planner: ({ signal }) => {
          planning.signal = signal;
          return never;
        },
        policy: definePolicy({ time: { limitMs: LIMIT_MS } }),
      },
    }),
    ({ report, facts, factsOf }) => {
      expect(facts.find((fact) => fact.type === 'time.expired')).toMatchObject({
        at: 1_000,
        scope: 'planning',
      });
      expect(factsOf('plan.rejected')).toMatchObject([
        { by: 'planner', reason: 'The planner took too long' },
      ]);
      expect(report).toMatchObject({ status: 'failed', reason: 'planning-failed' });
      expect(planning.signal?.aborted).toBe(true);
    },
  );

  scenario(
    'of a replan leaves the current plan when the planner exceeds it',
    (clock) => ({
      options: {
        agents: [
          scriptedAgent('worker', needsContext('More, please', 'partial'), 'second'),
          slowAgent('other', clock, 10),
        ],
        planner: inTurn({ steps: steps('a', 'other:b<a') }, () => never) as never,
        policy: definePolicy({ time: { limitMs: LIMIT_MS } }),
      },
    }),
    ({ report, facts }) => {
      expect(facts.find((fact) => fact.type === 'time.expired')).toMatchObject({
        at: 1_000,
        scope: 'planning',
      });
      expect(report).toMatchObject({ status: 'completed', durationMs: 1_010, replans: 1 });
      expect(report.successfulSteps).toEqual(['a', 'b']);
      expect(report.steps[0]?.output).toBe('partial');
    },
  );

  scenario(
    'of the goal review is a tenth of the time: a supervisor that exceeds it does not confirm the goal',
    () => ({
      options: {
        agents: [agentNamed('worker', () => 'x')],
        supervisor: () => never,
        policy: definePolicy({ time: { limitMs: LIMIT_MS }, gates: { goal: 80 } }),
      },
      start: { plan: { steps: steps('a') } },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('time.expired')).toEqual([{ type: 'time.expired', scope: 'verification' }]);
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'verification-timeout',
        durationMs: 1_000,
      });
      expect(report.successfulSteps).toEqual(['a']);
    },
  );

  scenario(
    'of the summary costs only the summary when the summarizer exceeds it',
    () => ({
      options: {
        agents: [agentNamed('worker', () => 'x')],
        summarizer: () => never,
        policy: definePolicy({ time: { limitMs: LIMIT_MS } }),
      },
      start: { plan: { steps: steps('a', 'b') } },
    }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', durationMs: 1_000 });
    },
  );
});

describe('the budget of a step', () => {
  const share: { worker?: TestAgent } = {};
  scenario(
    'is its share of the execution time; the next step gets its own',
    (clock) => {
      const worker = agentNamed('worker', async (call) => {
        await clock.sleep(call.step.id === 'a' ? 60_000 : 3_999, call.signal);
        return 'in time';
      });
      share.worker = worker;
      return {
        options: {
          agents: [worker],
          policy: definePolicy({
            time: { limitMs: LIMIT_MS, stepShare: true },
            limits: { maxParallel: 1 },
            failure: { onStepFailure: 'continue' },
          }),
        },
        start: { plan: { steps: steps('a', 'b') } },
      };
    },
    ({ report, facts }) => {
      expect(facts.find((fact) => fact.type === 'step.failed')).toMatchObject({
        at: 4_000,
        stepId: 'a',
        code: 'step-timeout',
      });
      expect(share.worker?.calls[0]?.signal.aborted).toBe(true);
      expect(report.steps[1]).toMatchObject({ status: 'completed', durationMs: 3_999 });
    },
  );

  scenario(
    'does not count the time a person takes to approve',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 3_500)],
        policy: definePolicy({
          time: { limitMs: LIMIT_MS, stepShare: true },
          approval: { agents: ['worker'] },
        }),
      },
      start: { plan: { steps: steps('a') } },
      at: { 5_000: (control) => control.approve('a:1.1') },
    }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', durationMs: 8_500 });
    },
  );

  scenario(
    'bounds all of its tries together, backoff included',
    () => ({
      options: {
        agents: [
          agentNamed('worker', () => {
            throw new Error('down');
          }),
        ],
        policy: definePolicy({
          time: { limitMs: LIMIT_MS, stepShare: true },
          retry: { attempts: 10, backoffMs: 5_000 },
          failure: { onStepFailure: 'continue' },
        }),
      },
      start: { plan: { steps: steps('a') } },
    }),
    ({ report, factsOf }) => {
      expect(report.steps[0]).toMatchObject({ code: 'step-timeout', durationMs: 8_000 });
      expect(factsOf('agent.called').length).toBeLessThanOrEqual(3);
    },
  );

  scenario(
    'gives a fix three tenths of it',
    (clock) => ({
      options: {
        agents: [
          agentNamed('worker', async (call) => {
            if (call.mode === 'fix') await clock.sleep(60_000, call.signal);
            return 'first version';
          }),
        ],
        tester: () => ({ passed: false, failures: ['broken'] }),
        policy: definePolicy({
          time: { limitMs: LIMIT_MS, stepShare: true },
          failure: { onStepFailure: 'continue' },
        }),
      },
      start: { plan: { steps: steps('a') } },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('fix.started')).toHaveLength(1);
      expect(report.steps[0]).toMatchObject({ code: 'fix-timeout', durationMs: 2_400 });
    },
  );
});

describe('extending the time of a run', () => {
  scenario(
    'early lets more steps start, and the time to conclude is added',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 3_000)],
        policy: definePolicy({ time: { limitMs: LIMIT_MS } }),
      },
      start: { plan: { steps: steps('a', 'b<a', 'c<b', 'd<c', 'e<d') } },
      at: {
        100: (control) => control.extendTime(2_000),
        200: (control) => control.extendTime(3_000),
      },
    }),
    ({ report, factsOf, commands }) => {
      expect(commands).toEqual([{ accepted: true }, { accepted: true }]);
      expect(factsOf('time.extended').map((fact) => fact.extraMs)).toEqual([2_000, 3_000]);
      expect(report).toMatchObject({ status: 'completed', durationMs: 15_000 });
    },
  );

  scenario(
    'moves the end of the execution and the limit by the same amount',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 3_300)],
        policy: definePolicy({ time: { limitMs: LIMIT_MS, graceMs: 0 } }),
      },
      start: { plan: { steps: steps('a', 'b<a', 'c<b', 'd<c', 'e<d', 'f<e') } },
      at: { 8_999: (control) => control.extendTime(5_000) },
    }),
    ({ report, facts }) => {
      expect(facts.find((fact) => fact.type === 'time.executionClosed')?.at).toBe(14_000);
      expect(facts.find((fact) => fact.type === 'time.expired')?.at).toBe(15_000);
      expect(report).toMatchObject({ status: 'timeExpired', durationMs: 15_000 });
      expect(report.successfulSteps).toEqual(['a', 'b', 'c', 'd']);
    },
  );

  scenario(
    'after the execution ended extends only the time to conclude: no more steps start',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 4_700)],
        supervisor: async ({ signal }) => {
          await clock.sleep(900, signal);
          return { score: 90 };
        },
        policy: definePolicy({ time: { limitMs: LIMIT_MS }, gates: { goal: 80 } }),
      },
      start: { plan: { steps: steps('a', 'b<a', 'c<b') } },
      at: { 9_100: (control) => control.extendTime(3_000) },
    }),
    ({ report, facts, factsOf }) => {
      expect(facts.find((fact) => fact.type === 'time.executionClosed')?.at).toBe(9_000);
      expect(startsOf(facts)).toEqual([
        ['a', 0],
        ['b', 4_700],
      ]);
      expect(factsOf('time.expired')).toEqual([]);
      expect(report).toMatchObject({ status: 'completed', durationMs: 10_300 });
      expect(report.cancelledSteps).toEqual(['c']);
    },
  );
});
