import { describe, expect } from 'vitest';

import { needsContext } from '../../src/agents/report.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { Behaviours } from './by-step.js';
import { after, workerBy } from './by-step.js';
import type { Control, ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import { plannerInTurn } from './planners.js';
import { agentNamed, steps } from './team.js';

/** A planner whose second plan is `b` instead of `a`, and a policy that submits every plan for approval. */
const askingForPlans = (approval: PolicyOverrides['approval'] = {}): ScenarioSetup => ({
  options: {
    agents: [agentNamed('worker', (call) => `did ${call.step.id}`)],
    planner: (request) => ({
      analysis: request.requests.map(({ kind, reason }) => `${kind}: ${reason}`).join(),
      steps: steps(request.revision === 0 && request.requests.length === 0 ? 'a' : 'b'),
    }),
    policy: definePolicy({ approval: { plan: true, ...approval } }),
  },
});

describe('the approval of a plan', () => {
  scenario(
    'shows exactly what would run, and nothing runs before the answer',
    () => ({
      ...askingForPlans(),
      at: { 700: (control) => control.approve('plan:plan.1', 'Go') },
    }),
    ({ report, facts, factsOf }) => {
      expect(factsOf('approval.requested')).toEqual([
        {
          type: 'approval.requested',
          requestId: 'plan:plan.1',
          stepId: null,
          question: 'May this plan be executed?',
          payload: {
            analysis: '',
            steps: [{ id: 'a', agent: 'worker', task: 'Do the work of step a', dependsOn: [] }],
          },
        },
      ]);
      expect(factsOf('approval.granted')).toEqual([
        { type: 'approval.granted', requestId: 'plan:plan.1', stepId: null, answer: 'Go' },
      ]);
      expect(facts.find((fact) => fact.type === 'step.started')).toMatchObject({ at: 700 });
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'leads to a new plan and a new question after a rejection: onReject replan',
    () => ({
      ...askingForPlans(),
      at: {
        10: (control) => control.reject('plan:plan.1', 'Too expensive'),
        // The answer to the first question does not answer the second.
        20: (control) => control.approve('plan:plan.1'),
        30: (control) => control.approve('plan:plan.2'),
      },
    }),
    ({ report, factsOf, commands }) => {
      expect(factsOf('plan.rejected')).toMatchObject([
        { by: 'human', reason: 'Too expensive', revision: 0 },
      ]);
      expect(commands).toEqual([
        { accepted: true },
        { accepted: false, reason: 'already-decided' },
        { accepted: true },
      ]);
      expect(factsOf('plan.proposed')[1]?.plan?.analysis).toBe('planRejected: Too expensive');
      expect(report.successfulSteps).toEqual(['b']);
      expect(report.replans).toBe(1);
      expect(report.plans.map(({ status }) => status)).toEqual(['rejected', 'adopted']);
    },
  );

  scenario(
    'ends the run at the replan bound, without a step, when every plan is rejected',
    () => ({
      ...askingForPlans(),
      onFact: (fact, control) => {
        if (fact.type === 'approval.requested') control.reject(fact.requestId);
      },
    }),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'no-acceptable-plan: replan-limit',
        replans: 3,
      });
      expect(factsOf('approval.requested')).toHaveLength(4);
      expect(factsOf('step.started')).toEqual([]);
    },
  );

  for (const onReject of ['skip', 'fail'] as const) {
    scenario(
      `ends the run after a rejection, because there is no other plan: onReject ${onReject}`,
      () => ({
        ...askingForPlans({ onReject }),
        at: { 10: (control) => control.reject('plan:plan.1', 'No') },
      }),
      ({ report, factsOf }) => {
        expect(report).toMatchObject({ status: 'failed', reason: 'plan-rejected' });
        expect(factsOf('agent.called').map((fact) => fact.role)).toEqual(['planner']);
        expect(factsOf('approval.rejected')).toMatchObject([{ reason: 'No' }]);
      },
    );
  }

  scenario(
    'counts as rejected when it times out: onTimeout reject',
    () => ({ ...askingForPlans({ timeoutMs: 1000, onReject: 'fail' }) }),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'plan-rejected',
        durationMs: 1000,
      });
      expect(factsOf('approval.expired')).toEqual([
        { type: 'approval.expired', requestId: 'plan:plan.1', stepId: null, outcome: 'reject' },
      ]);
      expect(factsOf('step.started')).toEqual([]);
    },
  );

  scenario(
    'counts as approved when it times out: onTimeout approve',
    () => ({ ...askingForPlans({ timeoutMs: 1000, onTimeout: 'approve' }) }),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'completed', durationMs: 1000 });
      expect(factsOf('approval.expired')).toMatchObject([{ outcome: 'approve' }]);
    },
  );

  scenario(
    'is also required for a plan that is given with the goal',
    () => ({
      ...askingForPlans({ onReject: 'fail' }),
      start: { plan: { steps: steps('given') } },
      at: { 10: (control) => control.reject('plan:plan.1') },
    }),
    ({ report, factsOf }) => {
      expect(report.reason).toBe('plan-rejected');
      expect(factsOf('agent.called')).toEqual([]);
    },
  );

  scenario(
    'closes when the run is aborted',
    () => ({ ...askingForPlans(), at: { 10: (control) => control.abort('Never mind') } }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'aborted', reason: 'Never mind', durationMs: 10 });
      expect(report.approvals).toMatchObject([{ requestId: 'plan:plan.1', outcome: 'closed' }]);
    },
  );
});

