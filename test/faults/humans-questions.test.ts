import { describe, expect } from 'vitest';

import { askHuman } from '../../src/agents/report.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { ScenarioSetup } from '../scenarios/harness.js';
import { scenario } from '../scenarios/harness.js';
import { plannerInTurn } from '../scenarios/planners.js';
import { feedbackTexts, scriptedAgent } from '../scenarios/scripted.js';
import { agentNamed, slowAgent, steps } from '../scenarios/team.js';
import { architect, oneQuestion, refused } from './humans-team.js';
import { expectNoLeaks } from './no-leaks.js';

expectNoLeaks();

/* Questions and their ends. Resumed runs are in humans-resume.test.ts. */

/** Three steps of one agent that all wait for approval. */
const threeQuestions = (): ScenarioSetup => ({
  options: {
    agents: [agentNamed('worker', (call) => `did ${call.step.id}`)],
    policy: definePolicy({ approval: { agents: ['worker'], timeoutMs: 60_000 } }),
  },
  start: { plan: { steps: steps('a', 'b', 'c') } },
});

describe('a rejection', () => {
  // The person is not recorded: the package knows no users. A caller that does can put the name into the reason.
  scenario(
    'keeps the step from running and is recorded with its time and reason',
    (clock) => ({
      ...oneQuestion(clock),
      at: { 250: (control) => control.reject('a:1.1', 'Ada: too risky') },
    }),
    ({ report, facts, factsOf: told }) => {
      expect(facts.find((fact) => fact.type === 'approval.rejected')).toMatchObject({
        at: 250,
        requestId: 'a:1.1',
        stepId: 'a',
        reason: 'Ada: too risky',
      });
      expect(report.approvals).toMatchObject([
        { requestId: 'a:1.1', outcome: 'rejected', decidedAt: 250, reason: 'Ada: too risky' },
      ]);
      expect(report.steps[0]).toMatchObject({ id: 'a', status: 'skipped', output: null });
      expect(told('agent.called').map(({ stepId }) => stepId)).toEqual(['b']);
    },
  );
});

describe('several open questions', () => {
  scenario(
    'one of three is approved, the others stay open',
    () => ({
      ...threeQuestions(),
      at: {
        10: (control) => control.approve('b:1.1'),
        20: (control) => control.abort('Enough'),
      },
    }),
    ({ report, factsOf: told }) => {
      expect(told('agent.called').map((fact) => fact.stepId)).toEqual(['b']);
      expect(report.steps.map(({ id, status }) => [id, status])).toEqual([
        ['a', 'cancelled'],
        ['b', 'completed'],
        ['c', 'cancelled'],
      ]);
      expect(
        report.approvals.map(({ stepId, outcome, payload }) => [stepId, outcome, payload]),
      ).toEqual([
        ['a', 'closed', 'Do the work of step a'],
        ['b', 'granted', 'Do the work of step b'],
        ['c', 'closed', 'Do the work of step c'],
      ]);
    },
  );

  scenario(
    'answers reach their own step, in any order',
    () => ({
      ...threeQuestions(),
      at: {
        10: (control) => control.approve('c:1.1', 'third'),
        20: (control) => control.reject('a:1.1', 'first'),
        30: (control) => control.approve('b:1.1', 'second'),
      },
    }),
    ({ report, factsOf: told }) => {
      expect(told('approval.granted', 'approval.rejected')).toMatchObject([
        { requestId: 'c:1.1', stepId: 'c', answer: 'third' },
        { requestId: 'a:1.1', stepId: 'a', reason: 'first' },
        { requestId: 'b:1.1', stepId: 'b', answer: 'second' },
      ]);
      expect(report.successfulSteps).toEqual(['b', 'c']);
      expect(report.failedSteps).toEqual(['a']);
    },
  );

  scenario(
    'of two steps of one agent are answered separately, each to its own step',
    () => ({
      options: {
        agents: [
          agentNamed('worker', (call) =>
            call.feedback.length === 0
              ? askHuman({ question: `What about ${call.step.id}?` })
              : feedbackTexts(call),
          ),
        ],
      },
      start: { plan: { steps: steps('a', 'b') } },
      at: {
        10: (control) => control.approve('b:1.1', 'for b'),
        20: (control) => control.approve('a:1.1', 'for a'),
      },
    }),
    ({ report }) => {
      expect(report.steps.map(({ output }) => output)).toEqual([
        ['human: for a'],
        ['human: for b'],
      ]);
    },
  );
});

describe('consecutive questions', () => {
  scenario(
    'of one step: the first answer does not answer the second',
    () => ({
      options: {
        agents: [
          scriptedAgent(
            'worker',
            askHuman({ question: 'Which database?', payload: { options: ['a', 'b'] } }),
            askHuman({ question: 'Which version?' }),
            feedbackTexts,
          ),
        ],
      },
      start: { plan: { steps: steps('a') } },
      at: {
        10: (control) => control.approve('a:1.1', 'PostgreSQL'),
        // The first answer again: the second question must not accept it.
        20: (control) => control.approve('a:1.1', 'PostgreSQL'),
        30: (control) => control.approve('a:1.2', '18'),
      },
    }),
    ({ report, facts, factsOf: told, commands }) => {
      expect(told('approval.requested')).toEqual([
        {
          type: 'approval.requested',
          requestId: 'a:1.1',
          stepId: 'a',
          question: 'Which database?',
          payload: { options: ['a', 'b'] },
        },
        {
          type: 'approval.requested',
          requestId: 'a:1.2',
          stepId: 'a',
          question: 'Which version?',
          payload: null,
        },
      ]);
      expect(commands).toEqual([
        { accepted: true },
        refused('already-decided'),
        { accepted: true },
      ]);
      const calls = facts.filter((fact) => fact.type === 'agent.called');
      expect(calls.map(({ key, at }) => [key, at])).toEqual([
        ['run/a/1/worker', 0],
        ['run/a/1/worker.q1', 10],
        ['run/a/1/worker.q2', 30],
      ]);
      expect(report.steps[0]?.output).toEqual(['human: PostgreSQL', 'human: 18']);
      expect(report.steps[0]?.attempts).toBe(1);
    },
  );

  scenario(
    'the approval of a step does not answer a later question of its agent',
    () => ({
      options: { agents: [scriptedAgent('worker', askHuman({ question: 'How?' }), feedbackTexts)] },
      start: {
        plan: {
          steps: [{ id: 'a', agent: 'worker', task: 'Dangerous work', requiresApproval: true }],
        },
      },
      onFact: (fact, control) => {
        if (fact.type === 'approval.requested') control.approve(fact.requestId, fact.question);
      },
    }),
    ({ report, factsOf: told }) => {
      expect(told('approval.requested').map((fact) => fact.requestId)).toEqual(['a:1.1', 'a:1.2']);
      expect(report.steps[0]?.output).toEqual(['human: How?']);
    },
  );
});

