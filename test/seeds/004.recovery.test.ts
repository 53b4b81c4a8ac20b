import { describe, expect } from 'vitest';

import { defineAgent } from '../../src/agents/agent.js';
import { blocked, requestReplan } from '../../src/agents/report.js';
import { presets } from '../../src/policy/presets.js';
import { scenario } from '../scenarios/harness.js';
import { plannerInTurn, toldBy } from '../scenarios/planners.js';
import { inTurn, scriptedAgent } from '../scenarios/scripted.js';
import type { TestAgent } from '../scenarios/team.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { callsIn, stepsUpTo, teamOf } from './004-team.js';

/* Seed 004: recovery from blocked steps, failed tests and errors of agents. */

/** Blocked above a level of nesting, working from there on; s2 is never blocked. */
const blockedAbove = (depth: number): TestAgent =>
  agentNamed('coder', ({ step }) =>
    step.depth < depth && step.id !== 's2' ? blocked(`${step.id} is too hard`) : `did ${step.id}`,
  );

const nested = ({ depth }: { readonly depth: number }) => ({
  steps: depth === 0 ? steps('coder:s1', 'coder:s2') : steps('coder:x'),
});

/** The calls of every attempt at a blocked step, and of the sub-plan after the third. */
const blockedStep = (path: string): string[] => [
  ...[1, 2, 3].map((attempt) => `${path}/${attempt}/worker`),
  `${path}/plan/planner.1`,
  `${path}/plan/supervisor.plan.1`,
];

const finishedStep = (path: string): string[] =>
  ['worker', 'supervisor.code', 'tester', 'supervisor.step'].map((role) => `${path}/1/${role}`);

describe('a blocked step of seed 004', () => {
  scenario(
    'is attempted three times, then replaced by a sub-plan, up to three levels deep',
    () => ({ options: teamOf({ agents: [blockedAbove(3)], planner: nested }) }),
    ({ report, factsOf }) => {
      expect(callsIn(factsOf)).toEqual([
        'plan/planner.1',
        'plan/supervisor.plan.1',
        ...blockedStep('s1'),
        ...blockedStep('s1/x'),
        ...blockedStep('s1/x/x'),
        ...finishedStep('s1/x/x/x'),
        ...finishedStep('s2'),
        'plan/supervisor.goal.1',
      ]);
      expect(factsOf('subplan.started').map(({ stepId, depth }) => [stepId, depth])).toEqual([
        ['s1', 1],
        ['s1/x', 2],
        ['s1/x/x', 3],
      ]);
      expect(report.steps[0]).toMatchObject({ status: 'completed', output: 'did s1/x/x/x' });
      expect(report).toMatchObject({ status: 'completed', replans: 0 });
    },
  );

  scenario(
    'fails when the third level is blocked too, and the next step continues',
    () => ({ options: teamOf({ agents: [blockedAbove(9)], planner: nested }) }),
    ({ report, factsOf, orchestrator }) => {
      expect(factsOf('subplan.started')).toHaveLength(3);
      expect(orchestrator.bounds().depth).toBe(3);
      expect(
        factsOf('step.failed').map(({ stepId, code, attempts }) => [stepId, code, attempts]),
      ).toEqual([
        ['s1/x/x/x', 'blocked', 3],
        ['s1/x/x', 'subplan-failed', 3],
        ['s1/x', 'subplan-failed', 3],
        ['s1', 'subplan-failed', 3],
      ]);
      expect(callsIn(factsOf).slice(-5)).toEqual([...finishedStep('s2'), 'plan/supervisor.goal.1']);
      expect(report.successfulSteps).toEqual(['s2']);
    },
  );

  scenario(
    'that fails ends the run when more than a third of the steps have failed: of seven, three may fail',
    () => ({
      options: teamOf({
        agents: [agentNamed('coder', () => blocked('No access'))],
        planner: () => ({ steps: steps(...stepsUpTo(7)) }),
        policy: presets.supervised({ limits: { maxDepth: 0 } }),
      }),
    }),
    ({ report, factsOf }) => {
      const started = factsOf('step.started').map(({ stepId }) => stepId);
      expect(started).toEqual(['s1', 's2', 's3', 's4']);
      expect(report.failedSteps).toEqual(started);
      expect(report.cancelledSteps).toEqual(['s5', 's6', 's7']);
      expect(report).toMatchObject({ status: 'failed', reason: 'too-many-failures' });
    },
  );

  scenario(
    'may be reported by the coder itself: it asks for another plan and keeps its output',
    () => ({
      options: teamOf({
        agents: [
          scriptedAgent('coder', requestReplan({ reason: 'The API is gone' }, 'half'), 'whole'),
        ],
        planner: plannerInTurn(['coder:s1', 'coder:s2<s1'], ['coder:s3']),
      }),
    }),
    ({ report, factsOf }) => {
      expect(toldBy(factsOf)[1]?.requests).toEqual(['requestReplan of s1: The API is gone']);
      expect(report.steps.map(({ status, output }) => [status, output])).toEqual([
        ['completed', 'half'],
        ['skipped', null],
        ['completed', 'whole'],
      ]);
      expect(report).toMatchObject({ status: 'completed', replans: 1 });
    },
  );
});

