import { describe, expect, it } from 'vitest';

import { done, requestReplan } from '../../src/agents/report.js';
import { JournalMismatchError } from '../../src/errors.js';
import { createRecordBuilder } from '../../src/journal/record.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import type { Plan } from '../../src/model/plan.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore } from '../../src/model/run-store.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { storeWith } from '../run/runs.js';
import { after } from '../scenarios/by-step.js';
import type { ScenarioSetup } from '../scenarios/harness.js';
import { scenario } from '../scenarios/harness.js';
import { plannerInTurn, toldBy } from '../scenarios/planners.js';
import { steps } from '../scenarios/team.js';
import type { Answers } from './002-team.js';
import {
  approving,
  calledIn,
  dynamicProfile,
  eachRound,
  inOrder,
  rejecting,
  toolkit,
  workflow,
} from './002-team.js';

/* Seed 002: when a person is asked, and what the answer does. */

const dynamic = (
  plan: Plan,
  overrides: PolicyOverrides = {},
  answers: Answers = {},
): ScenarioSetup => ({
  options: {
    agents: toolkit(answers),
    planner: () => plan,
    policy: dynamicProfile(overrides),
  },
  onFact: approving,
});

const APPROVED_AT_500: NonNullable<ScenarioSetup['at']> = {
  500: (control) => control.approve('architect:1.1', 'Approved by Ada'),
};

const feature = workflow('moderate', 'architect', 'developer', 'reviewer');

/** A new process: clock, agents and orchestrator are new, the store is shared. */
const composed = (store: RunStore, overrides: PolicyOverrides = {}) => {
  const clock = virtualClock();
  const agents = toolkit();
  const { options } = dynamic(feature, overrides);
  const orchestrator = composeOrchestrator({ ...options, agents, clock, store }, undefined);
  return { clock, agents, orchestrator };
};

/** A store with a run that waits for a person and has no owner. */
const waitingInStore = async (): Promise<RunStore> => {
  const store = memoryStore();
  const { clock, orchestrator } = composed(store);
  const run = orchestrator.start({ goal: 'Add OAuth2 support', runId: 'run' });
  await clock.settle();
  // As after a crash: the journal, and no claim.
  return storeWith(store, 'run', run.journal().length);
};