describe('an unanswered question', () => {
  scenario(
    'closes when the run is aborted, and late answers are refused',
    (clock) => ({
      options: {
        agents: [architect(), slowAgent('worker', clock, 1_000)],
        policy: definePolicy({ approval: { agents: ['architect'] } }),
      },
      start: { plan: { steps: steps('architect:a', 'architect:b', 'c', 'architect:d<a') } },
      at: { 500: (control) => control.abort('Never mind') },
      onFact: (fact, control) => {
        if (fact.type !== 'run.ended') return;
        control.approve('a:1.1');
        control.reject('b:1.1');
      },
    }),
    ({ report, commands, factsOf: told }) => {
      expect(report).toMatchObject({ status: 'aborted', reason: 'Never mind', durationMs: 500 });
      // The end of the asking step closes its question.
      expect(told('step.cancelled').map(({ stepId }) => stepId)).toEqual(['a', 'b', 'c', 'd']);
      expect(
        report.approvals.map(({ requestId, outcome, decidedAt }) => [
          requestId,
          outcome,
          decidedAt,
        ]),
      ).toEqual([
        ['a:1.1', 'closed', 500],
        ['b:1.1', 'closed', 500],
      ]);
      expect(told('approval.granted', 'approval.rejected', 'approval.expired')).toEqual([]);
      expect(told('agent.called').map(({ stepId }) => stepId)).toEqual(['c']);
      expect(commands).toEqual([{ accepted: true }, refused('run-ended'), refused('run-ended')]);
    },
  );

  scenario(
    'about a plan closes when the run is aborted',
    () => ({
      options: {
        agents: [agentNamed('worker', () => 'never')],
        planner: plannerInTurn(['a']),
        policy: definePolicy({ approval: { plan: true } }),
      },
      at: { 500: (control) => control.abort('Never mind') },
      onFact: (fact, control) => {
        if (fact.type === 'run.ended') control.approve('plan:plan.1');
      },
    }),
    ({ report, commands, factsOf: told }) => {
      expect(report).toMatchObject({ status: 'aborted', originalPlan: null, steps: [] });
      expect(report.approvals).toMatchObject([
        { requestId: 'plan:plan.1', outcome: 'closed', decidedAt: 500 },
      ]);
      expect(told('plan.adopted', 'step.started')).toEqual([]);
      expect(commands).toEqual([{ accepted: true }, refused('run-ended')]);
    },
  );

  scenario(
    'times out once, and a later answer is refused',
    (clock) => ({
      options: {
        agents: [architect(), slowAgent('worker', clock, 5_000)],
        policy: definePolicy({
          approval: { agents: ['architect'], timeoutMs: 1_000, onReject: 'skip' },
        }),
      },
      start: { plan: { steps: steps('architect:a', 'b') } },
      at: {
        2_000: (control) => {
          control.approve('a:1.1');
          control.reject('a:1.1');
        },
      },
    }),
    ({ report, commands, facts, factsOf: told }) => {
      const expiries = facts.filter((fact) => fact.type === 'approval.expired');
      expect(expiries).toMatchObject([
        { at: 1_000, requestId: 'a:1.1', stepId: 'a', outcome: 'reject' },
      ]);
      expect(commands).toEqual([refused('already-decided'), refused('already-decided')]);
      expect(told('agent.called').map((fact) => fact.stepId)).toEqual(['b']);
      expect(report.skippedSteps).toEqual(['a']);
      expect(report.approvals).toMatchObject([{ outcome: 'expired', expiredAs: 'reject' }]);
    },
  );

  scenario(
    'counts as a rejection when it times out: the planner is asked for another plan',
    () => ({
      options: {
        agents: [architect(), agentNamed('worker', (call) => `did ${call.step.id}`)],
        planner: plannerInTurn(['architect:a'], ['b']),
        policy: definePolicy({
          approval: { agents: ['architect'], timeoutMs: 1_000, onReject: 'replan' },
        }),
      },
    }),
    ({ report, factsOf: told }) => {
      expect(told('approval.expired')).toHaveLength(1);
      expect(told('step.failed')).toMatchObject([{ stepId: 'a', code: 'approval-expired' }]);
      expect(told('replan.requested')).toMatchObject([
        { kind: 'stepRejected', stepId: 'a', reason: 'No answer in time' },
      ]);
      expect(told('agent.called').map(({ agent }) => agent)).toEqual([
        'planner',
        'planner',
        'worker',
      ]);
      expect(report).toMatchObject({ status: 'completed', replans: 1 });
    },
  );
});
