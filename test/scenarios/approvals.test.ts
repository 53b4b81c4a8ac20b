import { describe, expect } from 'vitest';

import { askHuman, done } from '../../src/agents/report.js';
import type { Fact } from '../../src/journal/facts.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { Control } from './harness.js';
import { scenario } from './harness.js';
import { feedbackTexts, scriptedAgent } from './scripted.js';
import { agentNamed, slowAgent, steps } from './team.js';

/** Says yes to every question, at once. */
const approveAll = (fact: Fact, control: Control): void => {
  if (fact.type === 'approval.requested') control.approve(fact.requestId);
};

const rejectAll = (fact: Fact, control: Control): void => {
  if (fact.type === 'approval.requested') control.reject(fact.requestId, 'Too risky');
};

const worker = () => agentNamed('worker', (call) => `did ${call.step.id}`);
const architect = () => agentNamed('architect', (call) => `designed ${call.step.id}`);
const careful = (): { id: string; agent: string; task: string; requiresApproval: boolean }[] => [
  { id: 'a', agent: 'worker', task: 'Do the dangerous work', requiresApproval: true },
];

describe('who must be approved', () => {
  scenario(
    'a step of a named agent starts its work only after a person agreed, others at once',
    () => ({
      options: {
        agents: [worker(), architect()],
        policy: definePolicy({ approval: { agents: ['architect'] } }),
      },
      start: { plan: { steps: steps('architect:a', 'b') } },
      at: { 500: (control) => control.approve('a:1.1', 'Looks fine') },
    }),
    ({ report, facts, factsOf }) => {
      expect(factsOf('approval.requested')).toEqual([
        {
          type: 'approval.requested',
          requestId: 'a:1.1',
          stepId: 'a',
          question: 'The policy asks for approval before architect starts',
          payload: 'Do the work of step a',
        },
      ]);
      expect(factsOf('approval.granted')).toEqual([
        { type: 'approval.granted', requestId: 'a:1.1', stepId: 'a', answer: 'Looks fine' },
      ]);
      const calls = facts.filter((fact) => fact.type === 'agent.called');
      expect(calls.map(({ stepId, at }) => ({ stepId, at }))).toEqual([
        { stepId: 'b', at: 0 },
        { stepId: 'a', at: 500 },
      ]);
      expect(report.status).toBe('completed');
      expect(report.approvals).toMatchObject([{ outcome: 'granted', decidedAt: 500 }]);
    },
  );

  scenario(
    'a plan can ask for approval of one of its steps',
    () => ({
      options: { agents: [worker()] },
      start: { plan: { steps: careful() } },
      onFact: approveAll,
    }),
    ({ report, factsOf }) => {
      expect(factsOf('approval.requested')[0]?.question).toBe(
        'The plan asks for approval before worker starts',
      );
      expect(report.successfulSteps).toEqual(['a']);
    },
  );

  scenario(
    'an agent whose last answer was unsure is approved before its next step, and only that agent',
    () => ({
      options: {
        agents: [
          scriptedAgent('worker', done('unsure', { confidence: 0.69 }), done('sure')),
          architect(),
        ],
        policy: definePolicy({ approval: { confidenceBelow: 0.7 } }),
      },
      start: { plan: { steps: steps('a', 'b<a', 'architect:c<a') } },
      onFact: approveAll,
    }),
    ({ report, factsOf }) => {
      expect(factsOf('approval.requested')).toMatchObject([
        {
          stepId: 'b',
          question: 'The last answer of worker had a confidence of 0.69, below 0.7',
        },
      ]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'an agent that was exactly as sure as the policy asks is not approved again',
    () => ({
      options: {
        agents: [scriptedAgent('worker', done('sure', { confidence: 0.7 }))],
        policy: definePolicy({ approval: { confidenceBelow: 0.7 } }),
      },
      start: { plan: { steps: steps('a', 'b<a') } },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('approval.requested')).toEqual([]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'the last answer counts: an agent that became sure again needs no approval',
    () => ({
      options: {
        agents: [
          scriptedAgent(
            'worker',
            done('no', { confidence: 0.1 }),
            done('yes', { confidence: 0.9 }),
          ),
        ],
        policy: definePolicy({ approval: { confidenceBelow: 0.7 } }),
      },
      start: { plan: { steps: steps('a', 'b<a', 'c<b') } },
      onFact: approveAll,
    }),
    ({ factsOf }) => {
      expect(factsOf('approval.requested').map((fact) => fact.stepId)).toEqual(['b']);
    },
  );

  scenario(
    'a trivial goal needs no approval of plan or agent when the policy says so',
    () => ({
      options: {
        agents: [architect()],
        policy: definePolicy({
          approval: { plan: true, agents: ['architect'], autoApproveTrivial: true },
        }),
      },
      start: { plan: { steps: steps('architect:a'), scope: 'trivial' } },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('approval.requested')).toEqual([]);
      expect(report.successfulSteps).toEqual(['a']);
    },
  );

  scenario(
    'calling a goal trivial never takes away the approval that a step itself asks for',
    () => ({
      options: {
        agents: [worker()],
        policy: definePolicy({ approval: { agents: ['worker'], autoApproveTrivial: true } }),
      },
      start: { plan: { steps: careful(), scope: 'trivial' } },
      onFact: approveAll,
    }),
    ({ factsOf }) => {
      expect(factsOf('approval.requested').map((fact) => fact.stepId)).toEqual(['a']);
    },
  );

  scenario(
    'a goal that is only simple is still approved',
    () => ({
      options: {
        agents: [architect()],
        policy: definePolicy({ approval: { agents: ['architect'], autoApproveTrivial: true } }),
      },
      start: { plan: { steps: steps('architect:a'), scope: 'simple' } },
      onFact: approveAll,
    }),
    ({ factsOf }) => {
      expect(factsOf('approval.requested').map((fact) => fact.stepId)).toEqual(['a']);
    },
  );
});

describe('a rejected step', () => {
  scenario(
    'is never called, and the planner hears why: onReject replan',
    () => ({
      options: {
        agents: [worker(), architect()],
        planner: (request) =>
          request.revision === 0
            ? { steps: steps('architect:a', 'b<a') }
            : { analysis: request.requests.map(({ reason }) => reason).join(), steps: steps('c') },
        policy: definePolicy({ approval: { agents: ['architect'], onReject: 'replan' } }),
      },
      onFact: rejectAll,
    }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called').map((fact) => fact.agent)).toEqual([
        'planner',
        'planner',
        'worker',
      ]);
      expect(factsOf('step.failed')).toMatchObject([
        { stepId: 'a', code: 'rejected', reason: 'Too risky', attempts: 1 },
      ]);
      expect(factsOf('replan.requested')).toMatchObject([
        { kind: 'stepRejected', stepId: 'a', agent: 'architect', reason: 'Too risky' },
      ]);
      expect(factsOf('plan.proposed')[1]?.plan?.analysis).toBe('Too risky');
      expect(report.status).toBe('completed');
      expect(report.successfulSteps).toEqual(['c_rp1']);
      expect(report.replans).toBe(1);
    },
  );

  scenario(
    'is skipped with what needs it, and the rest runs: onReject skip',
    () => ({
      options: {
        agents: [worker(), architect()],
        policy: definePolicy({ approval: { agents: ['architect'], onReject: 'skip' } }),
      },
      start: { plan: { steps: steps('architect:a', 'b<a', 'c') } },
      onFact: rejectAll,
    }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called').map((fact) => fact.stepId)).toEqual(['c']);
      expect(factsOf('step.skipped')).toEqual([
        { type: 'step.skipped', stepId: 'a', reason: 'rejected: Too risky' },
        { type: 'step.skipped', stepId: 'b', reason: 'dependency' },
      ]);
      expect(report.successfulSteps).toEqual(['c']);
      expect(report.allSucceeded).toBe(false);
    },
  );

  scenario(
    'has failed for good: onReject fail asks for no new plan',
    () => ({
      options: {
        agents: [worker(), architect()],
        planner: () => ({ steps: steps('architect:a', 'b') }),
        policy: definePolicy({ approval: { agents: ['architect'], onReject: 'fail' } }),
      },
      onFact: rejectAll,
    }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called').map((fact) => fact.agent)).toEqual(['planner', 'worker']);
      expect(factsOf('replan.requested')).toEqual([]);
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed' });
      expect(report.failedSteps).toEqual(['a']);
      expect(report.successfulSteps).toEqual(['b']);
    },
  );

  scenario(
    'is one that nobody answered in time: onTimeout reject',
    () => ({
      options: {
        agents: [architect()],
        policy: definePolicy({
          approval: { agents: ['architect'], timeoutMs: 1000, onReject: 'fail' },
        }),
      },
      start: { plan: { steps: steps('architect:a') } },
    }),
    ({ report, factsOf, facts }) => {
      expect(factsOf('agent.called')).toEqual([]);
      expect(facts.find((fact) => fact.type === 'approval.expired')).toMatchObject({
        at: 1000,
        requestId: 'a:1.1',
        stepId: 'a',
        outcome: 'reject',
      });
      expect(report.steps).toMatchObject([{ status: 'failed', code: 'approval-expired' }]);
      expect(report.approvals).toMatchObject([{ outcome: 'expired', expiredAs: 'reject' }]);
    },
  );

  scenario(
    'is not one that nobody answered in time: onTimeout approve runs it',
    () => ({
      options: {
        agents: [architect()],
        policy: definePolicy({
          approval: { agents: ['architect'], timeoutMs: 1000, onTimeout: 'approve' },
        }),
      },
      start: { plan: { steps: steps('architect:a') } },
    }),
    ({ report, facts }) => {
      expect(facts.find((fact) => fact.type === 'agent.called')).toMatchObject({ at: 1000 });
      expect(report.approvals).toMatchObject([{ outcome: 'expired', expiredAs: 'approve' }]);
      expect(report.status).toBe('completed');
    },
  );
});

describe('an agent that asks', () => {
  scenario(
    'gets the answer as feedback, and asks for the second time with a question of its own',
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
        // The first answer again: the second question must not take it.
        20: (control) => control.approve('a:1.1', 'PostgreSQL'),
        30: (control) => control.approve('a:1.2', '18'),
      },
    }),
    ({ report, facts, factsOf, commands }) => {
      expect(factsOf('approval.requested')).toEqual([
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
        { accepted: false, reason: 'already-decided' },
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
    'more often than maxQuestions is blocked, tried again, and fails with its reason',
    () => ({
      options: {
        agents: [agentNamed('worker', () => askHuman({ question: 'And now?' }))],
        policy: definePolicy({ approval: { maxQuestions: 2 }, limits: { maxAttempts: 2 } }),
      },
      start: { plan: { steps: steps('a') } },
      onFact: approveAll,
    }),
    ({ report, factsOf }) => {
      expect(factsOf('approval.requested')).toHaveLength(2);
      expect(factsOf('step.retried')).toMatchObject([{ stepId: 'a', attempt: 2 }]);
      expect(factsOf('step.failed')).toMatchObject([
        { code: 'blocked', reason: 'The agent asks again and again', attempts: 2 },
      ]);
      expect(factsOf('agent.called')).toHaveLength(4);
      expect(report.status).toBe('failed');
    },
  );

  scenario(
    'is refused at once when the policy allows no questions',
    () => ({
      options: {
        agents: [scriptedAgent('worker', askHuman({ question: 'May I?' }), 'done alone')],
        policy: definePolicy({ approval: { maxQuestions: 0 } }),
      },
      start: { plan: { steps: steps('a') } },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('approval.requested')).toEqual([]);
      expect(report.steps).toMatchObject([{ status: 'completed', attempts: 2 }]);
    },
  );

  scenario(
    'and is told no does not work on: the question was a request for permission',
    () => ({
      options: {
        agents: [scriptedAgent('worker', askHuman({ question: 'Delete all?' }), 'deleted')],
        policy: definePolicy({ approval: { onReject: 'fail' } }),
      },
      start: { plan: { steps: steps('a') } },
      onFact: rejectAll,
    }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called')).toHaveLength(1);
      expect(report.steps).toMatchObject([{ status: 'failed', code: 'rejected', output: null }]);
    },
  );

  scenario(
    'after its step was approved has that approval not taken for the answer',
    () => ({
      options: { agents: [scriptedAgent('worker', askHuman({ question: 'How?' }), feedbackTexts)] },
      start: { plan: { steps: careful() } },
      onFact: (fact, control) => {
        if (fact.type === 'approval.requested') control.approve(fact.requestId, fact.question);
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('approval.requested').map((fact) => fact.requestId)).toEqual([
        'a:1.1',
        'a:1.2',
      ]);
      expect(report.steps[0]?.output).toEqual(['human: How?']);
    },
  );
});

describe('several questions at once', () => {
  const three = () => ({
    options: {
      agents: [agentNamed('worker', (call) => `did ${call.step.id}`)],
      policy: definePolicy({ approval: { agents: ['worker'], timeoutMs: 60_000 } }),
    },
    start: { plan: { steps: steps('a', 'b', 'c') } },
  });

  scenario(
    'one of three waiting steps is approved, the others go on waiting with their question',
    () => ({
      ...three(),
      at: {
        10: (control) => control.approve('b:1.1'),
        20: (control) => control.abort('Enough'),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called').map((fact) => fact.stepId)).toEqual(['b']);
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
    'answers reach the step they are for, in any order',
    () => ({
      ...three(),
      at: {
        10: (control) => control.approve('c:1.1', 'third'),
        20: (control) => control.reject('a:1.1', 'first'),
        30: (control) => control.approve('b:1.1', 'second'),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('approval.granted', 'approval.rejected')).toMatchObject([
        { requestId: 'c:1.1', stepId: 'c', answer: 'third' },
        { requestId: 'a:1.1', stepId: 'a', reason: 'first' },
        { requestId: 'b:1.1', stepId: 'b', answer: 'second' },
      ]);
      expect(report.successfulSteps).toEqual(['b', 'c']);
      expect(report.failedSteps).toEqual(['a']);
    },
  );

  scenario(
    'questions of two steps of one agent are answered one by one',
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

describe('answers that come too often, too late or to nobody', () => {
  scenario(
    'are refused with the reason and change nothing',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 100), architect()],
        policy: definePolicy({ approval: { agents: ['architect'] } }),
      },
      start: { plan: { steps: steps('architect:a', 'b') } },
      at: {
        10: (control) => control.approve('nobody:1.1'),
        20: (control) => control.approve('a:1.1'),
        30: (control) => control.approve('a:1.1'),
        40: (control) => control.reject('a:1.1', 'Changed my mind'),
        50: (control) => control.approve('plan:plan.1'),
      },
      onFact: (fact, control) => {
        if (fact.type === 'run.ended') control.approve('a:1.1');
      },
    }),
    ({ report, factsOf, commands }) => {
      expect(commands).toEqual([
        { accepted: false, reason: 'unknown-request' },
        { accepted: true },
        { accepted: false, reason: 'already-decided' },
        { accepted: false, reason: 'already-decided' },
        { accepted: false, reason: 'unknown-request' },
        { accepted: false, reason: 'run-ended' },
      ]);
      expect(factsOf('command.refused').map(({ command, reason }) => [command, reason])).toEqual([
        ['approval.grant', 'unknown-request'],
        ['approval.grant', 'already-decided'],
        ['approval.reject', 'already-decided'],
        ['approval.grant', 'unknown-request'],
      ]);
      expect(factsOf('approval.granted')).toHaveLength(1);
      expect(factsOf('approval.rejected')).toEqual([]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'of fifty approvals at once the first wins',
    () => ({
      options: {
        agents: [architect()],
        policy: definePolicy({ approval: { agents: ['architect'] } }),
      },
      start: { plan: { steps: steps('architect:a') } },
      at: {
        10: (control) => {
          for (let index = 0; index < 50; index += 1) control.approve('a:1.1');
        },
      },
    }),
    ({ factsOf, commands }) => {
      expect(commands.filter(({ accepted }) => accepted)).toHaveLength(1);
      expect(factsOf('approval.granted')).toHaveLength(1);
      expect(factsOf('agent.called')).toHaveLength(1);
    },
  );

  scenario(
    'an answer to a question that expired is refused',
    (clock) => ({
      options: {
        agents: [architect(), slowAgent('worker', clock, 5000)],
        policy: definePolicy({
          approval: { agents: ['architect'], timeoutMs: 1000, onReject: 'skip' },
        }),
      },
      start: { plan: { steps: steps('architect:a', 'b') } },
      at: { 2000: (control) => control.approve('a:1.1') },
    }),
    ({ report, commands, factsOf }) => {
      expect(commands).toEqual([{ accepted: false, reason: 'already-decided' }]);
      expect(factsOf('agent.called').map((fact) => fact.stepId)).toEqual(['b']);
      expect(report.skippedSteps).toEqual(['a']);
    },
  );

  scenario(
    'a question closes with the run that asked it',
    (clock) => ({
      options: {
        agents: [architect(), slowAgent('worker', clock, 20)],
        policy: definePolicy({
          approval: { agents: ['architect'] },
          time: { limitMs: 1000, graceMs: 100 },
        }),
      },
      start: { plan: { steps: steps('architect:a', 'b') } },
    }),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'timeExpired', durationMs: 1000 });
      expect(factsOf('step.cancelled').map((fact) => fact.stepId)).toEqual(['a']);
      expect(report.approvals).toMatchObject([{ requestId: 'a:1.1', outcome: 'closed' }]);
      expect(report.successfulSteps).toEqual(['b']);
    },
  );
});
