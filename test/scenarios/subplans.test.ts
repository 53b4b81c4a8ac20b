import { describe, expect } from 'vitest';

import type { PlanRequest } from '../../src/agents/roles.js';
import type { AgentCall } from '../../src/agents/agent.js';
import { askHuman, blocked, requestReplan } from '../../src/agents/report.js';
import type { Fact } from '../../src/model/facts.js';
import type { Plan } from '../../src/model/plan.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import type { Control, ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import { feedbackTexts } from './scripted.js';
import { agentNamed, slowAgent, steps } from './team.js';

/** A planner with a plan for every depth; the last one also for all deeper levels. */
const plansByDepth =
  (...plans: readonly (readonly string[])[]) =>
  ({ depth }: PlanRequest): Plan => ({
    analysis: `Depth ${depth}`,
    steps: steps(...(plans[Math.min(depth, plans.length - 1)] ?? [])),
  });

/** A worker that is blocked above a depth and works from there on. */
const blockedAbove = (depth: number, work: (call: AgentCall) => unknown = didIt) =>
  agentNamed('worker', (call) =>
    call.step.depth < depth ? blocked(`Too hard: ${call.step.id}`) : work(call),
  );

const didIt = (call: AgentCall): string => `did ${call.step.id}`;

const policyOf = (overrides: PolicyOverrides = {}) =>
  definePolicy({
    ...overrides,
    limits: { maxAttempts: 2, maxReplans: 0, ...overrides.limits },
    failure: { onStepFailure: 'continue', ...overrides.failure },
  });

