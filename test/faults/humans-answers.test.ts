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
 * Rows H1, H2, H4 and H5 of the catalogue: answers to nobody, too many, unclear, or at the wrong time. Questions have ids
 * of their own, so where the catalogue says `unknown-step` the package says `unknown-request`.
 */

describe('an answer to nobody', () => {
  scenario(
    'an answer to a question that nobody asked is refused as unknown and changes nothing',
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

  it('an answer for a run that nobody knows finds no run, with a typed error', async () => {
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

describe('more than one answer', () => {
  scenario(
    'the first answer wins: approving twice approves once',
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
    'the first answer wins: an approval cannot be taken back',
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
    'the first answer wins: after a rejection no approval lets the step run',
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
    'of fifty answers in one moment the first wins, the others are refused as already decided',
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

  it('the first of fifty answers wins while the store is still writing it down', async () => {
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
    // The run may be over before the last of them gets its turn.
    expect(results.slice(1).every((result) => !result.accepted)).toBe(true);
    expect(results[1]).toEqual(refused('already-decided'));
    await clock.runUntil(run.done);
    expect(designer.calls).toHaveLength(1);
    expect((await run.done).approvals).toMatchObject([{ outcome: 'granted', answer: '0' }]);
  });
});

describe('an answer that could mean anything', () => {
  it('what is not clearly an answer is refused, and never counts as approval', async () => {
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
    // Well-formed ids that nobody asked with are written down as refused; everything else leaves no trace.
    expect(told.flatMap(({ facts }) => facts.map(({ type }) => type))).toEqual(
      told.map(() => 'command.refused'),
    );
    await run.abort();
    expect(factsOf(run).filter(({ type }) => type === 'agent.called')).toEqual([]);
    expect((await run.done).approvals).toMatchObject([{ outcome: 'closed' }]);
  });

  // Fields that no command has are not refused but dropped, before a chart sees them: test/run/invalid-commands.test.ts.
  it('an answer that is not written as one of the two commands is none', () => {
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
    'an answer before the question is asked is refused, and the question is asked all the same',
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
    'an answer after the step has settled is refused as already decided, after the run as over',
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

  // The id of a question is never used again, by no attempt and no revision: it is what the catalogue's digest is for.
  scenario(
    'an answer for an earlier attempt does not answer the question of the next one',
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
    'an answer for an earlier plan does not answer the question about the next one',
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