describe('the approval of a revision', () => {
  /** Step `a` asks for another plan, and `b` waits behind it; the first plan is approved immediately. */
  const revising = (
    approval: PolicyOverrides['approval'],
    decide: (control: Control, requestId: string) => void,
    behaviours: Behaviours = { a: needsContext('More', 'half') },
    overrides: PolicyOverrides = {},
  ): ScenarioSetup => ({
    options: {
      agents: [workerBy(behaviours)],
      planner: plannerInTurn(['a', 'b<a', 'c'], ['x'], ['y']),
      policy: definePolicy({
        ...overrides,
        retry: { attempts: 1 },
        approval: { plan: true, ...approval },
      }),
    },
    onFact: (fact, control) => {
      if (fact.type !== 'approval.requested') return;
      if (fact.requestId === 'plan:plan.1') control.approve(fact.requestId);
      else decide(control, fact.requestId);
    },
  });
  const sayNo = (control: Control, requestId: string): void => control.reject(requestId, 'No');

  scenario(
    'keeps the current plan after a rejection: onReject skip',
    () => revising({ onReject: 'skip' }, sayNo),
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected')).toMatchObject([{ revision: 1, by: 'human', reason: 'No' }]);
      expect(factsOf('plan.adopted')).toHaveLength(1);
      expect(report).toMatchObject({ status: 'completed', reason: 'all-steps-completed' });
      expect(report).toMatchObject({ replans: 1, skippedSteps: [] });
      expect(report.successfulSteps).toEqual(['a', 'b', 'c']);
      expect(report.plans.map(({ status }) => status)).toEqual(['adopted', 'rejected']);
    },
  );

  scenario(
    'keeps the current plan when it times out: onReject skip',
    () => revising({ onReject: 'skip', timeoutMs: 1_000 }, () => undefined),
    ({ report, facts }) => {
      expect(facts.find((fact) => fact.type === 'plan.rejected')).toMatchObject({
        at: 1_000,
        reason: 'No answer in time',
      });
      expect(report).toMatchObject({ status: 'completed', durationMs: 1_000 });
    },
  );

  scenario(
    'leaves a failure unresolved after a rejection: onReject skip',
    () => revising({ onReject: 'skip' }, sayNo, { a: new Error('Broken') }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed', replans: 1 });
      expect(report).toMatchObject({ failedSteps: ['a'], skippedSteps: ['b'] });
      expect(report.successfulSteps).toEqual(['c']);
    },
  );

  scenario(
    'is requested at most once per replan when every revision is rejected: onReject skip',
    () =>
      revising(
        { onReject: 'skip' },
        sayNo,
        { a: needsContext('More'), b: needsContext('More'), c: needsContext('More') },
        { limits: { maxReplans: 2, maxParallel: 1 } },
      ),
    ({ report, factsOf }) => {
      expect(factsOf('approval.rejected')).toHaveLength(2);
      expect(report).toMatchObject({ status: 'completed', replans: 2 });
      expect(report.successfulSteps).toEqual(['a', 'b', 'c']);
    },
  );

  scenario(
    'leads to another goal review after a missed goal and a rejection: onReject skip',
    () => {
      const { options, ...rest } = revising(
        { onReject: 'skip' },
        sayNo,
        {},
        {
          gates: { goal: 80 },
          limits: { maxReplans: 1 },
        },
      );
      return { ...rest, options: { ...options, supervisor: () => ({ score: 10 }) } };
    },
    ({ report, factsOf }) => {
      expect(factsOf('verdict.given')).toHaveLength(2);
      expect(report).toMatchObject({ status: 'failed', reason: 'goal-not-achieved', replans: 1 });
    },
  );

  scenario(
    'ends the run after a rejection and keeps completed work: onReject fail',
    () => revising({ onReject: 'fail' }, sayNo),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'failed', reason: 'plan-rejected' });
      expect(report.successfulSteps).toEqual(['a', 'c']);
      expect(report.cancelledSteps).toEqual(['b']);
      expect(report.steps[0]?.output).toBe('half');
    },
  );

  scenario(
    'leads to another revision within the bound after a rejection: onReject replan',
    () => revising({ onReject: 'replan' }, sayNo, undefined, { limits: { maxReplans: 2 } }),
    ({ report, factsOf }) => {
      expect(factsOf('replan.started').map(({ reasons }) => reasons)).toEqual([
        ['More'],
        ['More', 'No'],
      ]);
      expect(factsOf('request.refused')).toMatchObject([{ bound: 'replan-limit' }]);
      expect(report).toMatchObject({ status: 'completed', replans: 2 });
      expect(report.successfulSteps).toEqual(['a', 'b', 'c']);
    },
  );

  scenario(
    'restores no dropped step after a rejection: onReject skip, merge replaceAll',
    (clock) =>
      revising(
        { onReject: 'skip' },
        sayNo,
        { a: after(clock, 10, needsContext('More')), c: after(clock, 50, 'did c') },
        { replan: { merge: 'replaceAll' } },
      ),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-left' });
      expect(report).toMatchObject({ successfulSteps: ['a', 'b'], cancelledSteps: ['c'] });
    },
  );
});