describe('approval required', () => {
  scenario(
    'interrupts before the architect and nowhere else, and no agent works meanwhile',
    () => ({ ...dynamic(feature), onFact: () => undefined, at: APPROVED_AT_500 }),
    ({ report, facts, factsOf }) => {
      const calls = facts.filter((fact) => fact.type === 'agent.called');
      expect(calls.map(({ agent, at }) => [agent, at])).toEqual([
        ['planner', 0],
        ['architect', 500],
        ['developer', 500],
        ['reviewer', 500],
      ]);
      expect(factsOf('approval.granted')).toEqual([
        {
          type: 'approval.granted',
          requestId: 'architect:1.1',
          stepId: 'architect',
          answer: 'Approved by Ada',
        },
      ]);
      expect(report.approvals).toMatchObject([{ outcome: 'granted', decidedAt: 500 }]);
    },
  );

  scenario(
    'shows in the record: planning, running, awaiting approval, completed',
    () => ({ ...dynamic(feature), onFact: () => undefined, at: APPROVED_AT_500 }),
    ({ facts }) => {
      const builder = createRecordBuilder();
      const seen = facts.map((fact) => {
        builder.add(fact);
        const { status, phase, openApprovals, steps: all } = builder.record();
        return [
          status === 'running' ? phase : status,
          openApprovals[0]?.stepId ?? null,
          all.map((step) => step.status).join(),
        ];
      });
      const changes = seen.filter((now, index) => String(now) !== String(seen[index - 1]));
      expect(changes).toEqual([
        [null, null, ''],
        ['planning', null, ''],
        ['planning', null, 'pending,pending,pending'],
        ['executing', null, 'pending,pending,pending'],
        ['executing', null, 'running,pending,pending'],
        ['executing', 'architect', 'awaitingApproval,pending,pending'],
        ['executing', null, 'running,pending,pending'],
        ['executing', null, 'completed,pending,pending'],
        ['executing', null, 'completed,running,pending'],
        ['executing', null, 'completed,completed,pending'],
        ['executing', null, 'completed,completed,running'],
        ['executing', null, 'completed,completed,completed'],
        ['windingDown', null, 'completed,completed,completed'],
        ['completed', null, 'completed,completed,completed'],
      ]);
    },
  );

  scenario(
    'applies to the agents that the profile names',
    () => dynamic(feature, { approval: { agents: ['developer', 'reviewer'] } }),
    ({ factsOf }) => {
      expect(factsOf('approval.requested').map(({ stepId }) => stepId)).toEqual([
        'developer',
        'reviewer',
      ]);
    },
  );

  scenario(
    'can be added by the plan, step by step, and never removed by it',
    () =>
      dynamic({
        steps: steps(...inOrder('architect', 'developer', 'reviewer')).map((step) => ({
          ...step,
          requiresApproval: step.agent === 'developer',
        })),
      }),
    ({ factsOf }) => {
      expect(
        factsOf('approval.requested').map(({ stepId, question }) => [stepId, question]),
      ).toEqual([
        ['architect', 'The policy asks for approval before architect starts'],
        ['developer', 'The plan asks for approval before developer starts'],
      ]);
    },
  );

  scenario(
    'covers one step: the next step of the same agent needs another approval',
    () => dynamic({ steps: steps('architect:first', 'architect:second<first') }),
    ({ facts, factsOf }) => {
      expect(factsOf('approval.requested').map(({ requestId }) => requestId)).toEqual([
        'first:1.1',
        'second:1.1',
      ]);
      expect(calledIn(facts)).toEqual(['planner', 'architect', 'architect']);
    },
  );

  scenario(
    'is not required for trivial work: auto_approve_trivial',
    () => dynamic(workflow('trivial', 'architect', 'developer', 'reviewer')),
    ({ report, factsOf }) => {
      expect(factsOf('approval.requested')).toEqual([]);
      expect(report.successfulSteps).toEqual(['architect', 'developer', 'reviewer']);
    },
  );

  scenario(
    'is required for trivial work too where the profile says so',
    () =>
      dynamic(workflow('trivial', 'architect', 'developer', 'reviewer'), {
        approval: { autoApproveTrivial: false },
      }),
    ({ factsOf }) => {
      expect(factsOf('approval.requested').map(({ stepId }) => stepId)).toEqual(['architect']);
    },
  );

  it('waits in the store: another process resumes the run and continues when it is approved', async () => {
    const store = await waitingInStore();
    const { clock, agents, orchestrator } = composed(store);
    const run = await orchestrator.resume('run');
    await clock.settle();
    expect(run.record().openApprovals).toMatchObject([{ stepId: 'architect' }]);
    expect(agents.flatMap(({ calls }) => calls)).toEqual([]);
    expect(await run.approve('architect:1.1')).toEqual({ accepted: true });
    await clock.runUntil(run.done);
    expect((await run.done).successfulSteps).toEqual(['architect', 'developer', 'reviewer']);
  });

  it('waits under the profile it was requested under', async () => {
    const store = await waitingInStore();
    const { orchestrator } = composed(store, { approval: { agents: [] } });
    await expect(orchestrator.resume('run')).rejects.toThrow(JournalMismatchError);
  });
});

