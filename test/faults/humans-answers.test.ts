import { describe, expect, it } from 'vitest';

import { askHuman, blocked } from '../../src/agents/report.js';
import { RunNotFoundError } from '../../src/errors.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { parseCommand } from '../../src/model/commands.js';
import { memoryStore } from '../../src/services/memory-store.js';
import { factsOf, started } from '../run/runs.js';
import { slowStore } from '../run/stores.js';
import { scenario } from '../scenarios/harness.js';
import { plannerInTurn } from '../scenarios/planners.js';
import { feedbackTexts, scriptedAgent } from '../scenarios/scripted.js';
import { agentNamed, slowAgent, steps } from '../scenarios/team.js';
import { architect, oneQuestion, refused } from './humans-team.js';
import { expectNoLeaks, watchedClock } from './no-leaks.js';

expectNoLeaks();

/*
 * Answers without a question, too many, unclear, or at the wrong time. Questions have their own ids, so the refusal
 * is `unknown-request`.
 */

describe('an answer without a question', () => {
  scenario(
    'is refused as unknown and changes nothing',
    (clock) => ({
      ...oneQuestion(clock),
      at: {
        10: (control) => control.approve('nobody:1.1'),
        20: (control) => control.reject('nobody:1.1'),
        30: (control) => control.approve('b:1.1'),
        40: (control) => control.approve('plan:plan.1'),
        50: (control) => control.approve('__proto__'),
        60: (control) => control.approve('a'),
        70: (control) => control.approve('a:1.1'),
      },
    }),
    ({ report, commands, factsOf: told }) => {
      expect(commands).toEqual([
        ...Array.from({ length: 6 }, () => refused('unknown-request')),
        { accepted: true },
      ]);
      expect(told('command.refused').map(({ command, reason }) => [command, reason])).toEqual([
        ['approval.grant', 'unknown-request'],
        ['approval.reject', 'unknown-request'],
        ['approval.grant', 'unknown-request'],
        ['approval.grant', 'unknown-request'],
        ['approval.grant', 'unknown-request'],
        ['approval.grant', 'unknown-request'],
      ]);
      expect(told('approval.granted', 'approval.rejected')).toHaveLength(1);
      expect(report).toMatchObject({ status: 'completed', allSucceeded: true });
    },
  );

  it('in an unknown run throws a typed error', async () => {
    const clock = watchedClock();
    const team = { agents: [architect()], clock };
    for (const options of [team, { ...team, store: memoryStore() }]) {
      const orchestrator = composeOrchestrator(options, undefined);
      const answer = orchestrator.resume('nobody').then((run) => run.approve('a:1.1'));
      await expect(answer).rejects.toThrow(RunNotFoundError);
      await expect(answer).rejects.toMatchObject({ code: 'run-not-found' });
      expect(await orchestrator.recover()).toEqual([]);
    }
  });
});

