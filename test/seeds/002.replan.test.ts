import { describe, expect } from 'vitest';

import type { AgentCall } from '../../src/agents/agent.js';
import { handOff, requestReplan } from '../../src/agents/report.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { after } from '../scenarios/by-step.js';
import type { ScenarioSetup } from '../scenarios/harness.js';
import { scenario } from '../scenarios/harness.js';
import { plannerInTurn, toldBy } from '../scenarios/planners.js';
import { steps } from '../scenarios/team.js';
import type { Answers, Role } from './002-team.js';
import { approving, calledIn, dynamicProfile, eachRound, inOrder, toolkit } from './002-team.js';

/* Seed 002: the workflow adapts when an agent sends a request or fails, within max_replans, and loses nothing. */

const BROKEN = new Error('The build is broken');

/** A pipeline that every replan proposes again, with the same agents. */
const again = (
  answers: Answers,
  roles: readonly Role[],
  overrides: PolicyOverrides = {},
): ScenarioSetup => ({
  options: {
    agents: toolkit(answers),
    planner: eachRound(...roles),
    policy: dynamicProfile(overrides),
  },
  onFact: approving,
});

describe('max_replans', () => {
  scenario(
    'bounds agents that always ask: three more plans, then the rest of the last one runs',
    () =>
      again(
        {
          analyst: [
            ({ step }: AgentCall) =>
              requestReplan({ reason: 'Scope is complex' }, `findings of ${step.id}`),
          ],
        },
        ['analyst', 'developer', 'reviewer'],
      ),
    ({ report, facts, factsOf, orchestrator }) => {
      const oneRound = ['planner', 'analyst'];
      expect(calledIn(facts)).toEqual([
        ...oneRound,
        ...oneRound,
        ...oneRound,
        ...oneRound,
        'developer',
        'reviewer',
      ]);
      expect(
        factsOf('replan.started').map(({ replans, maxReplans }) => [replans, maxReplans]),
      ).toEqual([
        [1, 3],
        [2, 3],
        [3, 3],
      ]);
      expect(factsOf('request.refused')).toMatchObject([{ bound: 'replan-limit' }]);
      expect(report).toMatchObject({ status: 'completed', replans: 3 });
      expect(
        report.steps.filter(({ agent }) => agent === 'analyst').map(({ output }) => output),
      ).toEqual([
        'findings of analyst',
        'findings of analyst_rp1',
        'findings of analyst_rp2',
        'findings of analyst_rp3',
      ]);
      expect(orchestrator.bounds()).toMatchObject({ plannerCalls: 4, replans: 3 });
    },
  );

  scenario(
    'fails the run at the bound where the profile says so, as in the seed',
    () =>
      again(
        { analyst: [requestReplan({ reason: 'Scope is complex' }, 'findings')] },
        ['analyst', 'developer', 'reviewer'],
        { replan: { onLimit: 'fail' } },
      ),
    ({ report, facts }) => {
      expect(report).toMatchObject({ status: 'failed', reason: 'replan-limit', replans: 3 });
      expect(calledIn(facts)).not.toContain('developer');
      expect(report.successfulSteps).toHaveLength(4);
    },
  );

  scenario(
    'bounds failures: an agent that always fails causes three replans, then the run fails',
    () => again({ developer: [BROKEN] }, ['developer', 'reviewer'], { retry: { attempts: 1 } }),
    ({ report, facts, factsOf }) => {
      const oneRound = ['planner', 'developer'];
      expect(calledIn(facts)).toEqual([...oneRound, ...oneRound, ...oneRound, ...oneRound]);
      expect(factsOf('replan.requested')).toHaveLength(3);
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'steps-failed: replan-limit',
        replans: 3,
      });
      expect(report.failedSteps).toEqual([
        'developer',
        'developer_rp1',
        'developer_rp2',
        'developer_rp3',
      ]);
      expect(report.steps.at(-1)).toMatchObject({ id: 'reviewer_rp3', status: 'skipped' });
    },
  );

  scenario(
    'is one budget for requests and failures',
    () =>
      again(
        {
          analyst: [
            requestReplan({ reason: 'Look again' }),
            'found',
            requestReplan({ reason: 'And again' }),
          ],
          developer: [BROKEN, 'built'],
        },
        ['analyst', 'developer', 'reviewer'],
        { retry: { attempts: 1 } },
      ),
    ({ report, factsOf }) => {
      expect(factsOf('replan.started').map(({ replans, reasons }) => [replans, reasons])).toEqual([
        [1, ['Look again']],
        [2, ['Error: The build is broken']],
        [3, ['And again']],
      ]);
      expect(factsOf('request.refused')).toMatchObject([{ bound: 'replan-limit' }]);
      expect(report).toMatchObject({ status: 'completed', replans: 3 });
    },
  );
});