describe('confidence', () => {
  const twice = { steps: steps('developer:first', 'developer:second<first') };

  scenario(
    'below 0.7 requires approval for the next step of that agent, once',
    () =>
      dynamic(
        { steps: steps('developer:first', 'reviewer:review<first', 'developer:second<review') },
        {},
        { developer: [done('a guess', { confidence: 0.69 }), done('sure', { confidence: 0.9 })] },
      ),
    ({ facts, factsOf }) => {
      expect(factsOf('approval.requested')).toEqual([
        {
          type: 'approval.requested',
          requestId: 'second:1.1',
          stepId: 'second',
          question: 'The last answer of developer had a confidence of 0.69, below 0.7',
          payload: 'Do the work of step second',
        },
      ]);
      expect(calledIn(facts)).toEqual(['planner', 'developer', 'reviewer', 'developer']);
    },
  );

  scenario(
    'of exactly 0.7 is enough',
    () => dynamic(twice, {}, { developer: [done('sure', { confidence: 0.7 })] }),
    ({ report, factsOf }) => {
      expect(factsOf('approval.requested')).toEqual([]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'counts as 1 when an answer has none',
    () => dynamic(twice, {}, { developer: [done('sure')] }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.answered').map(({ confidence }) => confidence)).toEqual([
        null,
        null,
        null,
      ]);
      expect(factsOf('approval.requested')).toEqual([]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'outside 0 to 1 makes the answer invalid',
    () =>
      dynamic(
        { steps: steps('analyst:first') },
        { retry: { attempts: 1 }, limits: { maxReplans: 0 } },
        { analyst: [done('sure', { confidence: 1.01 })] },
      ),
    ({ report }) => {
      expect(report.steps).toMatchObject([{ status: 'failed', code: 'invalid-output' }]);
    },
  );

  scenario(
    'of the last answer counts across a replan, for every agent',
    () => ({
      options: {
        agents: toolkit({
          analyst: [
            requestReplan({ reason: 'Look at the logs first' }, 'not sure', { confidence: 0.4 }),
            done('sure', { confidence: 0.8 }),
          ],
        }),
        planner: eachRound('analyst', 'developer'),
        policy: dynamicProfile(),
      },
      onFact: approving,
    }),
    ({ report, factsOf }) => {
      expect(factsOf('approval.requested')).toMatchObject([
        {
          stepId: 'analyst_rp1',
          question: 'The last answer of analyst had a confidence of 0.4, below 0.7',
        },
      ]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'and a named agent need one approval, not two',
    () =>
      dynamic(
        { steps: steps('architect:first', 'architect:second<first') },
        {},
        { architect: [done('a guess', { confidence: 0.1 })] },
      ),
    ({ facts, factsOf }) => {
      expect(factsOf('approval.requested').map(({ stepId }) => stepId)).toEqual([
        'first',
        'second',
      ]);
      expect(calledIn(facts)).toEqual(['planner', 'architect', 'architect']);
    },
  );
});

describe('a rejection', () => {
  scenario(
    'leads to another plan with the reason, and the architect is never called',
    () => ({
      options: {
        agents: toolkit(),
        planner: plannerInTurn(
          inOrder('architect', 'developer', 'reviewer'),
          inOrder('developer', 'reviewer'),
        ),
        policy: dynamicProfile(),
      },
      onFact: rejecting,
    }),
    ({ report, facts, factsOf }) => {
      expect(factsOf('approval.rejected')).toEqual([
        {
          type: 'approval.rejected',
          requestId: 'architect:1.1',
          stepId: 'architect',
          reason: 'Too risky',
        },
      ]);
      expect(toldBy(factsOf)[1]).toMatchObject({
        failed: ['architect: rejected: Too risky'],
        requests: ['stepRejected of architect: Too risky'],
      });
      expect(calledIn(facts)).toEqual(['planner', 'planner', 'developer', 'reviewer']);
      expect(report).toMatchObject({ status: 'completed', replans: 1 });
      expect(report.failedSteps).toEqual(['architect']);
    },
  );

  scenario(
    'of every plan ends the run at the bound, and no agent is called',
    () => ({
      options: {
        agents: toolkit(),
        planner: eachRound('architect', 'developer', 'reviewer'),
        policy: dynamicProfile(),
      },
      onFact: rejecting,
    }),
    ({ report, facts, factsOf }) => {
      expect(calledIn(facts)).toEqual(['planner', 'planner', 'planner', 'planner']);
      expect(factsOf('approval.rejected')).toHaveLength(4);
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'steps-failed: replan-limit',
        replans: 3,
      });
      expect(report.successfulSteps).toEqual([]);
    },
  );

  scenario(
    'fails the run where the profile says so, as in the seed',
    () => ({ ...dynamic(feature, { approval: { onReject: 'fail' } }), onFact: rejecting }),
    ({ report, facts }) => {
      expect(calledIn(facts)).toEqual(['planner']);
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'step-rejected: architect (architect)',
        replans: 0,
      });
      expect(report.steps.map(({ id, status, code }) => [id, status, code])).toEqual([
        ['architect', 'failed', 'rejected'],
        ['developer', 'skipped', null],
        ['reviewer', 'skipped', null],
      ]);
    },
  );

  scenario(
    'fails the run immediately: no agent is called after it',
    (clock) => ({
      options: {
        agents: toolkit({ analyst: [after(clock, 100, 'analysed')] }),
        planner: plannerInTurn({
          steps: steps('analyst:look', 'architect:design', 'developer:code<look'),
        }),
        policy: dynamicProfile({ approval: { onReject: 'fail' }, limits: { maxParallel: 2 } }),
      },
      at: { 50: (control) => control.reject('design:1.1', 'Too risky') },
    }),
    ({ report, facts }) => {
      expect(calledIn(facts)).toEqual(['planner', 'analyst']);
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'step-rejected: design (architect)',
        durationMs: 50,
      });
      expect(report.steps.map(({ id, status }) => [id, status])).toEqual([
        ['look', 'cancelled'],
        ['design', 'failed'],
        ['code', 'cancelled'],
      ]);
    },
  );
});
