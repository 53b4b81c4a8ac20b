import { describe, expect, it } from 'vitest';

import type { AgentCall } from '../../src/agents/agent.js';
import { askHuman } from '../../src/agents/report.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { after } from '../scenarios/by-step.js';
import type { ScenarioSetup } from '../scenarios/harness.js';
import { play, scenario } from '../scenarios/harness.js';
import { feedbackTexts } from '../scenarios/scripted.js';
import { INCIDENTS, orchestrating, recordAfter, REQUEST, statusesOf } from './003-team.js';

/* Seed 003: execution patterns, and what people do to a plan while it runs. */

const everyTask = (clock: VirtualClock): Record<string, unknown> =>
  Object.fromEntries(
    ['task_1', 'task_2', 'task_3', 'task_4'].map((id) => [id, after(clock, 100, `did ${id}`)]),
  );

/** Four tasks of 100 ms, one after the other. */
const fourTasks = (clock: VirtualClock): ScenarioSetup =>
  orchestrating(
    ['servicenow:task_1', 'jira:task_2<task_1', 'jira:task_3<task_2', 'salesforce:task_4<task_3'],
    everyTask(clock),
  );

describe('the execution of a plan', () => {
  scenario(
    'is linear: Salesforce, then Jira, then ServiceNow',
    (clock) =>
      orchestrating(['salesforce:task_1', 'jira:task_2', 'servicenow:task_3'], everyTask(clock)),
    ({ report }) => {
      expect(
        report.steps.map(({ agent, startedAt, endedAt }) => [agent, startedAt, endedAt]),
      ).toEqual([
        ['salesforce', 0, 100],
        ['jira', 100, 200],
        ['servicenow', 200, 300],
      ]);
    },
  );

  scenario(
    'follows dependencies: the opportunity is created from account and contact, after both',
    () =>
      orchestrating(
        ['salesforce:opportunity<account,contact', 'salesforce:account', 'salesforce:contact'],
        {
          account: 'ACME',
          contact: 'Ada',
          opportunity: ({ dependencies }: AgentCall) =>
            dependencies.map(({ stepId, output }) => [stepId, output]),
        },
      ),
    ({ report, factsOf }) => {
      expect(factsOf('step.started').map(({ stepId }) => stepId)).toEqual([
        'account',
        'contact',
        'opportunity',
      ]);
      expect(report.steps[0]?.output).toEqual([
        ['account', 'ACME'],
        ['contact', 'Ada'],
      ]);
    },
  );

  scenario(
    'continues after a failure: task 2 has a network error, task 3 runs, and the summary mentions it',
    () => {
      const setup = orchestrating(
        ['servicenow:task_1', 'jira:task_2', 'salesforce:task_3'],
        { task_1: INCIDENTS, task_2: new Error('Network error') },
        { retry: { attempts: 1 } },
      );
      return {
        ...setup,
        options: {
          ...setup.options,
          summarizer: ({ results, failed }) =>
            JSON.stringify({ done: results.map(({ agent }) => agent), failed }),
        },
      };
    },
    ({ report }) => {
      expect(statusesOf(report)).toEqual(['completed', 'failed', 'completed']);
      expect(JSON.parse(report.summary)).toEqual({
        done: ['servicenow', 'salesforce'],
        failed: [{ stepId: 'task_2', agent: 'jira', reason: 'threw: Error: Network error' }],
      });
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed' });
    },
  );
});

