import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { AgentCall } from '../../src/agents/agent.js';
import type { Fact } from '../../src/model/facts.js';
import { presets } from '../../src/policy/presets.js';
import {
  executionBudgetMs,
  fixBudgetMs,
  planningBudgetMs,
  stepBudgetMs,
  verificationBudgetMs,
} from '../../src/guards/time-budgets.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import type { ScenarioSetup } from '../scenarios/harness.js';
import { scenario } from '../scenarios/harness.js';
import { plannerInTurn, toldBy } from '../scenarios/planners.js';
import { inTurn } from '../scenarios/scripted.js';
import type { TestAgent } from '../scenarios/team.js';
import { agentNamed, slowAgent, steps } from '../scenarios/team.js';
import { judging, MINUTE_MS, teamOf } from './004-team.js';

/* Seed 004: how the time is divided, where it is checked, and what happens when it ends. */

const minutes = (count: number): number => count * MINUTE_MS;

const FOUR_STEPS = ['coder:s1', 'coder:s2<s1', 'coder:s3<s2', 'coder:s4<s3'];

/** One hour, and calls that may take all of it: every abort here is due to a budget of the seed. */
const hour = (overrides: PolicyOverrides = {}) =>
  presets.supervised({
    ...overrides,
    time: { limitMs: minutes(60), stepTimeoutMs: minutes(60), ...overrides.time },
  });

const never = new Promise<never>(() => undefined);

const timesOf = (facts: readonly Fact[], type: Fact['type']): number[] =>
  facts.filter((fact) => fact.type === type).map(({ at }) => at / MINUTE_MS);

describe('the time allocation of seed 004', () => {
  it.each([
    [30, 3, 24, 3],
    [60, 6, 48, 6],
    [100, 10, 80, 10],
    [150, 15, 125, 10],
    [600, 15, 575, 10],
  ])(
    'of %i minutes: %i for planning, %i for execution, %i for verification',
    (total, ...shares) => {
      const policy = presets.supervised({ time: { limitMs: minutes(total) } });
      expect(
        [planningBudgetMs(policy), executionBudgetMs(policy), verificationBudgetMs(policy)].map(
          (budgetMs) => budgetMs / MINUTE_MS,
        ),
      ).toEqual(shares);
    },
  );

  it('is a tenth up to 15 minutes, a tenth up to 10 minutes, and the rest, whatever the total', () => {
    const totals = fc.integer({ min: 1, max: minutes(10_000) });
    fc.assert(
      fc.property(totals, (limitMs) => {
        const policy = presets.supervised({ time: { limitMs } });
        const planningMs = Math.min(Math.floor(limitMs / 10), minutes(15));
        const verificationMs = Math.min(Math.floor(limitMs / 10), minutes(10));
        expect(planningBudgetMs(policy)).toBe(planningMs);
        expect(verificationBudgetMs(policy)).toBe(verificationMs);
        expect(executionBudgetMs(policy)).toBe(limitMs - planningMs - verificationMs);
        expect(executionBudgetMs(policy)).toBeGreaterThanOrEqual(limitMs * 0.8);
      }),
    );
  });

  it('gives a step its share of the execution time, and a fix cycle 30 % of that', () => {
    const policy = presets.supervised({ time: { limitMs: minutes(60) } });
    const shares = [1, 4, 15].map((count) => [
      stepBudgetMs(policy, count) / MINUTE_MS,
      fixBudgetMs(policy, stepBudgetMs(policy, count)) / MINUTE_MS,
    ]);
    expect(shares).toEqual([
      [48, 14.4],
      [12, 3.6],
      [3.2, 0.96],
    ]);
  });
});

