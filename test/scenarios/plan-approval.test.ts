import { describe, expect } from 'vitest';

import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/policy/types.js';
import type { ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import { agentNamed, steps } from './team.js';

/** A planner whose second plan is `b` instead of `a`, and a policy that puts every plan to a person. */
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
    'shows exactly what would run, and nothing runs before',
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
    'rejected, a new plan is made with the reason and asked for again: onReject replan',
    () => ({
      ...askingForPlans(),
      at: {
        10: (control) => control.reject('plan:plan.1', 'Too expensive'),
        // The answer to the first question is no answer to the second.
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
    'rejected again and again, it ends at the replan bound without a single step',
    () => ({
      ...askingForPlans(),
      onFact: (fact, control) => {
        if (fact.type === 'approval.requested') control.reject(fact.requestId);
      },
    }),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'failed', reason: 'no-acceptable-plan', replans: 3 });
      expect(factsOf('approval.requested')).toHaveLength(4);
      expect(factsOf('step.started')).toEqual([]);
    },
  );

  for (const onReject of ['skip', 'fail'] as const) {
    scenario(
      `rejected, it ends the run: onReject ${onReject}`,
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
    'not answered in time, it is rejected: onTimeout reject',
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
    'not answered in time, it is approved: onTimeout approve',
    () => ({ ...askingForPlans({ timeoutMs: 1000, onTimeout: 'approve' }) }),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'completed', durationMs: 1000 });
      expect(factsOf('approval.expired')).toMatchObject([{ outcome: 'approve' }]);
    },
  );

  scenario(
    'is asked for a plan that came with the goal too',
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
    'is closed when the run is aborted meanwhile',
    () => ({ ...askingForPlans(), at: { 10: (control) => control.abort('Never mind') } }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'aborted', reason: 'Never mind', durationMs: 10 });
      expect(report.approvals).toMatchObject([{ requestId: 'plan:plan.1', outcome: 'closed' }]);
    },
  );
});