describe('several answers to one question', () => {
  scenario(
    'approve once when it is approved twice',
    (clock) => ({
      ...oneQuestion(clock),
      at: {
        10: (control) => control.approve('a:1.1', 'First'),
        20: (control) => control.approve('a:1.1', 'Second'),
      },
    }),
    ({ report, commands, factsOf: told }) => {
      expect(commands).toEqual([{ accepted: true }, refused('already-decided')]);
      expect(told('approval.granted').map(({ answer }) => answer)).toEqual(['First']);
      expect(told('agent.called').filter(({ stepId }) => stepId === 'a')).toHaveLength(1);
      expect(report.approvals).toMatchObject([{ outcome: 'granted', answer: 'First' }]);
    },
  );

  scenario(
    'count only the first: an approval cannot be taken back',
    (clock) => ({
      ...oneQuestion(clock),
      at: {
        10: (control) => control.approve('a:1.1'),
        20: (control) => control.reject('a:1.1', 'Changed my mind'),
      },
    }),
    ({ report, commands, factsOf: told }) => {
      expect(commands).toEqual([{ accepted: true }, refused('already-decided')]);
      expect(told('approval.rejected')).toEqual([]);
      expect(report.successfulSteps).toEqual(['a', 'b']);
    },
  );

  scenario(
    'count only the first: after a rejection no approval lets the step run',
    (clock) => ({
      ...oneQuestion(clock),
      at: {
        10: (control) => control.reject('a:1.1', 'Too risky'),
        20: (control) => control.approve('a:1.1'),
      },
    }),
    ({ report, commands, factsOf: told }) => {
      expect(commands).toEqual([{ accepted: true }, refused('already-decided')]);
      expect(told('approval.granted')).toEqual([]);
      expect(told('agent.called').map(({ stepId }) => stepId)).toEqual(['b']);
      expect(report.skippedSteps).toEqual(['a']);
    },
  );

  scenario(
    'count only the first of fifty at one moment, the rest are refused as already decided',
    (clock) => ({
      ...oneQuestion(clock),
      at: {
        10: (control) => {
          for (let index = 0; index < 50; index += 1) {
            if (index % 2 === 0) control.approve('a:1.1', `Yes ${index}`);
            else control.reject('a:1.1', `No ${index}`);
          }
        },
      },
    }),
    ({ commands, factsOf: told }) => {
      expect(commands).toEqual([
        { accepted: true },
        ...Array.from({ length: 49 }, () => refused('already-decided')),
      ]);
      expect(told('approval.granted').map(({ answer }) => answer)).toEqual(['Yes 0']);
      expect(told('approval.rejected')).toEqual([]);
      expect(told('agent.called').filter(({ stepId }) => stepId === 'a')).toHaveLength(1);
    },
  );

  it('count only the first of fifty while the store is still writing it', async () => {
    const clock = watchedClock();
    const designer = architect();
    const orchestrator = composeOrchestrator(
      {
        agents: [designer],
        clock,
        store: slowStore(clock, 10),
        policy: definePolicy({ approval: { agents: ['architect'] } }),
      },
      undefined,
    );
    const run = orchestrator.start({ goal: 'The goal', plan: { steps: steps('architect:a') } });
    await clock.runUntil(() => run.record().openApprovals.length > 0);
    const answers = Array.from({ length: 50 }, (_, index) => run.approve('a:1.1', `${index}`));
    await clock.runUntil(Promise.all(answers));
    const results = await Promise.all(answers);
    expect(results[0]).toEqual({ accepted: true });
    // The run may end before the last of them has its turn.
    expect(results.slice(1).every((result) => !result.accepted)).toBe(true);
    expect(results[1]).toEqual(refused('already-decided'));
    await clock.runUntil(run.done);
    expect(designer.calls).toHaveLength(1);
    expect((await run.done).approvals).toMatchObject([{ outcome: 'granted', answer: '0' }]);
  });
});

describe('an ambiguous answer', () => {
  it('is refused and never counts as approval', async () => {
    const { run, clock } = started(
      { policy: definePolicy({ approval: { agents: ['worker'] } }) },
      { plan: { steps: steps('a') } },
    );
    await clock.settle();
    const before = run.journal().length;
    const answer = (method: 'approve' | 'reject', given: readonly unknown[]): unknown =>
      Reflect.apply(run[method], run, given);
    for (const given of [
      [],
      [true],
      ['yes'],
      [{ requestId: 'a:1.1', approved: 'yes' }],
      [['a:1.1']],
      ['A:1.1'],
      [' a:1.1'],
      ['a:1.1\n'],
      ['a:1.1', true],
      ['a:1.1', false],
      ['a:1.1', null],
      ['a:1.1', 1],
      ['a:1.1', { approved: 'yes' }],
      ['a:1.1', ['yes']],
      ['a:1.1', 'x'.repeat(20_001)],
    ]) {
      for (const method of ['approve', 'reject'] as const) {
        const result = await answer(method, given);
        expect(result, `${method} ${JSON.stringify(given).slice(0, 60)}`).toMatchObject({
          accepted: false,
          reason: expect.stringMatching(/^(invalid-command: |unknown-request$)/) as string,
        });
      }
    }
    expect(run.record().openApprovals).toMatchObject([{ requestId: 'a:1.1' }]);
    const told = run.journal().slice(before);
    // Well-formed ids of no question are recorded as refused; everything else leaves no trace.
    expect(told.flatMap(({ facts }) => facts.map(({ type }) => type))).toEqual(
      told.map(() => 'command.refused'),
    );
    await run.abort();
    expect(factsOf(run).filter(({ type }) => type === 'agent.called')).toEqual([]);
    expect((await run.done).approvals).toMatchObject([{ outcome: 'closed' }]);
  });

  // Unknown fields are not refused but dropped before a chart sees them: test/run/invalid-commands.test.ts.
  it('that is not one of the two commands is not an answer', () => {
    for (const candidate of [
      { type: 'approval.grant', requestId: 'a:1.1' },
      { type: 'approval.grant', requestId: 'a:1.1', approved: 'yes' },
      { type: 'approval.grant', requestId: 'a:1.1', answer: true },
      { type: 'approval.grant', requestId: 'a:1.1', answer: null },
      { type: 'approval.grant', requestId: '', answer: 'Yes' },
      { type: 'approval.grant', requestId: ['a:1.1'], answer: 'Yes' },
      { type: 'approval.grant', answer: 'Yes' },
      { type: 'approval.grant', requestId: 'a:1.1', answer: 'Yes', route: ['slot-0'] },
      { type: 'approval.granted', requestId: 'a:1.1', answer: 'Yes' },
      { type: 'approval.approve', requestId: 'a:1.1', answer: 'Yes' },
      { type: 'approval', requestId: 'a:1.1', approved: true },
      { type: 'APPROVAL.GRANT', requestId: 'a:1.1', answer: 'Yes' },
      { type: ['approval.grant'], requestId: 'a:1.1', answer: 'Yes' },
      { requestId: 'a:1.1', approved: 'yes' },
    ]) {
      expect(parseCommand(candidate), JSON.stringify(candidate)).toMatchObject({ ok: false });
    }
  });
});

