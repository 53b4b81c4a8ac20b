import { describe, expect } from 'vitest';

import type { ReviewRequest } from '../../src/agents/roles.js';
import { askHuman, handOff } from '../../src/agents/report.js';
import type { TestResult, Verdict } from '../../src/agents/verdict.js';
import { definePolicy } from '../../src/policy/policy.js';
import { presets } from '../../src/policy/presets.js';
import type { ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import { feedbackTexts, inTurn, scriptedAgent } from './scripted.js';
import { agentNamed, steps } from './team.js';

const GOOD: Verdict = { score: 90 };

/** A supervisor with a list of verdicts for every subject; the last of each list is repeated. */
const supervisorOf = (
  verdicts: Partial<Record<ReviewRequest['subject'], readonly (Verdict | Error)[]>>,
): ((review: ReviewRequest) => Verdict) => {
  const bySubject = new Map(
    Object.entries(verdicts).map(([subject, given]) => [subject, inTurn(...given)]),
  );
  return (review) => (bySubject.get(review.subject)?.(review) ?? GOOD) as Verdict;
};

const testerOf = (...results: readonly TestResult[]): (() => TestResult) => {
  const next = inTurn(...results);
  return () => next(undefined) as TestResult;
};

describe('the supervised preset', () => {
  scenario(
    'takes a goal through plan, code, tests, step and goal',
    () => ({
      options: {
        agents: [agentNamed('worker', (call) => `did ${call.step.id}`)],
        planner: () => ({ analysis: 'Two steps', steps: steps('a', 'b<a') }),
        supervisor: () => GOOD,
        tester: () => ({ passed: true }),
        policy: presets.supervised(),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called').map((fact) => fact.key)).toEqual([
        'run/plan/planner.1',
        'run/plan/supervisor.plan.1',
        'run/a/1/worker',
        'run/a/1/supervisor.code',
        'run/a/1/tester',
        'run/a/1/supervisor.step',
        'run/b/1/worker',
        'run/b/1/supervisor.code',
        'run/b/1/tester',
        'run/b/1/supervisor.step',
        'run/plan/supervisor.goal.1',
      ]);
      expect(report).toMatchObject({ status: 'completed', reason: 'goal-achieved' });
      expect(report.metrics).toMatchObject({
        totalSteps: 2,
        completedSteps: 2,
        failedSteps: 0,
        replanCount: 0,
        fixCycles: 0,
        verificationsPassed: 6,
        verificationsFailed: 0,
      });
    },
  );

  scenario(
    'makes another plan when the supervisor rejects one, with its feedback, and runs the second',
    () => ({
      options: {
        agents: [agentNamed('worker', () => 'x')],
        planner: ({ requests }) => ({
          analysis: requests.map(({ kind }) => kind).join(),
          steps: steps(requests.length === 0 ? 'a' : 'b'),
        }),
        supervisor: supervisorOf({ plan: [{ score: 69, feedback: 'Too vague' }, { score: 70 }] }),
        policy: presets.supervised(),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected')).toMatchObject([{ by: 'supervisor', revision: 0 }]);
      expect(factsOf('verdict.given').filter(({ subject }) => subject === 'plan')).toMatchObject([
        { score: 69, passed: false, feedback: 'Too vague' },
        { score: 70, passed: true },
      ]);
      expect(factsOf('plan.proposed')[1]?.plan?.analysis).toBe('planRejected');
      expect(report.successfulSteps).toEqual(['b']);
      expect(report).toMatchObject({ status: 'completed', replans: 1 });
    },
  );

  scenario(
    'lets code of score 60 pass and reminds the next agent of the feedback',
    () => ({
      options: {
        agents: [agentNamed('worker', feedbackTexts)],
        planner: () => ({ steps: steps('a', 'b<a') }),
        supervisor: supervisorOf({
          code: [{ score: 60, feedback: 'Short names' }, GOOD],
          step: [{ score: 75 }, GOOD],
        }),
        policy: presets.supervised({ gates: { step: null } }),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('verdict.given').filter(({ subject }) => subject === 'code')).toMatchObject([
        { score: 60, passed: true },
        { score: 90, passed: true },
      ]);
      expect(factsOf('escalation.changed')).toMatchObject([
        { from: 'none', to: 'remind', score: 60, consecutiveIssues: 0, message: 'CORRECTION' },
        { from: 'remind', to: 'none', score: 90, message: null },
      ]);
      expect(report.steps.map(({ output, attempts }) => [output, attempts])).toEqual([
        [[], 1],
        [['supervisor: [remind] Short names'], 1],
      ]);
    },
  );

  scenario(
    'repeats code of score 59, with the feedback',
    () => ({
      options: {
        agents: [agentNamed('worker', feedbackTexts)],
        planner: () => ({ steps: steps('a') }),
        supervisor: supervisorOf({ code: [{ score: 59, feedback: 'No tests' }, GOOD] }),
        policy: presets.supervised(),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('step.retried')).toEqual([
        { type: 'step.retried', stepId: 'a', attempt: 2, reason: 'Score 59: No tests' },
      ]);
      expect(report.steps).toMatchObject([{ attempts: 2, output: ['supervisor: No tests'] }]);
    },
  );

  scenario(
    'repeats a step that fails its verification, with the feedback, until it passes',
    () => ({
      options: {
        agents: [agentNamed('worker', feedbackTexts)],
        planner: () => ({ steps: steps('a') }),
        supervisor: supervisorOf({
          step: [{ score: 69, feedback: 'No proof' }, { score: 0, feedback: 'Still none' }, GOOD],
        }),
        tester: () => ({ passed: true }),
        policy: presets.supervised(),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('step.retried').map((fact) => fact.attempt)).toEqual([2, 3]);
      expect(factsOf('tests.reported')).toHaveLength(3);
      expect(report.steps).toMatchObject([
        {
          status: 'completed',
          attempts: 3,
          output: ['supervisor: No proof', 'supervisor: Still none'],
        },
      ]);
      expect(report.status).toBe('completed');
    },
  );
});

describe('tests', () => {
  const policy = presets.supervised({ limits: { maxFixCycles: 2 } });

  scenario(
    'that fail send their fix plan to the agent, and pass after the fix',
    () => ({
      options: {
        agents: [
          agentNamed('worker', (call) =>
            call.mode === 'fix'
              ? { fixed: call.feedback.at(-1)?.details ?? null }
              : 'first version',
          ),
        ],
        planner: () => ({ steps: steps('a') }),
        supervisor: () => GOOD,
        tester: testerOf(
          {
            passed: false,
            failures: ['adds wrong', 'no docs'],
            fixPlan: { summary: 'Add right', steps: ['Use +'] },
          },
          { passed: true },
        ),
        policy,
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('tests.reported').map(({ passed, failures }) => [passed, failures])).toEqual([
        [false, 2],
        [true, 0],
      ]);
      expect(factsOf('fix.started')).toEqual([
        { type: 'fix.started', stepId: 'a', cycle: 1, message: 'FIX_PLAN' },
      ]);
      expect(factsOf('agent.called').map(({ key, message }) => [key, message])).toEqual(
        expect.arrayContaining([
          ['run/a/1/worker', 'CODE_REQUEST'],
          ['run/a/1/worker.fix1', 'CODE_FIX_REQUEST'],
          ['run/a/1/tester', 'TEST_REQUEST'],
          ['run/a/1/tester.1', 'TEST_REQUEST'],
        ]),
      );
      expect(report.steps).toMatchObject([
        {
          status: 'completed',
          attempts: 1,
          output: {
            fixed: {
              passed: false,
              failures: ['adds wrong', 'no docs'],
              fixPlan: { summary: 'Add right', steps: ['Use +'] },
            },
          },
        },
      ]);
      expect(report.metrics.fixCycles).toBe(1);
    },
  );

  scenario(
    'that never pass fail the step after the last fix cycle, and the run continues',
    () => ({
      options: {
        agents: [agentNamed('worker', () => 'x')],
        planner: () => ({ steps: steps('a', 'b') }),
        supervisor: supervisorOf({ goal: [{ score: 40 }] }),
        tester: ({ step }) => ({ passed: step.id === 'b', failures: ['broken'] }),
        policy: presets.supervised({ limits: { maxFixCycles: 2, maxReplans: 0 } }),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('fix.started').map((fact) => fact.cycle)).toEqual([1, 2]);
      expect(factsOf('step.failed')).toMatchObject([
        { stepId: 'a', code: 'tests-failed', reason: '1 failures', attempts: 1 },
      ]);
      expect(report.successfulSteps).toEqual(['b']);
      expect(report.refused).toMatchObject([
        { what: 'fix', stepId: 'a', bound: 'fix-limit', limit: 2, reason: '1 failures' },
      ]);
      expect(report).toMatchObject({ status: 'failed', reason: 'goal-not-achieved: fix-limit' });
    },
  );

  for (const garbage of [null, 'yes', { passed: 'true' }, { passed: 1 }, {}, new Error('down')]) {
    const name = garbage instanceof Error ? 'an exception' : JSON.stringify(garbage);
    scenario(
      `do not pass when the tester answers ${name}`,
      () => ({
        options: {
          agents: [agentNamed('worker', () => 'x')],
          tester: inTurn(garbage) as never,
          policy: definePolicy({
            limits: { maxFixCycles: 0 },
            retry: { attempts: 1 },
          }),
        },
        start: { plan: { steps: steps('a') } },
      }),
      ({ report, factsOf }) => {
        expect(factsOf('tests.reported')).toEqual([]);
        expect(report.steps).toMatchObject([
          { status: 'failed', code: 'tests-unavailable', attempts: 3 },
        ]);
        expect(report.status).toBe('failed');
      },
    );
  }

  scenario(
    'start over with a new attempt, and requests of an abandoned attempt are dropped',
    () => ({
      options: {
        agents: [
          scriptedAgent(
            'worker',
            'attempt 1',
            handOff({ agent: 'helper', task: 'Do the rest of the work' }, 'fix 1'),
            'attempt 2',
          ),
          agentNamed('helper', () => 'helped'),
        ],
        supervisor: supervisorOf({ step: [{ score: 10, feedback: 'Again' }, GOOD] }),
        tester: testerOf({ passed: false }, { passed: true }),
        policy: definePolicy({ gates: { step: 70 } }),
      },
      start: { plan: { steps: steps('a') } },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.proposed')).toHaveLength(1);
      expect(report.steps.map(({ id, output, attempts }) => [id, output, attempts])).toEqual([
        ['a', 'attempt 2', 2],
      ]);
      expect(report.replans).toBe(0);
    },
  );

  scenario(
    'continue with the fix after a question of the agent, and every call has its own key',
    () => ({
      options: {
        agents: [
          scriptedAgent(
            'worker',
            'first version',
            askHuman({ question: 'How?' }),
            (call: never) => ({
              mode: (call as { mode: string }).mode,
            }),
          ),
        ],
        supervisor: () => GOOD,
        tester: testerOf({ passed: false, failures: ['broken'] }, { passed: true }),
        policy: definePolicy({ gates: { code: 60, step: 70 } }),
      },
      start: { plan: { steps: steps('a') } },
      onFact: (fact, control) => {
        if (fact.type === 'approval.requested') control.approve(fact.requestId, 'Like this');
      },
    }),
    ({ report, factsOf }) => {
      expect(report.steps).toMatchObject([
        { status: 'completed', attempts: 1, output: { mode: 'fix' } },
      ]);
      const keys = factsOf('agent.called').map((fact) => fact.key);
      expect(new Set(keys).size).toBe(keys.length);
      expect(keys).toContain('run/a/1/worker.fix1.q1');
    },
  );
});

describe('the goal gate', () => {
  const goalOf = (maxReplans: number, ...scores: readonly number[]): ScenarioSetup => ({
    options: {
      agents: [agentNamed('worker', (call) => `did ${call.step.id}`)],
      planner: ({ revision, requests, completed }) => ({
        analysis: requests.map(({ kind, reason }) => `${kind}: ${reason}`).join(),
        steps: steps(revision === 0 ? 'a' : `more${completed.length}`),
      }),
      supervisor: supervisorOf({
        goal: scores.map((score) => ({ score, feedback: `Only ${score}` })),
      }),
      policy: presets.supervised({ limits: { maxReplans } }),
    },
  });

  scenario(
    'that fails leads to another plan with the reason, and completed work is kept',
    () => goalOf(3, 79, 80),
    ({ report, factsOf }) => {
      expect(factsOf('replan.requested')).toMatchObject([
        { kind: 'goalNotAchieved', stepId: null, reason: 'Only 79' },
      ]);
      expect(factsOf('plan.proposed')[1]?.plan?.analysis).toBe('goalNotAchieved: Only 79');
      expect(
        factsOf('agent.called').filter(({ stepId, role }) => stepId === 'a' && role === 'worker'),
      ).toHaveLength(1);
      expect(report).toMatchObject({ status: 'completed', reason: 'goal-achieved', replans: 1 });
      expect(report.successfulSteps).toEqual(['a', 'more1_rp1']);
    },
  );

  scenario(
    'that fails without a replan left fails the run and keeps completed work',
    () => goalOf(1, 10, 20),
    ({ report, factsOf }) => {
      expect(factsOf('verdict.given').filter(({ subject }) => subject === 'goal')).toMatchObject([
        { score: 10, passed: false },
        { score: 20, passed: false },
      ]);
      expect(report).toMatchObject({ status: 'failed', reason: 'goal-not-achieved', replans: 1 });
      expect(report.successfulSteps).toEqual(['a', 'more1_rp1']);
    },
  );

  scenario(
    'passes with a failed step when the supervisor accepts it',
    () => ({
      options: {
        agents: [
          agentNamed('worker', (call) => {
            if (call.step.id === 'a') throw new Error('down');
            return 'x';
          }),
        ],
        planner: () => ({ steps: steps('a', 'b') }),
        supervisor: () => GOOD,
        policy: presets.supervised({ retry: { attempts: 1 } }),
      },
    }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', reason: 'goal-achieved' });
      expect(report.failedSteps).toEqual(['a']);
      expect(report.allSucceeded).toBe(false);
    },
  );
});

describe('a supervisor that gives no verdict', () => {
  const garbage: readonly (readonly [string, unknown])[] = [
    ['NaN', { score: Number.NaN }],
    ['-1', { score: -1 }],
    ['101', { score: 101 }],
    ['Infinity', { score: Number.POSITIVE_INFINITY }],
    ['the text 7', { score: '7' }],
    ['the text 100', { score: '100' }],
    ['null', { score: null }],
    ['no score', {}],
    ['no verdict', null],
    ['undefined', undefined],
    ['a number', 100],
    ['a list', [{ score: 100 }]],
    ['an exception', new Error('down')],
    ['a score with a toJSON', { score: { toJSON: () => Number.NaN } }],
  ];

  for (const subject of ['plan', 'code', 'step', 'goal'] as const) {
    for (const [name, verdict] of garbage) {
      scenario(
        `never passes the ${subject} gate: ${name}`,
        () => ({
          options: {
            agents: [agentNamed('worker', () => 'x')],
            supervisor: inTurn(verdict) as never,
            policy: definePolicy({
              gates: { [subject]: 0 },
              limits: { maxAttempts: 1 },
              retry: { attempts: 1 },
            }),
          },
          start: { plan: { steps: steps('a') } },
        }),
        ({ report, factsOf }) => {
          expect(report.status).toBe('failed');
          expect(factsOf('verdict.given')).toEqual([]);
          expect(factsOf('agent.failed').map((fact) => fact.role)).toEqual(['supervisor']);
        },
      );
    }
  }

  for (const score of [-0, 0, 1e-320, 100]) {
    scenario(
      `does not include one with the score ${Object.is(score, -0) ? '-0' : score}`,
      () => ({
        options: {
          agents: [agentNamed('worker', () => 'x')],
          supervisor: () => ({ score }),
          policy: definePolicy({ gates: { code: 0 } }),
        },
        start: { plan: { steps: steps('a') } },
      }),
      ({ report, factsOf }) => {
        expect(factsOf('verdict.given')).toMatchObject([{ passed: true }]);
        expect(report.status).toBe('completed');
      },
    );
  }
});

describe('the escalation ladder', () => {
  /** One code review per step: the supervisor's verdict on each in turn. */
  const reviewing = (...verdicts: readonly Verdict[]): ScenarioSetup => ({
    options: {
      agents: [agentNamed('worker', feedbackTexts)],
      supervisor: supervisorOf({ code: verdicts }),
      policy: definePolicy({
        gates: { code: 0 },
        limits: { maxParallel: 1 },
      }),
    },
    start: { plan: { steps: steps('a', 'b<a', 'c<b', 'd<c', 'e<d', 'f<e') } },
  });
  const issue: Verdict = { score: 95, issues: ['typo'], feedback: 'Mind the typos' };

  scenario(
    'rises with issues in a row, whatever the score, and ends the run at the fifth',
    () => reviewing(issue),
    ({ report, factsOf, facts }) => {
      expect(
        factsOf('escalation.changed').map(({ from, to, message }) => [from, to, message]),
      ).toEqual([
        ['none', 'correct', 'CORRECTION'],
        ['correct', 'refocus', 'CORRECTION'],
        ['refocus', 'critical', 'ESCALATION'],
        ['critical', 'abort', 'ABORT'],
      ]);
      expect(factsOf('verdict.given')).toHaveLength(5);
      expect(report).toMatchObject({ status: 'aborted', reason: 'escalation' });
      expect(report.successfulSteps).toEqual(['a', 'b', 'c', 'd']);
      expect(report.cancelledSteps).toEqual(['e', 'f']);
      expect(report.steps[3]?.output).toEqual(['supervisor: [refocus] Mind the typos\n- typo']);
      expect(facts.at(-1)?.type).toBe('run.ended');
    },
  );

  scenario(
    'returns to none with the first verdict without issues, and counts from one again',
    () => reviewing(issue, issue, issue, issue, GOOD, issue),
    ({ report, factsOf }) => {
      expect(factsOf('escalation.changed').map(({ to }) => to)).toEqual([
        'correct',
        'refocus',
        'critical',
        'none',
      ]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'follows a low score immediately: 49 corrects, 29 refocuses, 50 only reminds',
    () => reviewing({ score: 49 }, { score: 29 }, { score: 50 }, GOOD),
    ({ report, factsOf }) => {
      expect(factsOf('escalation.changed').map(({ to, score }) => [to, score])).toEqual([
        ['correct', 49],
        ['refocus', 29],
        ['remind', 50],
        ['none', 90],
      ]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'counts a verdict that does not pass its gate as an issue, and tells the abort as its last fact',
    () => ({
      options: {
        agents: [agentNamed('worker', () => 'x')],
        supervisor: () => ({ score: 55 }),
        policy: definePolicy({ gates: { code: 60 }, limits: { maxAttempts: 9 } }),
      },
      start: { plan: { steps: steps('a') } },
    }),
    ({ report, facts, factsOf }) => {
      expect(report).toMatchObject({ status: 'aborted', reason: 'escalation' });
      expect(factsOf('verdict.given')).toHaveLength(5);
      expect(facts.at(-1)?.type).toBe('run.ended');
      expect(factsOf('agent.called').filter(({ role }) => role === 'worker')).toHaveLength(5);
    },
  );

  scenario(
    'counts rejected plans',
    () => ({
      options: {
        agents: [agentNamed('worker', () => 'x')],
        planner: ({ requests }) => ({ steps: steps(`s${requests.length}`) }),
        supervisor: () => ({ score: 65, issues: ['vague'] }),
        policy: presets.supervised({ limits: { maxReplans: 9 } }),
      },
    }),
    ({ report, factsOf, facts }) => {
      expect(report).toMatchObject({ status: 'aborted', reason: 'escalation' });
      expect(factsOf('verdict.given')).toHaveLength(5);
      expect(factsOf('step.started')).toEqual([]);
      expect(facts.at(-1)?.type).toBe('run.ended');
    },
  );
});