describe('a failed test of seed 004', () => {
  scenario(
    'has a fix plan for the coder, and the tests run again, up to three times',
    () => ({
      options: teamOf({
        agents: [
          agentNamed('coder', ({ mode, feedback }) => ({
            mode,
            told: feedback.map(({ details }) => details ?? null),
          })),
        ],
        planner: () => ({ steps: steps('coder:s1') }),
        tester: ({ cycle }) => ({
          passed: cycle === 3,
          failures: [`bug ${cycle}`],
          fixPlan: { summary: `Fix bug ${cycle}`, steps: ['Use +'] },
        }),
      }),
    }),
    ({ report, factsOf }) => {
      expect(callsIn(factsOf).slice(2, -1)).toEqual([
        's1/1/worker',
        's1/1/supervisor.code',
        's1/1/tester',
        ...[1, 2, 3].flatMap((cycle) => [`s1/1/worker.fix${cycle}`, `s1/1/tester.${cycle}`]),
        's1/1/supervisor.step',
      ]);
      expect(report.steps[0]).toMatchObject({
        status: 'completed',
        attempts: 1,
        output: {
          mode: 'fix',
          told: [0, 1, 2].map((cycle) => ({
            passed: false,
            failures: [`bug ${cycle}`],
            fixPlan: { summary: `Fix bug ${cycle}`, steps: ['Use +'] },
          })),
        },
      });
      expect(report.metrics.fixCycles).toBe(3);
    },
  );

  scenario(
    'after the third fix fails the step without a review, and the next step continues',
    () => ({
      options: teamOf({
        planner: () => ({ steps: steps('coder:s1', 'coder:s2') }),
        tester: ({ step }) => ({ passed: step.id !== 's1', failures: ['adds wrong'] }),
      }),
    }),
    ({ report, factsOf }) => {
      expect(factsOf('tests.reported').map(({ stepId, passed }) => [stepId, passed])).toEqual([
        ['s1', false],
        ['s1', false],
        ['s1', false],
        ['s1', false],
        ['s2', true],
      ]);
      expect(factsOf('step.failed')).toMatchObject([
        { stepId: 's1', code: 'tests-failed', attempts: 1 },
      ]);
      expect(callsIn(factsOf)).not.toContain('s1/1/supervisor.step');
      expect(report.successfulSteps).toEqual(['s2']);
    },
  );
});

