import { describe, expect, it } from 'vitest';

import { presets } from '../../src/policy/presets.js';
import { scenario } from '../scenarios/harness.js';
import { plannerInTurn, toldBy } from '../scenarios/planners.js';
import { agentNamed, slowAgent, steps } from '../scenarios/team.js';
import { callsIn, judging, stepsUpTo, teamOf } from './004-team.js';

/* Seed 004: the loop, the roles in it, and the four gates. */

describe('the loop of seed 004', () => {
  scenario(
    'takes every NO of its picture once (replan, fix, retry, continue), and then every YES',
    () => ({
      options: teamOf({
        planner: plannerInTurn(['coder:s1'], ['coder:s1', 'coder:s2<s1'], ['coder:s3']),
        supervisor: judging({ plan: [69, 70], step: [69, 70], goal: [79, 80] }),
        tester: ({ step, cycle }) => ({
          passed: step.id !== 's1' || step.attempt > 1 || cycle > 0,
        }),
      }),
    }),
    ({ report, factsOf }) => {
      expect(callsIn(factsOf)).toEqual([
        'plan/planner.1',
        'plan/supervisor.plan.1',
        'plan/planner.2',
        'plan/supervisor.plan.2',
        's1/1/worker',
        's1/1/supervisor.code',
        's1/1/tester',
        's1/1/worker.fix1',
        's1/1/tester.1',
        's1/1/supervisor.step',
        's1/2/worker',
        's1/2/supervisor.code',
        's1/2/tester',
        's1/2/supervisor.step',
        's2/1/worker',
        's2/1/supervisor.code',
        's2/1/tester',
        's2/1/supervisor.step',
        'plan/supervisor.goal.2',
        'plan/planner.3',
        'plan/supervisor.plan.3',
        's3_rp1/1/worker',
        's3_rp1/1/supervisor.code',
        's3_rp1/1/tester',
        's3_rp1/1/supervisor.step',
        'plan/supervisor.goal.3',
      ]);
      expect(factsOf('phase.entered').map(({ phase }) => phase)).toEqual([
        'planning',
        'reviewingPlan',
        'replanning',
        'reviewingPlan',
        'executing',
        'verifying',
        'replanning',
        'reviewingPlan',
        'executing',
        'verifying',
        'windingDown',
      ]);
      expect(report).toMatchObject({ status: 'completed', reason: 'goal-achieved', replans: 2 });
      // The seven metrics of the seed, for exactly this loop.
      expect(report.metrics).toMatchObject({
        totalSteps: 3,
        completedSteps: 3,
        failedSteps: 0,
        replanCount: 2,
        fixCycles: 1,
        verificationsPassed: 10,
        verificationsFailed: 3,
      });
    },
  );

  scenario(
    'without a NO calls every role once per step',
    () => ({ options: teamOf() }),
    ({ report, factsOf }) => {
      expect(callsIn(factsOf)).toEqual([
        'plan/planner.1',
        'plan/supervisor.plan.1',
        ...['s1', 's2'].flatMap((step) => [
          `${step}/1/worker`,
          `${step}/1/supervisor.code`,
          `${step}/1/tester`,
          `${step}/1/supervisor.step`,
        ]),
        'plan/supervisor.goal.1',
      ]);
      expect(report).toMatchObject({ status: 'completed', reason: 'goal-achieved', replans: 0 });
    },
  );

  scenario(
    'is bounded where the seed has no bound: the fourth refused plan is the last',
    () => ({
      options: teamOf({
        planner: ({ requests }) => ({ steps: steps(`coder:try${requests.length}`) }),
        supervisor: judging({ plan: [69] }),
      }),
    }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected').map(({ by }) => by)).toEqual(
        Array.from({ length: 4 }, () => 'supervisor'),
      );
      expect(factsOf('request.refused')).toMatchObject([{ limit: 3, bound: 'replan-limit' }]);
      expect(factsOf('step.started')).toEqual([]);
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'no-acceptable-plan: replan-limit',
      });
    },
  );
});

