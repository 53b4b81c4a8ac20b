import { describe, expect } from 'vitest';

import { defineAgent } from '../../src/agents/agent.js';
import { askHuman, blocked, needsContext } from '../../src/agents/report.js';
import type { Fact } from '../../src/model/facts.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { after, workerBy } from './by-step.js';
import type { ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import { plannerInTurn } from './planners.js';
import { inTurn } from './scripted.js';
import { steps } from './team.js';

/*
 * In every run here step `last` ends the run after 1,000 ms, because no replan is left; the grace period is another
 * 1,000 ms. Whatever step `a` does after that happens while the run winds down.
 */

type Options = ScenarioSetup['options'];

const endingWith = (
  clock: VirtualClock,
  work: unknown,
  policy: PolicyOverrides = {},
  options: Partial<Options> = {},
): ScenarioSetup => ({
  options: {
    agents: [workerBy({ last: after(clock, 1_000, needsContext('More')), a: work })],
    policy: definePolicy({
      time: { graceMs: 1_000 },
      replan: { onLimit: 'fail' },
      ...policy,
      retry: { attempts: 2, backoffMs: 1_000, ...policy.retry },
      limits: { maxReplans: 0, maxAttempts: 2, ...policy.limits },
    }),
    ...options,
  },
  start: { plan: { steps: steps('last', 'a') } },
});

const callsOf = (facts: readonly Fact[], stepId: string): [string, number][] =>
  facts.flatMap((fact): [string, number][] =>
    fact.type === 'agent.called' && fact.stepId === stepId ? [[fact.role, fact.at]] : [],
  );

const CUT = { status: 'cancelled', reason: 'The run is ending' } as const;
const down = new Error('Down');

describe('while a run winds down', () => {
  scenario(
    'a pending retry does not go out, and the run does not wait for it',
    (clock) => endingWith(clock, after(clock, 600, down)),
    ({ report, facts }) => {
      expect(callsOf(facts, 'a')).toEqual([['worker', 0]]);
      expect(report.steps[1]).toMatchObject({ ...CUT, endedAt: 1_000 });
      expect(report).toMatchObject({ status: 'failed', reason: 'replan-limit', durationMs: 1_000 });
    },
  );

  scenario(
    'a call that fails is not retried',
    (clock) => endingWith(clock, after(clock, 1_200, down)),
    ({ report, facts, factsOf }) => {
      expect(callsOf(facts, 'a')).toEqual([['worker', 0]]);
      expect(factsOf('agent.failed')).toMatchObject([{ code: 'threw' }]);
      expect(report.steps[1]).toMatchObject({ ...CUT, endedAt: 1_200 });
      expect(report.durationMs).toBe(1_200);
    },
  );

  scenario(
    'a call that would not have been retried fails',
    (clock) => endingWith(clock, after(clock, 1_200, down), { retry: { attempts: 1 } }),
    ({ report }) => {
      expect(report.steps[1]).toMatchObject({ status: 'failed', code: 'threw', endedAt: 1_200 });
    },
  );

  scenario(
    'a failure leads to no other plan, even with replan budget left',
    (clock) => ({
      options: {
        agents: [workerBy({ early: after(clock, 500, 'early'), a: after(clock, 700, down) })],
        planner: plannerInTurn(['early', 'a<early'], ['never']),
        policy: definePolicy({
          time: { limitMs: 1_000, planningMs: 1, verificationMs: 1, graceMs: 1_000 },
          retry: { attempts: 1 },
        }),
      },
    }),
    ({ report, factsOf }) => {
      expect(report.steps[1]).toMatchObject({ status: 'failed', code: 'threw', endedAt: 1_200 });
      expect(factsOf('replan.requested')).toEqual([]);
      expect(report).toMatchObject({ status: 'timeExpired', durationMs: 1_200 });
    },
  );

  scenario(
    'a fallback is not called',
    (clock) => {
      const worker = defineAgent({
        name: 'worker',
        description: 'Has a fallback',
        run: async ({ signal }) => {
          await clock.sleep(1_200, signal);
          throw down;
        },
        fallback: () => 'with less',
      });
      const { options } = endingWith(clock, null, { retry: { attempts: 1 } });
      const start = { plan: { steps: steps('other:last', 'a') } };
      return {
        start,
        options: {
          ...options,
          agents: [workerBy({ last: after(clock, 1_000, needsContext('More')) }, 'other'), worker],
        },
      };
    },
    ({ report, facts }) => {
      expect(callsOf(facts, 'a')).toEqual([['worker', 0]]);
      expect(report.steps[1]).toMatchObject({ ...CUT, endedAt: 1_200 });
    },
  );

  scenario(
    'a blocked step is neither attempted again nor replaced by a sub-plan',
    (clock) =>
      endingWith(
        clock,
        after(clock, 1_200, blocked('Too hard')),
        { limits: { maxDepth: 1, maxAttempts: 1 } },
        { planner: () => ({ steps: steps('never') }) },
      ),
    ({ report, factsOf }) => {
      expect(factsOf('step.retried', 'subplan.started')).toEqual([]);
      expect(report.steps).toMatchObject([{ id: 'last' }, { status: 'failed', code: 'blocked' }]);
      expect(report.durationMs).toBe(1_200);
    },
  );

  scenario(
    'a step whose tests fail is not fixed',
    (clock) =>
      endingWith(clock, after(clock, 1_200, 'did a'), {}, { tester: () => ({ passed: false }) }),
    ({ report, factsOf }) => {
      expect(factsOf('fix.started')).toEqual([]);
      expect(report.steps[1]).toMatchObject({ status: 'failed', code: 'tests-failed' });
    },
  );

  scenario(
    'a question of an agent is not asked: its step has run out of time',
    (clock) => endingWith(clock, after(clock, 1_200, askHuman({ question: 'What now?' }))),
    ({ report, factsOf }) => {
      expect(factsOf('approval.requested')).toEqual([]);
      expect(report.steps[1]).toMatchObject({ ...CUT, endedAt: 1_200 });
      expect(report.durationMs).toBe(1_200);
    },
  );

  scenario(
    'no more votes are cast',
    (clock) => {
      const setup = endingWith(clock, after(clock, 600, 'did a'), { limits: { maxVotes: 3 } });
      const votes = { count: 3, choose: 'bestConfidence' } as const;
      const plan = { steps: [...steps('last'), ...steps('a').map((step) => ({ ...step, votes }))] };
      return { ...setup, start: { plan } };
    },
    ({ report, facts }) => {
      expect(callsOf(facts, 'a')).toEqual([
        ['worker', 0],
        ['worker', 600],
      ]);
      expect(report.steps[1]).toMatchObject({ status: 'completed', endedAt: 1_200 });
    },
  );

  scenario(
    'completed work is still reviewed, so that it counts',
    (clock) =>
      endingWith(
        clock,
        after(clock, 1_200, 'did a'),
        { gates: { code: 50, step: 50 } },
        {
          supervisor: async ({ signal }) => {
            await clock.sleep(50, signal);
            return { score: 90 };
          },
        },
      ),
    ({ report, facts }) => {
      expect(callsOf(facts, 'a')).toEqual([
        ['worker', 0],
        ['supervisor', 1_200],
        ['supervisor', 1_250],
      ]);
      expect(report.steps[1]).toMatchObject({ status: 'completed', endedAt: 1_300 });
    },
  );

  for (const [name, workMs, askedAt] of [
    ['before', 600, 600],
    ['after', 1_200, 1_200],
  ] as const) {
    scenario(
      `a supervisor that was called ${name} the end and fails is not retried, and the step is cancelled`,
      (clock) =>
        endingWith(
          clock,
          after(clock, workMs, 'did a'),
          { gates: { code: 50 } },
          { supervisor: inTurn(down) as () => never },
        ),
      ({ report, facts }) => {
        expect(callsOf(facts, 'a')).toEqual([
          ['worker', 0],
          ['supervisor', askedAt],
        ]);
        expect(report.steps[1]).toMatchObject({ ...CUT, endedAt: Math.max(1_000, askedAt) });
      },
    );
  }

  scenario(
    'a call of a sub-plan is not retried either',
    (clock) => {
      const last = after(clock, 1_000, needsContext('More'));
      const x = after(clock, 600, down);
      return endingWith(
        clock,
        null,
        { limits: { maxDepth: 1, maxAttempts: 1 } },
        {
          agents: [workerBy({ last, a: blocked('Too hard'), 'a/x': x })],
          planner: () => ({ steps: steps('x', 'y<x') }),
        },
      );
    },
    ({ report, facts }) => {
      expect(callsOf(facts, 'a/x')).toEqual([['worker', 0]]);
      expect(report.durationMs).toBe(1_000);
      expect(report.steps.map(({ id, status }) => [id, status])).toEqual([
        ['last', 'completed'],
        ['a', 'failed'],
        ['a/x', 'cancelled'],
        ['a/y', 'skipped'],
      ]);
    },
  );
});