describe('an agent error of seed 004', () => {
  const down = new Error('down');

  scenario(
    'is retried with growing backoff up to three times, then the fallback answers, and the work continues with it',
    () => ({
      options: teamOf({
        agents: [
          defineAgent({
            name: 'coder',
            description: 'Has a plan B',
            run: ({ step }) => {
              if (step.id === 's1') throw down;
              return 'plan A';
            },
            fallback: () => 'plan B',
          }),
        ],
      }),
    }),
    ({ report, facts, factsOf }) => {
      expect(callsIn(factsOf).slice(2, 7)).toEqual([
        's1/1/worker',
        's1/1/worker#2',
        's1/1/worker#3',
        's1/1/worker#fallback',
        's1/1/supervisor.code',
      ]);
      expect(factsOf('agent.failed').map(({ code, reason }) => [code, reason])).toEqual(
        Array.from({ length: 3 }, () => ['threw', 'Error: down']),
      );
      const [first = 0, second = 0, third = 0] = facts.flatMap((fact) =>
        fact.type === 'agent.called' && fact.agent === 'coder' ? [fact.at] : [],
      );
      expect(second - first).toBeGreaterThanOrEqual(500);
      expect(second - first).toBeLessThanOrEqual(1_000);
      expect(third - second).toBeGreaterThanOrEqual(1_000);
      expect(third - second).toBeLessThanOrEqual(2_000);
      expect(report.steps.map(({ output }) => output)).toEqual(['plan B', 'plan A']);
      expect(report.metrics.agents['coder']).toMatchObject({ calls: 5, errors: 3, answers: 2 });
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'without a fallback fails its step, is in the log, and the run continues',
    () => ({
      options: teamOf({
        agents: [scriptedAgent('coder', down, down, down, 'x')],
        planner: () => ({ steps: steps('coder:s1', 'coder:s2') }),
      }),
    }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.failed')).toHaveLength(3);
      expect(report.steps.map(({ status, code }) => [status, code])).toEqual([
        ['failed', 'threw'],
        ['completed', null],
      ]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'of a planner, supervisor or tester is retried like any other',
    () => ({
      options: teamOf({
        planner: inTurn(down, down, { steps: steps('coder:s1') }) as never,
        supervisor: inTurn(down, down, { score: 90 }) as never,
        tester: inTurn(down, down, { passed: true }) as never,
      }),
    }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.failed').map(({ role }) => role)).toEqual([
        'planner',
        'planner',
        'supervisor',
        'supervisor',
        'tester',
        'tester',
      ]);
      expect(report).toMatchObject({ status: 'completed', allSucceeded: true });
    },
  );

  scenario(
    'of a tester that stays down causes no fix: the step is attempted again and fails',
    () => ({
      options: teamOf({
        planner: () => ({ steps: steps('coder:s1', 'coder:s2') }),
        tester: ({ step }) => {
          if (step.id === 's1') throw down;
          return { passed: true };
        },
      }),
    }),
    ({ report, factsOf }) => {
      expect(factsOf('fix.started')).toEqual([]);
      expect(factsOf('subplan.started')).toEqual([]);
      expect(factsOf('tests.reported')).toMatchObject([{ stepId: 's2', passed: true }]);
      expect(factsOf('step.retried').map(({ attempt, reason }) => [attempt, reason])).toEqual([
        [2, 'Error: down'],
        [3, 'Error: down'],
      ]);
      // Three attempts with three tries each; the supervisor does not review untested work.
      const asked = callsIn(factsOf).filter((call) => call.startsWith('s1/'));
      expect(asked.filter((call) => call.includes('/tester'))).toHaveLength(9);
      expect(asked).toHaveLength(3 * (1 + 1 + 3));
      expect(report.steps.map(({ status, code }) => [status, code])).toEqual([
        ['failed', 'tests-unavailable'],
        ['completed', null],
      ]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'of a tester after a fix causes no other fix: the next attempt starts from the beginning',
    () => ({
      options: teamOf({
        planner: () => ({ steps: steps('coder:s1') }),
        tester: inTurn({ passed: false }, down, { passed: true }) as never,
        policy: presets.supervised({ retry: { attempts: 1 } }),
      }),
    }),
    ({ report, factsOf }) => {
      expect(callsIn(factsOf).slice(2, -1)).toEqual([
        's1/1/worker',
        's1/1/supervisor.code',
        's1/1/tester',
        's1/1/worker.fix1',
        's1/1/tester.1',
        's1/2/worker',
        's1/2/supervisor.code',
        's1/2/tester',
        's1/2/supervisor.step',
      ]);
      expect(report.steps[0]).toMatchObject({ status: 'completed', attempts: 2 });
    },
  );

  scenario(
    'never blocks the run: a silent agent is aborted after three timeouts',
    () => ({
      options: teamOf({
        agents: [
          agentNamed('coder', ({ step }) =>
            step.id === 's1' ? new Promise(() => undefined) : 'x',
          ),
        ],
        planner: () => ({ steps: steps('coder:s1', 'coder:s2') }),
        policy: presets.supervised({ time: { stepTimeoutMs: 60_000 } }),
      }),
    }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.failed').map(({ code }) => code)).toEqual([
        'timeout',
        'timeout',
        'timeout',
      ]);
      expect(report.steps[0]).toMatchObject({ status: 'failed', code: 'timeout' });
      expect(report.steps[0]?.durationMs).toBeGreaterThan(180_000);
      expect(report.steps[0]?.durationMs).toBeLessThanOrEqual(183_000);
      expect(report.successfulSteps).toEqual(['s2']);
    },
  );

  for (const [silent, status, reason] of [
    ['planner', 'failed', 'planning-failed'],
    ['supervisor', 'failed', 'no-acceptable-plan: replan-limit'],
    ['tester', 'completed', 'goal-achieved'],
  ] as const) {
    scenario(
      `never blocks the run: with a silent ${silent} it is ${status} (${reason}), in time`,
      () => ({ options: teamOf({ [silent]: () => new Promise(() => undefined) }) }),
      ({ report, orchestrator }) => {
        expect(report).toMatchObject({ status, reason, successfulSteps: [] });
        expect(report.durationMs).toBeLessThanOrEqual(orchestrator.bounds().wallTimeMs);
      },
    );
  }
});