describe('a failed agent', () => {
  scenario(
    'leads to another plan, which knows what failed and why',
    () => ({
      options: {
        agents: toolkit({ developer: [BROKEN, BROKEN, BROKEN, 'built'] }),
        planner: plannerInTurn(
          inOrder('developer', 'reviewer'),
          inOrder('analyst', 'developer', 'reviewer'),
        ),
        policy: dynamicProfile(),
      },
    }),
    ({ report, facts, factsOf }) => {
      expect(calledIn(facts)).toEqual([
        'planner',
        'developer',
        'developer',
        'developer',
        'planner',
        'analyst',
        'developer',
        'reviewer',
      ]);
      expect(factsOf('replan.requested')).toMatchObject([
        {
          kind: 'stepFailed',
          stepId: 'developer',
          agent: 'developer',
          reason: 'Error: The build is broken',
          agents: [],
        },
      ]);
      expect(toldBy(factsOf)[1]).toMatchObject({
        revision: 1,
        failed: ['developer: threw: Error: The build is broken'],
        requests: ['stepFailed of developer: Error: The build is broken'],
      });
      expect(report).toMatchObject({ status: 'completed', replans: 1 });
    },
  );

  scenario(
    'is reported alone: the earlier request was answered by the earlier plan',
    () => ({
      options: {
        agents: toolkit({
          analyst: [requestReplan({ reason: 'Scope is complex', agents: ['architect'] }, 'found')],
          developer: [BROKEN, 'built'],
        }),
        planner: plannerInTurn(
          inOrder('analyst', 'developer'),
          inOrder('architect', 'developer'),
          inOrder('developer'),
        ),
        policy: dynamicProfile({ retry: { attempts: 1 } }),
      },
      onFact: approving,
    }),
    ({ report, factsOf }) => {
      expect(toldBy(factsOf).map((told) => told?.requests)).toEqual([
        [],
        ['requestReplan of analyst: Scope is complex (architect)'],
        ['stepFailed of developer_rp1: Error: The build is broken'],
      ]);
      expect(toldBy(factsOf)[2]?.completed).toEqual([
        'analyst = "found"',
        'architect_rp1 = "architect did architect_rp1"',
      ]);
      expect(report).toMatchObject({ status: 'completed', replans: 2 });
    },
  );
});