describe('a blocked step', () => {
  scenario(
    'is attempted as often as allowed, then done by a sub-plan, and its outputs reach its dependents',
    () => ({
      options: {
        agents: [
          blockedAbove(1),
          agentNamed('reader', (call) => call.dependencies.map(({ output }) => output)),
        ],
        planner: plansByDepth(['a', 'reader:b<a'], ['x', 'y<x']),
        policy: policyOf(),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('step.retried')).toEqual([
        { type: 'step.retried', stepId: 'a', attempt: 2, reason: 'Too hard: a' },
      ]);
      expect(factsOf('subplan.started')).toEqual([
        {
          type: 'subplan.started',
          stepId: 'a',
          depth: 1,
          reason: 'Too hard: a',
          message: 'STEP_BLOCKED',
        },
      ]);
      expect(factsOf('agent.called').map((fact) => fact.key)).toEqual([
        'run/plan/planner.1',
        'run/a/1/worker',
        'run/a/2/worker',
        'run/a/plan/planner.1',
        'run/a/x/1/worker',
        'run/a/y/1/worker',
        'run/b/1/worker',
      ]);
      expect(
        factsOf('plan.proposed').map(({ parentStepId, message }) => [parentStepId, message]),
      ).toEqual([
        [null, 'PLAN_RESPONSE'],
        ['a', 'SUBPLAN_RESPONSE'],
      ]);
      expect(factsOf('subplan.ended')).toEqual([
        {
          type: 'subplan.ended',
          stepId: 'a',
          status: 'completed',
          reason: 'all-steps-completed',
        },
      ]);
      expect(report.steps.map(({ id, status, depth }) => [id, status, depth])).toEqual([
        ['a', 'completed', 0],
        ['b', 'completed', 0],
        ['a/x', 'completed', 1],
        ['a/y', 'completed', 1],
      ]);
      expect(report.steps[1]?.output).toEqual([['did a/x', 'did a/y']]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'has the unchanged output of its sub-plan when that has one step',
    () => ({
      options: {
        agents: [
          blockedAbove(1),
          agentNamed('reader', (call) => call.dependencies.map(({ output }) => output)),
        ],
        planner: plansByDepth(['a', 'reader:b<a'], ['x']),
        policy: policyOf(),
      },
    }),
    ({ report }) => {
      expect(report.steps[0]).toMatchObject({ id: 'a', output: 'did a/x' });
      expect(report.steps[1]).toMatchObject({ id: 'b', output: ['did a/x'] });
    },
  );

  scenario(
    'fails when its sub-plan fails, and the rest of the run continues',
    () => ({
      options: {
        agents: [
          agentNamed('worker', (call) => {
            if (call.step.depth === 0) return call.step.id === 'a' ? blocked('Too hard') : 'done';
            throw new Error('down');
          }),
        ],
        planner: plansByDepth(['a', 'b', 'c<a'], ['x', 'y<x']),
        policy: policyOf({ retry: { attempts: 1 } }),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('subplan.ended')).toMatchObject([
        { stepId: 'a', status: 'failed', reason: 'steps-failed' },
      ]);
      expect(factsOf('step.failed')).toMatchObject([
        { stepId: 'a/x', code: 'threw' },
        { stepId: 'a', code: 'subplan-failed', attempts: 2 },
      ]);
      expect(report.successfulSteps).toEqual(['b']);
      expect(report.skippedSteps).toEqual(['c', 'a/y']);
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed' });
    },
  );

  scenario(
    'gets no sub-plan below the depth limit: blocked at every depth, it fails at every depth',
    () => ({
      options: {
        agents: [blockedAbove(99)],
        planner: plansByDepth(['a'], ['x']),
        policy: policyOf({ limits: { maxDepth: 2 } }),
      },
    }),
    ({ report, factsOf, orchestrator }) => {
      expect(factsOf('subplan.started').map(({ stepId, depth }) => [stepId, depth])).toEqual([
        ['a', 1],
        ['a/x', 2],
      ]);
      expect(factsOf('step.failed').map(({ stepId, code }) => [stepId, code])).toEqual([
        ['a/x/x', 'blocked'],
        ['a/x', 'subplan-failed'],
        ['a', 'subplan-failed'],
      ]);
      expect(factsOf('agent.called').filter(({ role }) => role === 'planner')).toHaveLength(3);
      expect(Math.max(...report.steps.map(({ depth }) => depth))).toBe(orchestrator.bounds().depth);
    },
  );

  for (const [name, options] of [
    ['the policy allows none', { planner: plansByDepth(['a']), maxDepth: 0 }],
    ['there is no planner', { planner: undefined, maxDepth: 3 }],
  ] as const) {
    scenario(
      `fails when there is no sub-plan for it: ${name}`,
      () => ({
        options: {
          agents: [blockedAbove(99)],
          ...(options.planner === undefined ? {} : { planner: options.planner }),
          policy: policyOf({ limits: { maxDepth: options.maxDepth } }),
        },
        start: { plan: { steps: steps('a') } },
      }),
      ({ report, factsOf }) => {
        expect(factsOf('subplan.started')).toEqual([]);
        expect(factsOf('step.failed')).toMatchObject([
          { code: 'blocked', reason: 'Too hard: a', attempts: 2, message: 'STEP_BLOCKED' },
        ]);
        expect(report.status).toBe('failed');
      },
    );
  }

  scenario(
    'fails when the planner has no valid plan for it',
    () => ({
      options: {
        agents: [blockedAbove(1)],
        planner: plansByDepth(['a', 'b<a'], ['nobody:x']),
        policy: policyOf(),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected')).toMatchObject([{ parentStepId: 'a', by: 'validation' }]);
      expect(factsOf('subplan.ended')).toMatchObject([
        { status: 'failed', reason: 'no-acceptable-plan: replan-limit' },
      ]);
      expect(report.skippedSteps).toEqual(['b']);
    },
  );

  scenario(
    'can be done two levels down, and the outputs return to the top',
    () => ({
      options: {
        agents: [blockedAbove(2)],
        planner: plansByDepth(['a'], ['x'], ['p', 'q']),
        policy: policyOf(),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.called').map((fact) => fact.key)).toContain('run/a/x/p/1/worker');
      expect(report.steps[0]).toMatchObject({ id: 'a', output: ['did a/x/p', 'did a/x/q'] });
      expect(report.status).toBe('completed');
    },
  );
});

describe('a question in a sub-plan', () => {
  const asking = (depth: number): ScenarioSetup => ({
    options: {
      agents: [
        blockedAbove(depth, (call) =>
          call.feedback.length === 0
            ? askHuman({ question: `What about ${call.step.id}?` })
            : feedbackTexts(call),
        ),
      ],
      planner: plansByDepth(['a'], ['x', 'y'], ['p', 'q']),
      policy: policyOf({ limits: { maxDepth: depth } }),
    },
  });

  scenario(
    'at depth 1 reaches the root, and the answers reach the askers in any order',
    () => ({
      options: {
        ...asking(1).options,
        planner: plansByDepth(['a', 'b'], ['x']),
      },
      at: {
        10: (control) => control.approve('b/x:1.1', 'for b'),
        20: (control) => control.approve('b/x:1.1', 'again'),
        30: (control) => control.approve('a/x:1.1', 'for a'),
      },
    }),
    ({ report, factsOf, commands }) => {
      expect(
        factsOf('approval.requested').map(({ requestId, stepId }) => [requestId, stepId]),
      ).toEqual([
        ['a/x:1.1', 'a/x'],
        ['b/x:1.1', 'b/x'],
      ]);
      expect(commands).toEqual([
        { accepted: true },
        { accepted: false, reason: 'already-decided' },
        { accepted: true },
      ]);
      expect(report.steps[0]?.output).toEqual(['human: for a']);
      expect(report.steps[1]?.output).toEqual(['human: for b']);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'at depth 2 reaches the root, and the answers reach the askers',
    () => ({
      ...asking(2),
      onFact: (fact, control) => {
        if (fact.type === 'approval.requested') control.approve(fact.requestId, fact.requestId);
      },
    }),
    ({ report, factsOf, commands }) => {
      expect(factsOf('approval.requested').map((fact) => fact.requestId)).toEqual([
        'a/x/p:1.1',
        'a/x/q:1.1',
        'a/y/p:1.1',
        'a/y/q:1.1',
      ]);
      expect(commands.every(({ accepted }) => accepted)).toBe(true);
      expect(report.steps.find(({ id }) => id === 'a/y/q')?.output).toEqual(['human: a/y/q:1.1']);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'ends the whole run when it is rejected and the policy says so: no call follows',
    () => ({
      options: {
        agents: [blockedAbove(1), agentNamed('architect', () => 'never')],
        planner: plansByDepth(['a', 'b<a', 'c'], ['architect:x', 'y']),
        policy: policyOf({ approval: { agents: ['architect'], onReject: 'fail' } }),
      },
      onFact: (fact, control) => {
        if (fact.type === 'approval.requested') control.reject(fact.requestId, 'Not that way');
      },
    }),
    ({ report, facts, factsOf }) => {
      expect(factsOf('agent.called').filter(({ agent }) => agent === 'architect')).toEqual([]);
      expect(factsOf('step.failed')).toMatchObject([
        { stepId: 'a/x', code: 'rejected', reason: 'Not that way' },
        { stepId: 'a', code: 'subplan-rejected', reason: 'a/x (architect)' },
      ]);
      const answeredAt = facts.findIndex(({ type }) => type === 'approval.rejected');
      expect(facts.findLastIndex(({ type }) => type === 'agent.called')).toBeLessThan(answeredAt);
      expect(report).toMatchObject({ status: 'failed', reason: 'step-rejected: a/x (architect)' });
    },
  );

  const limitDecision = (decide: (control: Control, requestId: string) => void): ScenarioSetup => ({
    options: {
      agents: [
        blockedAbove(1, (call) =>
          call.step.id === 'a/x' ? requestReplan({ reason: 'Another way' }, 'x') : 'y',
        ),
      ],
      planner: plansByDepth(['a'], ['x', 'y<x']),
      policy: policyOf({ replan: { onLimit: 'askHuman' } }),
    },
    onFact: (fact, control) => {
      if (fact.type === 'approval.requested') decide(control, fact.requestId);
    },
  });

  scenario(
    'can come from the sub-plan itself; an approval continues it without another plan',
    () => limitDecision((control, requestId) => control.approve(requestId)),
    ({ report, factsOf }) => {
      expect(factsOf('approval.requested')).toMatchObject([{ requestId: 'a:plan.1', stepId: 'a' }]);
      expect(factsOf('approval.granted')).toHaveLength(1);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'can come from the sub-plan itself; a rejection ends the sub-plan',
    () => limitDecision((control, requestId) => control.reject(requestId, 'Stop')),
    ({ report, factsOf }) => {
      expect(factsOf('subplan.ended')).toMatchObject([
        { status: 'failed', reason: 'replan-limit' },
      ]);
      expect(report.steps[0]).toMatchObject({ status: 'failed', code: 'subplan-failed' });
    },
  );

  scenario(
    'closes when the step above it is skipped: a late answer is refused and breaks nothing',
    (clock) => ({
      options: {
        agents: [
          blockedAbove(1, () => askHuman({ question: 'What now?' })),
          slowAgent('other', clock, 1_000),
        ],
        planner: plansByDepth(['a', 'other:b'], ['x']),
        policy: policyOf(),
      },
      at: {
        100: (control) => control.skip(['a']),
        200: (control) => control.approve('a/x:1.1'),
      },
    }),
    ({ report, commands }) => {
      expect(commands).toEqual([
        { accepted: true },
        { accepted: false, reason: 'already-decided' },
      ]);
      expect(report.steps.map(({ id, status }) => [id, status])).toEqual([
        ['a', 'skipped'],
        ['b', 'completed'],
        ['a/x', 'cancelled'],
      ]);
      expect(report.approvals).toMatchObject([{ outcome: 'closed' }]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'closes when the sub-plan times out: a late answer is refused and breaks nothing',
    (clock) => ({
      options: {
        agents: [
          blockedAbove(1, () => requestReplan({ reason: 'Another way' })),
          slowAgent('other', clock, 4_300),
        ],
        planner: plansByDepth(['a', 'other:b', 'other:c<b'], ['x', 'y<x']),
        policy: policyOf({
          replan: { onLimit: 'askHuman' },
          time: { limitMs: 10_000, graceMs: 100 },
        }),
      },
      at: { 8_200: (control) => control.approve('a:plan.1') },
    }),
    ({ report, commands, facts }) => {
      expect(commands).toEqual([{ accepted: false, reason: 'already-decided' }]);
      expect(facts.find((fact) => fact.type === 'subplan.ended')).toMatchObject({
        at: 7_899,
        status: 'timeExpired',
      });
      expect(report.successfulSteps).toEqual(['b', 'c', 'a/x']);
      expect(report).toMatchObject({ status: 'timeExpired', reason: 'execution-time-used' });
    },
  );

  scenario(
    'two levels down closes when the step one level down times out',
    (clock) => ({
      options: {
        agents: [
          blockedAbove(2, () => askHuman({ question: 'What now?' })),
          slowAgent('other', clock, 4_300),
        ],
        planner: plansByDepth(['a', 'other:b', 'other:c<b'], ['x'], ['p']),
        policy: policyOf({ time: { limitMs: 10_000, graceMs: 100 } }),
      },
      at: { 7_850: (control) => control.approve('a/x/p:1.1') },
    }),
    ({ report, commands }) => {
      expect(commands).toEqual([{ accepted: false, reason: 'already-decided' }]);
      expect(report.successfulSteps).toEqual(['b', 'c']);
      expect(report).toMatchObject({ status: 'timeExpired', reason: 'execution-time-used' });
    },
  );
});

describe('the bounds of the run inside a sub-plan', () => {
  scenario(
    'calls of a sub-plan at any depth count against the budget of the run',
    () => ({
      options: {
        agents: [blockedAbove(2)],
        planner: plansByDepth(['a'], ['x'], ['p', 'q', 'r', 's']),
        policy: policyOf({ limits: { maxAgentCalls: 9, maxParallel: 1, maxAttempts: 2 } }),
      },
    }),
    ({ report, factsOf }) => {
      // Three plans, two attempts at two blocked steps, and two of the four steps below.
      expect(factsOf('agent.called')).toHaveLength(9);
      expect(report).toMatchObject({ status: 'budgetExhausted', reason: 'maxAgentCalls' });
      expect(report.successfulSteps).toEqual(['a/x/p', 'a/x/q']);
    },
  );

  scenario(
    'an agent has one breaker for the whole run',
    () => ({
      options: {
        agents: [
          agentNamed('worker', () => blocked('Too hard')),
          agentNamed('flaky', () => {
            throw new Error('down');
          }),
        ],
        planner: plansByDepth(['a', 'flaky:b<a'], ['flaky:x', 'flaky:y']),
        policy: policyOf({
          breaker: { failures: 2, resetMs: 60_000 },
          retry: { attempts: 1 },
          limits: { maxParallel: 1 },
          failure: { onDependencyFailure: 'run' },
        }),
      },
    }),
    ({ factsOf }) => {
      expect(factsOf('breaker.opened')).toEqual([{ type: 'breaker.opened', agent: 'flaky' }]);
      expect(factsOf('agent.called').filter(({ agent }) => agent === 'flaky')).toHaveLength(2);
      expect(factsOf('agent.failed').map(({ stepId, code }) => [stepId, code])).toEqual([
        ['a/x', 'threw'],
        ['a/y', 'threw'],
        ['b', 'breaker-open'],
      ]);
    },
  );

  scenario(
    'verdicts in a sub-plan move the escalation ladder of the run',
    () => ({
      options: {
        agents: [blockedAbove(1)],
        planner: plansByDepth(['a'], ['p', 'q', 'r', 's', 't', 'u']),
        supervisor: () => ({ score: 95, issues: ['typo'] }),
        policy: policyOf({ gates: { code: 0 }, limits: { maxParallel: 1 } }),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('escalation.changed').map(({ to }) => to)).toEqual([
        'correct',
        'refocus',
        'critical',
        'abort',
      ]);
      expect(report).toMatchObject({ status: 'aborted', reason: 'escalation' });
      expect(report.successfulSteps).toEqual(['a/p', 'a/q', 'a/r', 'a/s']);
    },
  );

  scenario(
    'the plan of a sub-plan passes the plan gate or the step fails',
    () => ({
      options: {
        agents: [blockedAbove(1)],
        planner: plansByDepth(['a'], ['x']),
        supervisor: ({ depth }) => ({ score: depth === 0 ? 90 : 69 }),
        policy: policyOf({ gates: { plan: 70 } }),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected')).toMatchObject([{ parentStepId: 'a', by: 'supervisor' }]);
      expect(factsOf('step.started').map((fact) => fact.stepId)).toEqual(['a']);
      expect(report.steps).toMatchObject([{ status: 'failed', code: 'subplan-failed' }]);
    },
  );

  scenario(
    'a sub-plan times out before its step does, and its results are kept',
    (clock) => ({
      options: {
        agents: [
          blockedAbove(1, async (call) => {
            await clock.sleep(call.step.id === 'a/x' ? 1_000 : 60_000, call.signal);
            return 'done';
          }),
        ],
        planner: plansByDepth(['a'], ['x', 'y<x']),
        policy: policyOf({ time: { limitMs: 10_000, stepShare: true, graceMs: 100 } }),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('subplan.ended')).toMatchObject([{ stepId: 'a', status: 'timeExpired' }]);
      expect(factsOf('step.cancelled').map((fact) => fact.stepId)).toEqual(['a/y']);
      expect(report.steps[0]).toMatchObject({ code: 'subplan-timeout', durationMs: 7_999 });
      expect(report.successfulSteps).toEqual(['a/x']);
    },
  );

  scenario(
    'an abort of the run ends a sub-plan immediately',
    (clock) => ({
      options: {
        agents: [
          blockedAbove(1, async (call) => {
            await clock.sleep(1_000, call.signal);
            return 'done';
          }),
        ],
        planner: plansByDepth(['a', 'b<a'], ['x', 'y<x']),
        policy: policyOf(),
      },
      at: { 500: (control) => control.abort('Stop it') },
    }),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'aborted', durationMs: 500 });
      expect(factsOf('agent.answered').filter(({ stepId }) => stepId === 'a/x')).toEqual([]);
      expect(report.cancelledSteps).toEqual(['a', 'b', 'a/x', 'a/y']);
    },
  );

  scenario(
    'a sub-plan starts nothing new when the run winds down: running steps finish, then it ends',
    (clock) => ({
      options: {
        agents: [
          slowAgent('early', clock, 8_000),
          blockedAbove(1, async (call) => {
            await clock.sleep(2_200, call.signal);
            return 'done';
          }),
        ],
        planner: plansByDepth(['early:early', 'a<early', 'b<a'], ['x', 'y<x', 'z<y']),
        policy: policyOf({
          time: { limitMs: 10_000, planningMs: 1, verificationMs: 1, graceMs: 1_000 },
        }),
      },
    }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'timeExpired', durationMs: 10_200 });
      expect(report.successfulSteps).toEqual(['early', 'a/x']);
      expect(report.cancelledSteps).toEqual(['a/y', 'a/z']);
      expect(report.failedSteps).toEqual(['a']);
      expect(report.skippedSteps).toEqual(['b']);
    },
  );

  scenario(
    'a running sub-plan step finishes when the run is paused, and nothing starts after it',
    (clock) => ({
      options: {
        agents: [
          agentNamed('worker', async (call) => {
            if (call.step.id === 'a') return blocked('Too hard');
            await clock.sleep(100, call.signal);
            return 'done';
          }),
        ],
        planner: plansByDepth(['a', 'b<a'], ['x']),
        policy: policyOf(),
      },
      at: {
        50: (control) => control.pause(),
        1_000: (control) => control.unpause(),
      },
    }),
    ({ report, facts }) => {
      expect(facts.find((fact) => fact.type === 'subplan.ended')?.at).toBe(100);
      const started = facts.filter((fact) => fact.type === 'step.started');
      expect(started.map(({ stepId, at }) => [stepId, at])).toEqual([
        ['a', 0],
        ['a/x', 0],
        ['b', 1_000],
      ]);
      expect(report.status).toBe('completed');
    },
  );
});

describe('a pause of a run with sub-plans', () => {
  /** Every step below takes 100 ms. */
  const pausedAt = (
    clock: VirtualClock,
    pauseMs: number,
    depth: number,
    ...plans: readonly (readonly string[])[]
  ): ScenarioSetup => ({
    options: {
      agents: [
        blockedAbove(depth, async (call) => {
          await clock.sleep(100, call.signal);
          return 'done';
        }),
      ],
      planner: plansByDepth(...plans),
      policy: policyOf({ limits: { maxDepth: depth } }),
    },
    at: {
      [pauseMs]: (control) => control.pause(),
      1_000: (control) => control.unpause(),
    },
  });
  const startsOf = (facts: readonly Fact[]) =>
    facts.flatMap((fact) => (fact.type === 'step.started' ? [[fact.stepId, fact.at]] : []));

  scenario(
    'lets running steps of a sub-plan finish and starts nothing new there until it is unpaused',
    (clock) => pausedAt(clock, 50, 1, ['a', 'b<a'], ['x', 'y<x', 'z<y']),
    ({ report, facts, factsOf }) => {
      expect(startsOf(facts)).toEqual([
        ['a', 0],
        ['a/x', 0],
        ['a/y', 1_000],
        ['a/z', 1_100],
        ['b', 1_200],
        ['b/x', 1_200],
        ['b/y', 1_300],
        ['b/z', 1_400],
      ]);
      const ended = facts.find((fact) => fact.type === 'step.completed');
      expect(ended).toMatchObject({ stepId: 'a/x', at: 100 });
      expect(factsOf('run.paused')).toHaveLength(1);
      expect(factsOf('run.unpaused')).toHaveLength(1);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'reaches two levels down',
    (clock) => pausedAt(clock, 50, 2, ['a'], ['x', 'y<x'], ['p', 'q<p']),
    ({ report, facts }) => {
      expect(startsOf(facts).slice(0, 5)).toEqual([
        ['a', 0],
        ['a/x', 0],
        ['a/x/p', 0],
        ['a/x/q', 1_000],
        ['a/y', 1_100],
      ]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'delays the planning of a sub-plan until the run is unpaused',
    (clock) => {
      const { options, ...rest } = pausedAt(clock, 50, 1, ['a'], ['x']);
      const worker = agentNamed('worker', async (call) => {
        await clock.sleep(100, call.signal);
        return call.step.depth === 0 ? blocked('Too hard') : 'done';
      });
      return { ...rest, options: { ...options, agents: [worker] } };
    },
    ({ report, facts }) => {
      // The second attempt was already running; the sub-plan after it would be new.
      expect(facts.find((fact) => fact.type === 'subplan.started')?.at).toBe(200);
      const planned = facts.filter(
        (fact) => fact.type === 'agent.called' && fact.role === 'planner',
      );
      expect(planned.map(({ at }) => at)).toEqual([0, 1_000]);
      expect(startsOf(facts)).toEqual([
        ['a', 0],
        ['a/x', 1_000],
      ]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'does not delay the end of the run by a paused sub-plan',
    (clock) => {
      const setup = pausedAt(clock, 50, 1, ['a', 'b<a'], ['x', 'y<x']);
      return {
        ...setup,
        at: { 50: (control) => control.pause(), 500: (control) => control.abort('Enough') },
      };
    },
    ({ report, facts }) => {
      expect(startsOf(facts)).toEqual([
        ['a', 0],
        ['a/x', 0],
      ]);
      expect(report).toMatchObject({ status: 'aborted', durationMs: 500 });
    },
  );

  scenario(
    'lets a paused sub-plan wind down with its run',
    (clock) => {
      const setup = pausedAt(clock, 50, 1, ['a', 'b<a'], ['x', 'y<x']);
      const policy = policyOf({ time: { limitMs: 10_000, graceMs: 100 } });
      return {
        options: { ...setup.options, policy },
        at: { 50: (control) => control.pause() },
      };
    },
    ({ report, facts }) => {
      expect(startsOf(facts)).toHaveLength(2);
      expect(report.status).toBe('timeExpired');
      expect(report.durationMs).toBeLessThanOrEqual(10_100);
    },
  );
});