describe('the roles of seed 004', () => {
  scenario(
    'the supervisor reviews the plan, every output twice, and finally all of them',
    () => ({
      options: teamOf({
        supervisor: ({ subject, threshold, plan, results }) => {
          const shown = plan?.steps.map(({ id }) => id) ?? results.map(({ output }) => output);
          return { score: 90, feedback: `${subject} from ${threshold}: ${JSON.stringify(shown)}` };
        },
      }),
    }),
    ({ factsOf }) => {
      expect(factsOf('verdict.given').map(({ feedback }) => feedback)).toEqual([
        'plan from 70: ["s1","s2"]',
        'code from 60: ["did s1"]',
        'step from 70: ["did s1"]',
        'code from 60: ["did s2"]',
        'step from 70: ["did s2"]',
        'goal from 80: ["did s1","did s2"]',
      ]);
    },
  );

  scenario(
    'the planner may plan up to 15 steps: one more is refused, with the reason',
    (clock) => ({
      options: teamOf({
        agents: [slowAgent('coder', clock, 1_000)],
        planner: plannerInTurn(stepsUpTo(16), stepsUpTo(15)),
      }),
      onFact: (fact, control) => {
        if (fact.type === 'plan.adopted') control.abort('Seen enough');
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected')).toMatchObject([
        { by: 'validation', issues: [{ code: 'plan-too-large', path: 'steps' }] },
      ]);
      expect(toldBy(factsOf)[1]?.issues).toEqual(['plan-too-large at steps']);
      expect(report.finalPlan?.steps).toHaveLength(15);
      expect(report.replans).toBe(1);
    },
  );

  scenario(
    'the planner rates each step simple, medium or complex; the default is medium',
    () => ({
      options: teamOf({
        planner: plannerInTurn(
          { steps: [{ ...steps('coder:s1')[0], complexity: 'hard' }] },
          {
            steps: [
              { ...steps('coder:s1')[0], complexity: 'simple' },
              { ...steps('coder:s2')[0], complexity: 'complex' },
              ...steps('coder:s3<s1,s2'),
            ],
          },
        ),
      }),
    }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected')).toMatchObject([
        { by: 'validation', issues: [{ code: 'invalid-shape', path: 'steps[0].complexity' }] },
      ]);
      expect(
        report.steps.map(({ id, complexity, dependsOn }) => [id, complexity, dependsOn]),
      ).toEqual([
        ['s1', 'simple', []],
        ['s2', 'complex', []],
        ['s3', 'medium', ['s1', 's2']],
      ]);
    },
  );

  scenario(
    'the coder works on one step at a time, even when two could run',
    (clock) => ({
      options: teamOf({
        agents: [slowAgent('coder', clock, 1_000)],
        planner: () => ({ steps: steps('coder:s1', 'coder:s2') }),
      }),
    }),
    ({ factsOf, report }) => {
      expect(
        factsOf('step.started', 'step.completed').map(({ type, stepId }) => [type, stepId]),
      ).toEqual([
        ['step.started', 's1'],
        ['step.completed', 's1'],
        ['step.started', 's2'],
        ['step.completed', 's2'],
      ]);
      expect(report.durationMs).toBe(2_000);
    },
  );
});