describe('the time checks of seed 004', () => {
  const planning: { signal?: AbortSignal } = {};
  scenario(
    'abort a planner that hangs after its 6 minutes of 60',
    () => ({
      options: teamOf({
        planner: ({ signal }) => {
          planning.signal = signal;
          return never;
        },
        policy: hour(),
      }),
    }),
    ({ report, facts, factsOf }) => {
      expect(factsOf('time.expired')).toEqual([{ type: 'time.expired', scope: 'planning' }]);
      expect(timesOf(facts, 'time.expired')).toEqual([6]);
      expect(planning.signal?.aborted).toBe(true);
      expect(report).toMatchObject({ status: 'failed', reason: 'planning-failed' });
    },
  );

  scenario(
    'abort a plan review that hangs after its 6 minutes, and the planner is told why',
    () => ({
      options: teamOf({
        planner: plannerInTurn(['coder:s1'], ['coder:s2']),
        supervisor: inTurn(never, { score: 90 }) as never,
        policy: hour(),
      }),
    }),
    ({ report, facts, factsOf }) => {
      expect(factsOf('time.expired')).toEqual([{ type: 'time.expired', scope: 'planning' }]);
      expect(timesOf(facts, 'time.expired')).toEqual([6]);
      expect(factsOf('plan.rejected')).toMatchObject([
        { by: 'supervisor', reason: 'The review took too long', issues: [] },
      ]);
      expect(toldBy(factsOf)[1]?.requests).toEqual([
        'planRejected of the plan: The review took too long',
      ]);
      expect(report).toMatchObject({ status: 'completed', replans: 1 });
    },
  );

  const hanging: { coder?: TestAgent } = {};
  scenario(
    'abort each of four steps that hang after its own 12 minutes, and the coder’s call',
    (clock) => {
      hanging.coder = slowAgent('coder', clock, minutes(60));
      return {
        options: teamOf({
          agents: [hanging.coder],
          planner: () => ({ steps: steps('coder:s1', 'coder:s2', 'coder:s3', 'coder:s4') }),
          policy: hour({ limits: { maxFailures: 4 } }),
        }),
      };
    },
    ({ facts, factsOf }) => {
      expect(timesOf(facts, 'step.failed')).toEqual([12, 24, 36, 48]);
      expect(factsOf('step.failed').map(({ code }) => code)).toEqual(
        Array.from({ length: 4 }, () => 'step-timeout'),
      );
      expect(hanging.coder?.calls.map(({ signal }) => signal.aborted)).toEqual(
        Array.from({ length: 4 }, () => true),
      );
    },
  );

  scenario(
    'abort a fix that hangs after 3.6 of the 12 minutes of its step',
    (clock) => ({
      options: teamOf({
        agents: [
          agentNamed('coder', async ({ mode, signal }: AgentCall) => {
            await clock.sleep(mode === 'fix' ? minutes(60) : minutes(2), signal);
            return 'x';
          }),
        ],
        planner: () => ({ steps: steps('coder:s1', 'coder:s2', 'coder:s3', 'coder:s4') }),
        tester: ({ step }) => ({ passed: step.id !== 's1' }),
        policy: hour(),
      }),
    }),
    ({ report, facts }) => {
      expect(timesOf(facts, 'fix.started')).toEqual([2]);
      expect(timesOf(facts, 'step.failed')).toEqual([5.6]);
      expect(report.steps[0]).toMatchObject({ id: 's1', code: 'fix-timeout' });
      expect(report.successfulSteps).toEqual(['s2', 's3', 's4']);
    },
  );

  scenario(
    'abort a verification of the goal that hangs after its 6 minutes',
    () => ({
      options: teamOf({
        supervisor: ({ subject }) => (subject === 'goal' ? never : { score: 90 }),
        policy: hour(),
      }),
    }),
    ({ report, facts, factsOf }) => {
      expect(factsOf('time.expired')).toEqual([{ type: 'time.expired', scope: 'verification' }]);
      expect(timesOf(facts, 'time.expired')).toEqual([6]);
      expect(report).toMatchObject({ status: 'failed', reason: 'verification-timeout' });
      expect(report.successfulSteps).toEqual(['s1', 's2']);
    },
  );

  scenario(
    'before a step: none starts in the last tenth, which is for verification',
    (clock) => busyHour(clock, { approvalMinutes: 20, workMinutes: 11.5 }),
    ({ facts, report }) => {
      expect(timesOf(facts, 'time.executionClosed')).toEqual([54]);
      expect(timesOf(facts, 'step.started')).toEqual([20, 31.5, 43]);
      expect(report.successfulSteps).toEqual(['s1', 's2', 's3']);
      expect(report.cancelledSteps).toEqual(['s4']);
    },
  );

  scenario(
    'before a phase: no new plan in the last tenth, though the goal is not met and replans are left',
    (clock) => busyHour(clock, { approvalMinutes: 20, workMinutes: 11.5, goal: 79 }),
    ({ factsOf, report }) => {
      expect(factsOf('verdict.given').at(-1)).toMatchObject({ subject: 'goal', passed: false });
      expect(factsOf('replan.started')).toEqual([]);
      expect(report).toMatchObject({ status: 'failed', reason: 'goal-not-achieved', replans: 0 });
    },
  );

  scenario(
    'after the planning: a plan that is approved too late is not executed',
    (clock) => busyHour(clock, { approvalMinutes: 55, workMinutes: 1, goal: 79 }),
    ({ facts, factsOf, report }) => {
      expect(timesOf(facts, 'plan.adopted')).toEqual([55]);
      expect(factsOf('step.started')).toEqual([]);
      expect(report.cancelledSteps).toEqual(['s1', 's2', 's3', 's4']);
      expect(report.status).toBe('failed');
    },
  );
});