describe('an answer at the wrong time', () => {
  scenario(
    'before the question is refused, and the question is still asked',
    (clock) => ({
      options: {
        agents: [architect(), slowAgent('worker', clock, 100)],
        policy: definePolicy({ approval: { agents: ['architect'] } }),
      },
      start: { plan: { steps: steps('a', 'architect:b<a') } },
      at: {
        50: (control) => control.approve('b:1.1'),
        500: (control) => control.approve('b:1.1'),
      },
    }),
    ({ commands, facts }) => {
      expect(commands).toEqual([refused('unknown-request'), { accepted: true }]);
      const calls = facts.filter((fact) => fact.type === 'agent.called');
      expect(calls.map(({ stepId, at }) => [stepId, at])).toEqual([
        ['a', 0],
        ['b', 500],
      ]);
    },
  );

  scenario(
    'after the step settled is refused as already decided, after the run as over',
    (clock) => ({
      ...oneQuestion(clock),
      at: {
        10: (control) => control.approve('a:1.1'),
        500: (control) => {
          control.approve('a:1.1');
          control.reject('a:1.1');
        },
      },
      onFact: (fact, control) => {
        if (fact.type === 'run.ended') control.reject('a:1.1');
      },
    }),
    ({ report, commands, factsOf: told }) => {
      expect(commands).toEqual([
        { accepted: true },
        refused('already-decided'),
        refused('already-decided'),
        refused('run-ended'),
      ]);
      expect(told('approval.granted', 'approval.rejected')).toHaveLength(1);
      expect(report).toMatchObject({ status: 'completed', allSucceeded: true });
    },
  );

  // The id of a question is never reused by another attempt or revision.
  scenario(
    'for an earlier attempt does not answer the question of the next one',
    () => ({
      options: {
        agents: [
          scriptedAgent(
            'worker',
            askHuman({ question: 'Which way?' }),
            blocked('A dead end'),
            askHuman({ question: 'Which way now?' }),
            feedbackTexts,
          ),
        ],
      },
      start: { plan: { steps: steps('a') } },
      at: {
        10: (control) => control.approve('a:1.1', 'Left'),
        20: (control) => control.approve('a:1.1', 'Left'),
        30: (control) => control.reject('a:1.1', 'No'),
        40: (control) => control.approve('a:2.2', 'Right'),
      },
    }),
    ({ report, commands, facts, factsOf: told }) => {
      expect(told('approval.requested').map(({ requestId }) => requestId)).toEqual([
        'a:1.1',
        'a:2.2',
      ]);
      expect(commands).toEqual([
        { accepted: true },
        refused('already-decided'),
        refused('already-decided'),
        { accepted: true },
      ]);
      expect(facts.findLast((fact) => fact.type === 'agent.called')?.at).toBe(40);
      expect(report.steps[0]).toMatchObject({ status: 'completed', attempts: 2 });
      expect(report.steps[0]?.output).toContain('human: Right');
    },
  );

  scenario(
    'for an earlier plan does not answer the question about the next one',
    () => ({
      options: {
        agents: [agentNamed('worker', (call) => `did ${call.step.id}`)],
        planner: plannerInTurn(['a'], ['b']),
        policy: definePolicy({ approval: { plan: true, onReject: 'replan' } }),
      },
      at: {
        10: (control) => control.reject('plan:plan.1', 'Another way, please'),
        20: (control) => control.approve('plan:plan.1'),
        30: (control) => control.reject('plan:plan.1'),
        40: (control) => control.approve('plan:plan.2'),
      },
    }),
    ({ report, commands, facts }) => {
      expect(commands).toEqual([
        { accepted: true },
        refused('already-decided'),
        refused('already-decided'),
        { accepted: true },
      ]);
      expect(facts.find((fact) => fact.type === 'plan.adopted')?.at).toBe(40);
      expect(report.approvals.map(({ requestId, outcome }) => [requestId, outcome])).toEqual([
        ['plan:plan.1', 'rejected'],
        ['plan:plan.2', 'granted'],
      ]);
      expect(report.status).toBe('completed');
    },
  );
});
