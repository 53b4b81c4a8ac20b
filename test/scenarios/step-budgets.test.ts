import { describe, expect } from 'vitest';

import type { AgentCall } from '../../src/agents/agent.js';
import { askHuman, blocked } from '../../src/agents/report.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import type { ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import { agentNamed, steps } from './team.js';

/** The time of the only step of the run. */
const SHARE_MS = 80_000;

/** An agent that works before every question; the last number is its work after the last answer. */
const workingBetween =
  (clock: VirtualClock, ...workMs: readonly number[]) =>
  async (call: AgentCall): Promise<unknown> => {
    const asked = call.feedback.filter(({ from }) => from === 'human').length;
    await clock.sleep(workMs[asked] ?? 0, call.signal);
    return asked + 1 < workMs.length ? askHuman({ question: `Question ${asked + 1}?` }) : 'done';
  };

const asking = (
  work: (call: AgentCall) => unknown,
  policy: PolicyOverrides = {},
): ScenarioSetup => ({
  options: {
    agents: [agentNamed('worker', work)],
    policy: definePolicy({
      failure: { onStepFailure: 'continue' },
      ...policy,
      time: { limitMs: 100_000, stepTimeoutMs: 1_000_000, stepShare: true, ...policy.time },
    }),
  },
  start: { plan: { steps: steps('a') } },
});

/** Every question is answered immediately. */
const answered = (setup: ScenarioSetup): ScenarioSetup => ({
  ...setup,
  onFact: (fact, control) => {
    if (fact.type === 'approval.requested') control.approve(fact.requestId);
  },
});

describe('the budget of a step that asks people', () => {
  scenario(
    'continues after the answer with what is left, in tenths; a tenth that has only begun is not subtracted',
    (clock) => answered(asking(workingBetween(clock, 57_000, 60_000))),
    ({ report }) => {
      // Seven tenths, 56,000, are subtracted: 24,000 are left from 57,000 on.
      expect(report.steps[0]).toMatchObject({ code: 'step-timeout', endedAt: 81_000 });
    },
  );

  scenario(
    'is undiminished when the question comes first',
    (clock) => answered(asking(workingBetween(clock, 0, 79_999))),
    ({ report }) => {
      expect(report.steps[0]).toMatchObject({ status: 'completed', endedAt: 79_999 });
    },
  );

  scenario(
    'does not count the time a person takes',
    (clock) => ({
      ...asking(workingBetween(clock, 41_000, 39_000)),
      at: { 45_000: (control) => control.approve('a:1.1') },
    }),
    ({ report }) => {
      expect(report.steps[0]).toMatchObject({ status: 'completed', endedAt: 84_000 });
    },
  );

  scenario(
    'is exceeded by less than a tenth per question',
    (clock) =>
      answered(
        asking(workingBetween(clock, ...Array<number>(5).fill(7_999), 100_000), {
          time: { limitMs: 1_000_000, planningMs: 100_000, verificationMs: 820_000 },
        }),
      ),
    ({ report }) => {
      // Five questions just before the first tenth ends cost nothing; the sixth stretch of work has the whole budget.
      expect(report.steps[0]).toMatchObject({
        code: 'step-timeout',
        endedAt: 5 * 7_999 + SHARE_MS,
      });
    },
  );

  scenario(
    'keeps at least one tenth, however long the work before the question was',
    (clock) => answered(asking(workingBetween(clock, 79_000, 7_999))),
    ({ report }) => {
      expect(report.steps[0]).toMatchObject({ status: 'completed', endedAt: 86_999 });
    },
  );

  scenario(
    'is reduced by every attempt, not only by the one that asks',
    (clock) =>
      answered(
        asking(async (call) => {
          await clock.sleep(25_000, call.signal);
          if (call.step.attempt === 1) return blocked('Not this way');
          return call.feedback.length === 0 ? askHuman({ question: 'How?' }) : 'done';
        }),
      ),
    ({ report }) => {
      // 50,000 before the question, of which 48,000 are six tenths: 32,000 are left, enough for 25,000 more.
      expect(report.steps[0]).toMatchObject({ status: 'completed', endedAt: 75_000 });
    },
  );

  scenario(
    'is not measured where steps have no share: the time limit of the run bounds them',
    (clock) =>
      answered(asking(workingBetween(clock, 60_000, 25_000), { time: { stepShare: false } })),
    ({ report, journal }) => {
      expect(report.steps[0]).toMatchObject({ status: 'completed', endedAt: 85_000 });
      const ticks = journal.filter(({ event }) => JSON.stringify(event).includes('budgetTick'));
      expect(ticks).toEqual([]);
    },
  );

  scenario(
    'is no longer measured when no question is left',
    (clock) =>
      answered(asking(workingBetween(clock, 41_000, 30_000), { approval: { maxQuestions: 1 } })),
    ({ report, journal }) => {
      const ticks = journal.filter(({ event }) => JSON.stringify(event).includes('budgetTick'));
      expect(ticks).toHaveLength(5);
      expect(report.steps[0]).toMatchObject({ status: 'completed', endedAt: 71_000 });
    },
  );
});
