import { describe, expect } from 'vitest';

import { askHuman, done, handOff } from '../../src/agents/report.js';
import type { Fact } from '../../src/model/facts.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { Control } from './harness.js';
import { scenario } from './harness.js';
import { scriptedAgent } from './scripted.js';
import { agentNamed, slowAgent, steps } from './team.js';

/** Approves every question immediately. */
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

describe('steps that need approval', () => {
  scenario(
    'a step of a named agent starts only after its approval; steps of other agents start immediately',
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
    'a plan can require approval of one of its steps',
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
    'an agent whose last answer was unsure needs approval for its next step; other agents do not',
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
    'an agent exactly as sure as the policy requires needs no approval',
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
    'only the last answer counts: an agent that is sure again needs no approval',
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
    'a step of a trivial plan needs no approval of its agent when the policy says so',
    () => ({
      options: {
        agents: [architect()],
        policy: definePolicy({ approval: { agents: ['architect'], autoApproveTrivial: true } }),
      },
      start: { plan: { steps: steps('architect:a'), scope: 'trivial' } },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('approval.requested')).toEqual([]);
      expect(report.successfulSteps).toEqual(['a']);
    },
  );

  for (const origin of ['planner', 'given'] as const) {
    scenario(
      `a trivial plan is submitted for approval like any other: ${origin}`,
      () => {
        const plan = { steps: steps('architect:a'), scope: 'trivial' as const };
        return {
          options: {
            agents: [architect()],
            policy: definePolicy({
              approval: { plan: true, agents: ['architect'], autoApproveTrivial: true },
            }),
            ...(origin === 'planner' ? { planner: () => plan } : {}),
          },
          ...(origin === 'given' ? { start: { plan } } : {}),
          onFact: approveAll,
        };
      },
      ({ report, factsOf }) => {
        expect(factsOf('approval.requested').map((fact) => fact.requestId)).toEqual([
          'plan:plan.1',
        ]);
        expect(report.successfulSteps).toEqual(['a']);
      },
    );
  }

  scenario(
    'a hand-off from a trivial plan still needs the approval of the agent it goes to',
    () => ({
      options: {
        agents: [
          scriptedAgent('worker', handOff({ agent: 'architect', task: 'Design the rest of it' })),
          architect(),
        ],
        policy: definePolicy({ approval: { agents: ['architect'], autoApproveTrivial: true } }),
      },
      start: { plan: { steps: steps('a'), scope: 'trivial' } },
      onFact: rejectAll,
    }),
    ({ factsOf }) => {
      expect(factsOf('approval.requested').map((fact) => fact.stepId)).toEqual(['architect_rp1']);
      expect(factsOf('agent.called').map((fact) => fact.agent)).toEqual(['worker']);
    },
  );

  scenario(
    'a trivial goal keeps the approval that a step itself requires',
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
    'a simple goal still needs approval',
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
    'is never called, and the planner is told the reason: onReject replan',
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
    'is skipped with its dependents, and the rest runs: onReject skip',
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
    'is one whose question timed out: onTimeout reject',
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
      expect(report).toMatchObject({ status: 'failed', reason: 'step-rejected: a (architect)' });
      expect(report.approvals).toMatchObject([{ outcome: 'expired', expiredAs: 'reject' }]);
    },
  );

  scenario(
    'is not one whose question timed out: onTimeout approve runs it',
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

describe('an agent that asks a question', () => {
  scenario(
    'more often than maxQuestions is blocked, attempted again, and fails with its reason',
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
    'is refused immediately when the policy allows no questions',
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
    'does not continue its step after a rejection, because the question requested permission',
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
      expect(report.reason).toBe('step-rejected: a (worker)');
    },
  );
});

describe('a question that is open when the run ends', () => {
  scenario(
    'closes with the run',
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
