import { describe, expect } from 'vitest';

import type { AgentCall } from '../../src/agents/agent.js';
import { blocked } from '../../src/agents/report.js';
import { presets } from '../../src/policy/presets.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { scenario } from '../scenarios/harness.js';
import type { TestAgent } from '../scenarios/team.js';
import { agentNamed, slowAgent, steps } from '../scenarios/team.js';
import { MINUTE_MS, teamOf } from './004-team.js';

/* Seed 004: the time of a plan, a step and a fix in one hour with four steps: 6, 12 and 3.6 minutes. */

const FOUR_STEPS = ['coder:s1', 'coder:s2<s1', 'coder:s3<s2', 'coder:s4<s3'];

const minutes = (count: number): number => count * MINUTE_MS;

/** The plan of the goal has four steps, every sub-plan one. */
const nested = ({ depth }: { readonly depth: number }) => ({
  steps: depth === 0 ? steps(...FOUR_STEPS) : steps('coder:x'),
});

/** Works for some minutes, answers that s1 is too hard, and does everything else. */
const blockedAtFirst = (clock: VirtualClock, workMinutes: (call: AgentCall) => number): TestAgent =>
  agentNamed('coder', async (call) => {
    await clock.sleep(minutes(workMinutes(call)), call.signal);
    return call.step.id === 's1' ? blocked('Too hard') : 'x';
  });

describe('a time budget of seed 004', () => {
  scenario(
    'allows a step to work for its 12 minutes',
    (clock) => ({
      options: teamOf({
        agents: [slowAgent('coder', clock, minutes(10))],
        planner: () => ({ steps: steps(...FOUR_STEPS) }),
      }),
    }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', durationMs: minutes(40) });
    },
  );

  scenario(
    'allows the planner to plan for its 6 minutes',
    (clock) => ({
      options: teamOf({
        planner: async ({ signal }) => {
          await clock.sleep(minutes(5), signal);
          return { steps: steps('coder:s1') };
        },
      }),
    }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', durationMs: minutes(5) });
    },
  );
});

describe('a fix cycle of seed 004', () => {
  scenario(
    'in a sub-plan has 30 % of its step, too',
    (clock) => ({
      options: teamOf({
        agents: [blockedAtFirst(clock, ({ mode }) => (mode === 'fix' ? 60 : 0))],
        planner: nested,
        tester: ({ step }) => ({ passed: step.id !== 's1/x' }),
        policy: presets.supervised({ time: { graceMs: 0 } }),
      }),
    }),
    ({ report }) => {
      // The sub-plan of s1 has 12 minutes less 1 ms; its only step has all of them.
      const fixed = report.steps.find(({ id }) => id === 's1/x');
      expect(fixed).toMatchObject({ code: 'fix-timeout', durationMs: 215_999 });
    },
  );

  scenario(
    'is the fix and the tests after it: both together have the 3.6 minutes',
    (clock) => ({
      options: teamOf({
        agents: [
          agentNamed('coder', async ({ mode, signal }) => {
            if (mode === 'fix') await clock.sleep(minutes(2), signal);
            return 'x';
          }),
        ],
        planner: () => ({ steps: steps(...FOUR_STEPS) }),
        tester: async ({ cycle, signal }) => {
          await clock.sleep(minutes(2), signal);
          return { passed: cycle > 0 };
        },
      }),
    }),
    ({ report, facts }) => {
      expect(report.steps[0]).toMatchObject({ code: 'fix-timeout', durationMs: minutes(5.6) });
      const asked = facts.flatMap((fact) =>
        fact.type === 'agent.called' && fact.stepId === 's1' ? [[fact.role, fact.at]] : [],
      );
      expect(asked).toEqual([
        ['worker', 0],
        ['supervisor', 0],
        ['tester', 0],
        ['worker', minutes(2)],
        ['tester', minutes(4)],
      ]);
    },
  );

  scenario(
    'does not bound the first tests, and starts anew with every fix',
    (clock) => ({
      options: teamOf({
        planner: () => ({ steps: steps(...FOUR_STEPS) }),
        tester: async ({ step, cycle, signal }) => {
          if (step.id === 's1') await clock.sleep(minutes(cycle === 0 ? 5 : 3), signal);
          return { passed: step.id !== 's1' || cycle === 2 };
        },
      }),
    }),
    ({ report }) => {
      expect(report.steps[0]).toMatchObject({ status: 'completed', durationMs: minutes(11) });
      expect(report.status).toBe('completed');
    },
  );
});

describe('a step of seed 004 and its sub-plan', () => {
  scenario(
    'share one budget: after three attempts the sub-plan has the rest of the 12 minutes',
    (clock) => ({
      options: teamOf({
        agents: [blockedAtFirst(clock, ({ step }) => (step.depth === 0 ? 3.9 : 11))],
        planner: nested,
      }),
    }),
    ({ report, facts, factsOf }) => {
      expect(facts.find(({ type }) => type === 'subplan.started')?.at).toBe(minutes(11.7));
      // It is told in time, so that it ends by itself within the grace period: 1 ms before the step would.
      expect(factsOf('subplan.ended')).toMatchObject([{ stepId: 's1', status: 'timeExpired' }]);
      expect(factsOf('step.cancelled')).toMatchObject([{ stepId: 's1/x' }]);
      expect(report.steps[0]).toMatchObject({
        code: 'subplan-timeout',
        durationMs: minutes(12) - 1,
      });
    },
  );

  scenario(
    'are not interrupted when they end in time',
    (clock) => ({
      options: teamOf({
        agents: [blockedAtFirst(clock, ({ step }) => (step.depth === 0 ? 1 : 8))],
        planner: ({ depth }) => ({ steps: steps(...(depth === 0 ? ['coder:s1'] : ['coder:x'])) }),
        policy: presets.supervised({ time: { limitMs: minutes(15) } }),
      }),
    }),
    ({ report }) => {
      expect(report.steps[0]).toMatchObject({ status: 'completed', durationMs: minutes(11) });
    },
  );

  scenario(
    'are aborted together when no time is left for the end of the sub-plan',
    (clock) => ({
      options: teamOf({
        agents: [blockedAtFirst(clock, ({ step }) => (step.depth === 0 ? 3.99 : 11))],
        planner: nested,
      }),
    }),
    ({ report, factsOf }) => {
      expect(factsOf('subplan.started')).toHaveLength(1);
      expect(report.steps[0]).toMatchObject({ code: 'step-timeout', durationMs: minutes(12) });
      expect(report.steps.find(({ id }) => id === 's1/x')?.status).toBe('cancelled');
    },
  );
});