describe('another plan', () => {
  scenario(
    'repeats no completed work and overwrites no output, though it starts at its own first step',
    () => ({
      options: {
        agents: toolkit({
          analyst: ['a race condition'],
          developer: [requestReplan({ reason: 'Needs a migration' }, 'half of it'), 'all of it'],
        }),
        planner: plannerInTurn(inOrder('analyst', 'developer', 'reviewer'), [
          'developer:developer<analyst',
          'reviewer:reviewer<developer',
        ]),
        policy: dynamicProfile(),
      },
    }),
    ({ report, facts, factsOf }) => {
      const calls = factsOf('agent.called').filter(({ role }) => role === 'worker');
      expect(calls.map(({ key }) => key)).toEqual([
        'run/analyst/1/worker',
        'run/developer/1/worker',
        'run/developer_rp1/1/worker',
        'run/reviewer_rp1/1/worker',
      ]);
      const outputs = report.steps.filter(({ status }) => status === 'completed');
      expect(outputs.map(({ id, output }) => [id, output])).toEqual([
        ['analyst', 'a race condition'],
        ['developer', 'half of it'],
        ['developer_rp1', 'all of it'],
        ['reviewer_rp1', 'reviewer did reviewer_rp1'],
      ]);
      expect(report.steps.findLast(({ agent }) => agent === 'developer')?.output).toBe('all of it');
      expect(facts.filter(({ type }) => type === 'plan.adopted')).toMatchObject([
        { revision: 0, replaced: [] },
        { revision: 1, replaced: ['reviewer'] },
      ]);
    },
  );

  scenario(
    'leaves agents out when the scope has shrunk',
    () => ({
      options: {
        agents: toolkit({
          analyst: [requestReplan({ reason: 'It is a race condition, a simple fix' }, 'found')],
        }),
        planner: plannerInTurn(
          inOrder('analyst', 'architect', 'developer', 'reviewer'),
          inOrder('developer', 'reviewer'),
        ),
        policy: dynamicProfile(),
      },
    }),
    ({ report, facts, factsOf }) => {
      expect(calledIn(facts)).toEqual(['planner', 'analyst', 'planner', 'developer', 'reviewer']);
      expect(factsOf('approval.requested')).toEqual([]);
      expect(report.skippedSteps).toEqual(['architect', 'developer', 'reviewer']);
      expect(report).toMatchObject({ status: 'completed', allSucceeded: true });
    },
  );

  scenario(
    'is not needed for developer and reviewer to alternate, but their hand-offs count against the bound',
    () => ({
      options: {
        agents: toolkit({
          reviewer: [
            handOff({ agent: 'developer', task: 'Handle the empty list' }, 'not yet'),
            'good',
          ],
          developer: [
            'built',
            handOff({ agent: 'reviewer', task: 'Review it once more' }, 'mended'),
          ],
        }),
        planner: plannerInTurn(inOrder('developer', 'reviewer')),
        policy: dynamicProfile(),
      },
    }),
    ({ report, facts }) => {
      expect(calledIn(facts)).toEqual([
        'planner',
        'developer',
        'reviewer',
        'developer',
        'reviewer',
      ]);
      expect(report.steps.map(({ id, output }) => [id, output])).toEqual([
        ['developer', 'built'],
        ['reviewer', 'not yet'],
        ['developer_rp1', 'mended'],
        ['reviewer_rp2', 'good'],
      ]);
      expect(report).toMatchObject({ status: 'completed', replans: 2 });
    },
  );
});

describe('independent parts', () => {
  const parts = (clock: VirtualClock, overrides: PolicyOverrides): ScenarioSetup => ({
    options: {
      agents: toolkit({ developer: [after(clock, 10, 'built')] }),
      planner: () => ({
        steps: steps(
          'developer:api',
          'developer:page',
          'developer:docs',
          'reviewer:all<api,page,docs',
        ),
      }),
      policy: dynamicProfile(overrides),
    },
  });

  scenario(
    'run in parallel, up to maxParallel',
    (clock) => parts(clock, { limits: { maxParallel: 2 } }),
    ({ report, facts }) => {
      const started = facts.filter((fact) => fact.type === 'step.started');
      expect(started.map(({ stepId, at }) => [stepId, at])).toEqual([
        ['api', 0],
        ['page', 0],
        ['docs', 10],
        ['all', 20],
      ]);
      expect(report).toMatchObject({ status: 'completed', durationMs: 20 });
    },
  );

  scenario(
    'run one after the other in the profile of the seed',
    (clock) => parts(clock, {}),
    ({ report, facts }) => {
      const started = facts.filter((fact) => fact.type === 'step.started');
      expect(started.map(({ at }) => at)).toEqual([0, 10, 20, 30]);
      expect(report.durationMs).toBe(30);
    },
  );
});