interface Busy {
  readonly approvalMinutes: number;
  readonly workMinutes: number;
  readonly goal?: number;
  readonly graceMs?: number;
}

/** Four steps of one hour, part of which a person first spends on reading the plan. */
const busyHour = (
  clock: VirtualClock,
  { approvalMinutes, workMinutes, goal = 80, graceMs = 5_000 }: Busy,
): ScenarioSetup => ({
  options: teamOf({
    agents: [slowAgent('coder', clock, minutes(workMinutes))],
    planner: () => ({ steps: steps(...FOUR_STEPS) }),
    supervisor: judging({ goal: [goal] }),
    policy: hour({ time: { graceMs }, approval: { plan: true, timeoutMs: minutes(60) } }),
  }),
  at: { [minutes(approvalMinutes)]: (control) => control.approve('plan:plan.1') },
});

describe('the graceful shutdown of seed 004', () => {
  // Steps start at 13, 24.8, 36.6 and 48.4 minutes; the last would end 12 seconds after the hour.
  const late: Busy = { approvalMinutes: 13, workMinutes: 11.8 };

  scenario(
    'finishes the current operation when the grace period allows, and reports everything',
    (clock) => busyHour(clock, { ...late, graceMs: 15_000 }),
    ({ report, facts, factsOf }) => {
      expect(factsOf('time.expired')).toEqual([{ type: 'time.expired', scope: 'run' }]);
      expect(timesOf(facts, 'time.expired')).toEqual([60]);
      expect(report).toMatchObject({
        status: 'timeExpired',
        reason: 'time-limit',
        durationMs: minutes(60.2),
      });
      expect(report.successfulSteps).toEqual(['s1', 's2', 's3', 's4']);
      expect(report.steps.map(({ output, durationMs }) => [output, durationMs])).toEqual(
        ['s1', 's2', 's3', 's4'].map((id) => [`coder did ${id}`, minutes(11.8)]),
      );
      expect(report.originalPlan?.steps.map(({ id }) => id)).toEqual(['s1', 's2', 's3', 's4']);
      expect(report.verdicts).toHaveLength(9);
      expect(report.metrics).toMatchObject({ totalSteps: 4, completedSteps: 4, failedSteps: 0 });
      expect(report.summary).toContain('Status: timeExpired (time-limit)');
    },
  );

  scenario(
    'aborts the current operation when the grace period ends: the report arrives within limit and grace',
    (clock) => busyHour(clock, { ...late, graceMs: 5_000 }),
    ({ report, orchestrator }) => {
      expect(report).toMatchObject({ status: 'timeExpired', durationMs: minutes(60) + 5_000 });
      expect(report.durationMs).toBe(orchestrator.bounds().wallTimeMs);
      expect(report.successfulSteps).toEqual(['s1', 's2', 's3']);
      expect(report.cancelledSteps).toEqual(['s4']);
      expect(report.steps[2]?.output).toBe('coder did s3');
    },
  );

  scenario(
    'does not happen when a person grants more time before the limit',
    (clock) => {
      const setup = busyHour(clock, late);
      const granted: ScenarioSetup['at'] = {
        [minutes(53)]: (control) => control.extendTime(minutes(10)),
      };
      return { ...setup, at: { ...setup.at, ...granted } };
    },
    ({ report, factsOf, commands }) => {
      expect(commands).toEqual([{ accepted: true }, { accepted: true }]);
      expect(factsOf('time.extended')).toEqual([{ type: 'time.extended', extraMs: 600_000 }]);
      expect(factsOf('time.expired')).toEqual([]);
      expect(report).toMatchObject({ status: 'completed', durationMs: minutes(60.2) });
    },
  );
});