describe('the gates of seed 004', () => {
  it('require 70, 60, 70 and 80', () => {
    expect(presets.supervised().gates).toEqual({ plan: 70, code: 60, step: 70, goal: 80 });
  });

  scenario(
    'refuse a score one below and accept the exact score: each refusal repeats the work',
    () => ({
      options: teamOf({
        planner: plannerInTurn(['coder:s1'], ['coder:s1'], ['coder:s2']),
        supervisor: judging({ plan: [69, 70], code: [59, 60], step: [69, 70], goal: [79, 80] }),
      }),
    }),
    ({ report, factsOf }) => {
      expect(
        factsOf('verdict.given').map(({ subject, score, passed }) => [subject, score, passed]),
      ).toEqual([
        ['plan', 69, false],
        ['plan', 70, true],
        ['code', 59, false],
        ['code', 60, true],
        ['step', 69, false],
        ['code', 60, true],
        ['step', 70, true],
        ['goal', 79, false],
        ['plan', 70, true],
        ['code', 60, true],
        ['step', 70, true],
        ['goal', 80, true],
      ]);
      expect(factsOf('plan.rejected')).toMatchObject([{ by: 'supervisor' }]);
      expect(factsOf('step.retried').map(({ attempt, reason }) => [attempt, reason])).toEqual([
        [2, 'Score 59: code: 59'],
        [3, 'Score 69: step: 69'],
      ]);
      expect(factsOf('replan.requested')).toMatchObject([
        { kind: 'goalNotAchieved', reason: 'goal: 79' },
      ]);
      expect(report).toMatchObject({ status: 'completed', reason: 'goal-achieved' });
      expect(report.steps.map(({ attempts }) => attempts)).toEqual([3, 1]);
    },
  );

  scenario(
    'are independent of the ladder: code of 60 to 69 passes its gate, and the next agent is reminded',
    () => ({
      options: teamOf({
        agents: [agentNamed('coder', (call) => call.feedback.map(({ text }) => text))],
        planner: () => ({ steps: steps('coder:s1', 'coder:s2<s1', 'coder:s3<s2') }),
        supervisor: judging({ code: [60, 69, 70] }),
        policy: presets.supervised({ gates: { step: null, goal: null } }),
      }),
    }),
    ({ report, factsOf }) => {
      expect(factsOf('verdict.given').every(({ passed }) => passed)).toBe(true);
      expect(factsOf('escalation.changed')).toMatchObject([
        { from: 'none', to: 'remind', score: 60, consecutiveIssues: 0 },
        { from: 'remind', to: 'none', score: 70, consecutiveIssues: 0 },
      ]);
      expect(report.steps.map(({ attempts, output }) => [attempts, output])).toEqual([
        [1, []],
        [1, ['[remind] code: 60']],
        [1, ['[remind] code: 69']],
      ]);
    },
  );

  scenario(
    'of the plan are not reached by plans with impossible steps or unmet dependencies',
    () => ({
      options: teamOf({
        planner: plannerInTurn(
          { steps: [{ ...steps('coder:s1')[0], task: ' ' }] },
          ['coder:s1<s9'],
          ['coder:s1<s2', 'coder:s2<s1'],
          ['coder:s1', 'coder:s2<s1'],
        ),
      }),
    }),
    ({ report, factsOf }) => {
      expect(
        factsOf('plan.rejected').map(({ by, issues }) => [by, issues.map(({ code }) => code)]),
      ).toEqual([
        ['validation', ['empty-task']],
        ['validation', ['unknown-dependency']],
        ['validation', ['cyclic-dependency']],
      ]);
      expect(callsIn(factsOf).slice(0, 5)).toEqual([
        'plan/planner.1',
        'plan/planner.2',
        'plan/planner.3',
        'plan/planner.4',
        'plan/supervisor.plan.4',
      ]);
      expect(report).toMatchObject({ status: 'completed', replans: 3 });
    },
  );

  scenario(
    'of the goal tell the supervisor what failed, and it may accept that',
    () => ({
      options: teamOf({
        agents: [
          agentNamed('coder', ({ step }) => {
            if (step.id === 's1') throw new Error('down');
            return 'x';
          }),
        ],
        planner: () => ({ steps: steps('coder:s1', 'coder:s2') }),
        supervisor: ({ failed }) => ({
          score: 80,
          feedback: failed.map(({ stepId, reason }) => `${stepId} (${reason})`).join(),
        }),
      }),
    }),
    ({ report, factsOf }) => {
      expect(factsOf('verdict.given').at(-1)).toMatchObject({
        subject: 'goal',
        passed: true,
        feedback: 's1 (threw: Error: down)',
      });
      expect(report).toMatchObject({ status: 'completed', allSucceeded: false });
      expect(report.failedSteps).toEqual(['s1']);
    },
  );
});