describe('a person in the conversation', () => {
  scenario(
    'skips step 2: its dependents run as if it were done',
    (clock) => ({
      ...fourTasks(clock),
      at: { 50: (control) => control.skip(['task_2']) },
    }),
    ({ report }) => {
      expect(statusesOf(report)).toEqual(['completed', 'skipped', 'completed', 'completed']);
      expect(report.steps[2]).toMatchObject({ startedAt: 100, output: 'did task_3' });
      expect(report).toMatchObject({ status: 'completed', allSucceeded: true, durationMs: 300 });
    },
  );

  scenario(
    'skips to step 3: every open task before it is skipped, the running one included',
    (clock) => ({
      ...fourTasks(clock),
      at: { 50: (control) => control.skipTo('task_3') },
    }),
    ({ report, factsOf, commands }) => {
      expect(commands).toEqual([{ accepted: true }]);
      expect(factsOf('plan.modified')).toEqual([
        { type: 'plan.modified', change: 'skipTo', stepIds: ['task_1', 'task_2'], reason: null },
      ]);
      expect(statusesOf(report)).toEqual(['skipped', 'skipped', 'completed', 'completed']);
      expect(report.steps[2]?.startedAt).toBe(50);
    },
  );

  scenario(
    'skips steps 2 and 4: the remaining steps run in their order',
    (clock) => ({
      ...fourTasks(clock),
      at: { 50: (control) => control.skip(['task_2', 'task_4']) },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.modified')).toEqual([
        { type: 'plan.modified', change: 'skip', stepIds: ['task_2', 'task_4'], reason: null },
      ]);
      expect(factsOf('step.skipped').map(({ stepId, reason }) => [stepId, reason])).toEqual([
        ['task_2', 'human'],
        ['task_4', 'human'],
      ]);
      expect(factsOf('step.started').map(({ stepId }) => stepId)).toEqual(['task_1', 'task_3']);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'asks a question: it is recorded and changes nothing else',
    (clock) => ({
      ...fourTasks(clock),
      at: { 150: (control) => control.say('just asking a question') },
    }),
    async ({ facts, factsOf }) => {
      expect(factsOf('conversation.said')).toEqual([
        { type: 'conversation.said', text: 'just asking a question' },
      ]);
      expect(recordAfter(facts).conversation).toEqual(['just asking a question']);
      const others = facts.filter(({ type }) => type !== 'conversation.said');
      const unasked = await play('straight', fourTasks);
      expect(others.map((fact) => ({ ...fact, sequence: 0 }))).toEqual(
        unasked.facts.map((fact) => ({ ...fact, sequence: 0 })),
      );
    },
  );

  it('affects that conversation and not another one beside it', async () => {
    const clock = virtualClock();
    const { options } = fourTasks(clock);
    const orchestrator = composeOrchestrator({ ...options, clock }, undefined);
    const [mine, yours] = [
      orchestrator.start({ goal: REQUEST, runId: 'mine' }),
      orchestrator.start({ goal: 'Close the quarter', runId: 'yours' }),
    ];
    await clock.settle();
    expect(await mine.skip(['task_2', 'task_3'])).toEqual({ accepted: true });
    await mine.say('Only for me');
    await clock.runUntil(Promise.all([mine.done, yours.done]));
    expect(statusesOf(await mine.done)).toEqual(['completed', 'skipped', 'skipped', 'completed']);
    expect(statusesOf(await yours.done)).toEqual(Array.from({ length: 4 }, () => 'completed'));
    expect(yours.record()).toMatchObject({ goal: 'Close the quarter', conversation: [] });
  });
});

describe('an agent asks for approval: delete 100 records', () => {
  const deleting = (clock: VirtualClock): ScenarioSetup =>
    orchestrating(['salesforce:task_1', 'jira:task_2<task_1', 'servicenow:task_3'], {
      task_1: async (call: AgentCall) => {
        await clock.sleep(1_000, call.signal);
        return call.feedback.length === 0
          ? askHuman({ question: 'Approve deletion of 100 records?', payload: { records: 100 } })
          : { deleted: 100, because: feedbackTexts(call) };
      },
    });

  scenario(
    'is called again with the answer after an approval, and completes',
    (clock) => ({
      ...deleting(clock),
      at: { 30_000: (control) => control.approve('task_1:1.1', 'approved') },
    }),
    ({ report, facts, factsOf }) => {
      const waiting = recordAfter(facts, ({ type }) => type === 'approval.requested');
      expect(waiting.steps[0]?.status).toBe('awaitingApproval');
      expect(waiting.openApprovals).toEqual([
        {
          requestId: 'task_1:1.1',
          stepId: 'task_1',
          question: 'Approve deletion of 100 records?',
          payload: { records: 100 },
          requestedAt: 1_000,
        },
      ]);
      expect(
        factsOf('agent.called')
          .filter(({ stepId }) => stepId === 'task_1')
          .map(({ key }) => key),
      ).toEqual(['run/task_1/1/worker', 'run/task_1/1/worker.q1']);
      expect(report.steps[0]).toMatchObject({
        status: 'completed',
        attempts: 1,
        output: { deleted: 100, because: ['human: approved'] },
        endedAt: 31_000,
      });
      expect(report).toMatchObject({ status: 'completed', approvals: [{ outcome: 'granted' }] });
    },
  );

  for (const [title, act] of [
    ['rejected, nothing is deleted', true],
    ['unanswered for 15 minutes, nothing is deleted', false],
  ] as const) {
    scenario(
      title,
      (clock) => ({
        ...deleting(clock),
        at: {
          30_000: (control) => {
            if (act) control.reject('task_1:1.1', 'Too many');
          },
        },
      }),
      ({ report, factsOf }) => {
        expect(factsOf('agent.called').map(({ stepId }) => stepId)).toEqual([
          null,
          'task_1',
          'task_3',
        ]);
        expect(statusesOf(report)).toEqual(['skipped', 'skipped', 'completed']);
        expect(report.approvals).toMatchObject([{ outcome: act ? 'rejected' : 'expired' }]);
      },
    );
  }
});
