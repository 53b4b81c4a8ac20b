import { describe, expect } from 'vitest';

import { done, needsContext } from '../../src/agents/report.js';
import type { Fact } from '../../src/model/facts.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import type { Control } from './harness.js';
import { scenario } from './harness.js';
import { deferred, scriptedAgent } from './scripted.js';
import type { TestAgent } from './team.js';
import { agentNamed, slowAgent, steps } from './team.js';

const statuses = (report: { readonly steps: readonly { id: string; status: string }[] }) =>
  Object.fromEntries(report.steps.map(({ id, status }) => [id, status]));

/** Fails after 100 ms at the first call; answers after 100 ms at every later call. */
const failingFirst = <Answer>(clock: VirtualClock, answer: Answer): (() => Promise<Answer>) => {
  let calls = 0;
  return async () => {
    calls += 1;
    const isFirst = calls === 1;
    await clock.sleep(100);
    if (isFirst) throw new Error('Not now');
    return answer;
  };
};

const PAUSED: Readonly<Record<number, (control: Control) => void>> = {
  50: (control) => control.pause(),
  9_000: (control) => control.unpause(),
};

const callTimes = (facts: readonly Fact[], role: string): number[] =>
  facts.flatMap((fact) => (fact.type === 'agent.called' && fact.role === role ? [fact.at] : []));

describe('pause and unpause', () => {
  scenario(
    'a paused run starts nothing new and lets steps in flight finish',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 100)],
        policy: definePolicy({ limits: { maxParallel: 1 } }),
      },
      start: { plan: { steps: steps('a', 'b', 'c') } },
      at: {
        50: (control) => control.pause(),
        1000: (control) => control.unpause(),
      },
    }),
    ({ report, facts, factsOf, commands }) => {
      expect(commands).toEqual([{ accepted: true }, { accepted: true }]);
      const times = facts
        .filter((fact) => fact.type === 'step.started' || fact.type === 'step.completed')
        .map(({ type, stepId, at }) => [type, stepId, at]);
      expect(times).toEqual([
        ['step.started', 'a', 0],
        ['step.completed', 'a', 100],
        ['step.started', 'b', 1000],
        ['step.completed', 'b', 1100],
        ['step.started', 'c', 1100],
        ['step.completed', 'c', 1200],
      ]);
      expect(factsOf('run.paused', 'run.unpaused')).toEqual([
        { type: 'run.paused', reason: 'Paused by a person' },
        { type: 'run.unpaused' },
      ]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'a run paused during planning waits with the finished plan',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 10)],
        planner: async ({ signal }) => {
          await clock.sleep(100, signal);
          return { steps: steps('a') };
        },
      },
      at: {
        50: (control) => control.pause(),
        500: (control) => control.unpause(),
      },
    }),
    ({ report, facts }) => {
      expect(facts.find((fact) => fact.type === 'plan.adopted')?.at).toBe(100);
      expect(facts.find((fact) => fact.type === 'step.started')?.at).toBe(500);
      expect(report).toMatchObject({ status: 'completed', durationMs: 510 });
    },
  );

  scenario(
    'a run unpaused during planning continues as if it was never paused',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 10)],
        planner: async ({ signal }) => {
          await clock.sleep(100, signal);
          return { steps: steps('a') };
        },
      },
      at: {
        50: (control) => control.pause(),
        60: (control) => control.unpause(),
      },
    }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', durationMs: 110 });
    },
  );

  scenario(
    'a planner that fails in a paused run is retried when the run is unpaused',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 10)],
        planner: failingFirst(clock, { steps: steps('a') }),
      },
      at: PAUSED,
    }),
    ({ report, facts }) => {
      expect(callTimes(facts, 'planner')).toEqual([0, 9_000]);
      expect(report).toMatchObject({ status: 'completed', durationMs: 9_110 });
    },
  );

  scenario(
    'a planner that fails at a replan in a paused run is retried when the run is unpaused',
    (clock) => {
      const replanned = failingFirst(clock, { steps: steps('b') });
      return {
        options: {
          agents: [scriptedAgent('worker', needsContext('More', 'half'), done('b'))],
          planner: (request) => (request.revision === 0 ? { steps: steps('a') } : replanned()),
        },
        at: PAUSED,
      };
    },
    ({ report, facts }) => {
      expect(callTimes(facts, 'planner')).toEqual([0, 0, 9_000]);
      expect(report).toMatchObject({ status: 'completed', replans: 1 });
    },
  );

  scenario(
    'a plan that arrives in a paused run is reviewed when the run is unpaused',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 10)],
        planner: async () => {
          await clock.sleep(100);
          return { steps: steps('a') };
        },
        supervisor: () => ({ score: 90 }),
        policy: definePolicy({ gates: { plan: 70 } }),
      },
      at: PAUSED,
    }),
    ({ report, facts }) => {
      expect(callTimes(facts, 'supervisor')).toEqual([9_000]);
      expect(report).toMatchObject({ status: 'completed', durationMs: 9_010 });
    },
  );

  scenario(
    'a goal review that fails in a paused run is retried when the run is unpaused',
    (clock) => ({
      options: {
        agents: [agentNamed('worker', () => 'done')],
        supervisor: failingFirst(clock, { score: 90 }),
        policy: definePolicy({ gates: { goal: 70 } }),
      },
      start: { plan: { steps: steps('a') } },
      at: PAUSED,
    }),
    ({ report, facts }) => {
      expect(callTimes(facts, 'supervisor')).toEqual([0, 9_000]);
      expect(report).toMatchObject({ status: 'completed', reason: 'goal-achieved' });
    },
  );

  scenario(
    'a step in flight when the run is paused finishes, with the retries of its agent',
    (clock) => ({
      options: {
        agents: [agentNamed('worker', failingFirst(clock, 'done'))],
        policy: definePolicy({ limits: { maxParallel: 1 } }),
      },
      start: { plan: { steps: steps('a', 'b') } },
      at: PAUSED,
    }),
    ({ report, facts }) => {
      const [first = -1, retried = -1, next = -1] = callTimes(facts, 'worker');
      expect([first, next]).toEqual([0, 9_000]);
      expect(retried).toBeLessThan(9_000);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'a pause does not stop the clock: the planner is aborted when its time budget is spent',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 10)],
        planner: failingFirst(clock, { steps: steps('a') }),
        policy: definePolicy({ time: { planningMs: 5_000 } }),
      },
      at: { 50: (control) => control.pause() },
    }),
    ({ report, facts }) => {
      expect(callTimes(facts, 'planner')).toEqual([0]);
      expect(report).toMatchObject({ reason: 'planning-failed', durationMs: 5_000 });
    },
  );

  scenario(
    'a second pause is refused, and so is unpausing a run that is not paused',
    (clock) => ({
      options: { agents: [slowAgent('worker', clock, 100)] },
      start: { plan: { steps: steps('a') } },
      at: {
        10: (control) => control.unpause(),
        20: (control) => control.pause(),
        30: (control) => control.pause(),
        40: (control) => control.unpause(),
        50: (control) => control.unpause(),
      },
    }),
    ({ commands }) => {
      expect(commands).toEqual([
        { accepted: false, reason: 'not-paused' },
        { accepted: true },
        { accepted: false, reason: 'already-paused' },
        { accepted: true },
        { accepted: false, reason: 'not-paused' },
      ]);
    },
  );

  scenario(
    'a paused run that is not unpaused ends at its time limit',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 10)],
        policy: definePolicy({ limits: { maxParallel: 1 }, time: { limitMs: 1000 } }),
      },
      start: { plan: { steps: steps('a', 'b') } },
      at: { 5: (control) => control.pause() },
    }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'timeExpired', durationMs: 1000 });
      expect(statuses(report)).toEqual({ a: 'completed', b: 'cancelled' });
    },
  );

  scenario(
    'a paused run can be aborted, and its steps can be skipped',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 10)],
        policy: definePolicy({ limits: { maxParallel: 1 } }),
      },
      start: { plan: { steps: steps('a', 'b', 'c') } },
      at: {
        5: (control) => control.pause(),
        20: (control) => control.skip(['b']),
        30: (control) => control.abort(),
      },
    }),
    ({ report, commands }) => {
      expect(commands.every(({ accepted }) => accepted)).toBe(true);
      expect(report).toMatchObject({ status: 'aborted', reason: 'Aborted by a person' });
      expect(statuses(report)).toEqual({ a: 'completed', b: 'skipped', c: 'cancelled' });
    },
  );
});

describe('skip', () => {
  scenario(
    'removes a waiting step from the plan; its dependents run without its output',
    (clock) => ({
      options: {
        agents: [
          agentNamed('worker', async (call) => {
            await clock.sleep(100, call.signal);
            return call.dependencies.map(({ stepId }) => stepId);
          }),
        ],
        policy: definePolicy({ limits: { maxParallel: 1 } }),
      },
      start: { plan: { steps: steps('a', 'b', 'c<a,b') } },
      at: { 50: (control) => control.skip(['b']) },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.modified')).toEqual([
        { type: 'plan.modified', change: 'skip', stepIds: ['b'], reason: null },
      ]);
      expect(factsOf('step.skipped')).toEqual([
        { type: 'step.skipped', stepId: 'b', reason: 'human' },
      ]);
      expect(factsOf('agent.called').map((fact) => fact.stepId)).toEqual(['a', 'c']);
      expect(report.steps[2]?.output).toEqual(['a']);
      expect(report).toMatchObject({ status: 'completed', allSucceeded: true });
    },
  );

  scenario(
    'with a reason: the plan change and every skipped step carry it, and the dependents run',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 100)],
        policy: definePolicy({ limits: { maxParallel: 1 } }),
      },
      start: { plan: { steps: steps('a', 'b', 'c<a,b') } },
      at: { 50: (control) => control.skip(['a', 'b'], 'Done by hand: see the notes') },
    }),
    ({ report, factsOf, commands }) => {
      expect(commands).toEqual([{ accepted: true }]);
      expect(factsOf('plan.modified')).toEqual([
        {
          type: 'plan.modified',
          change: 'skip',
          stepIds: ['a', 'b'],
          reason: 'Done by hand: see the notes',
        },
      ]);
      expect(factsOf('step.skipped')).toEqual([
        { type: 'step.skipped', stepId: 'b', reason: 'human: Done by hand: see the notes' },
        { type: 'step.skipped', stepId: 'a', reason: 'human: Done by hand: see the notes' },
      ]);
      expect(statuses(report)).toEqual({ a: 'skipped', b: 'skipped', c: 'completed' });
      expect(report).toMatchObject({ status: 'completed', allSucceeded: true });
    },
  );

  const skipped: { agent?: TestAgent } = {};
  scenario(
    'aborts the call of a running step and ignores its late answer',
    () => {
      const answer = deferred<string>();
      const worker = agentNamed('worker', (call) => (call.step.id === 'a' ? answer.promise : 'b'));
      skipped.agent = worker;
      return {
        options: { agents: [worker] },
        start: { plan: { steps: steps('a', 'b<a') } },
        at: { 50: (control) => control.skip(['a']) },
        onFact: (fact) => {
          if (fact.type === 'step.skipped') answer.resolve('too late');
        },
      };
    },
    ({ report, factsOf }) => {
      expect(skipped.agent?.calls[0]?.signal.aborted).toBe(true);
      expect(factsOf('agent.answered').map((fact) => fact.stepId)).toEqual(['b']);
      expect(statuses(report)).toEqual({ a: 'skipped', b: 'completed' });
      expect(report.steps[0]?.output).toBeNull();
    },
  );

  scenario(
    'removes a step that waits for approval and closes its question',
    (clock) => ({
      options: {
        agents: [agentNamed('architect', () => 'never'), slowAgent('worker', clock, 100)],
        policy: definePolicy({ approval: { agents: ['architect'] } }),
      },
      start: { plan: { steps: steps('architect:a', 'b') } },
      at: {
        10: (control) => control.skip(['a']),
        20: (control) => control.approve('a:1.1'),
      },
    }),
    ({ report, factsOf, commands }) => {
      expect(commands).toEqual([
        { accepted: true },
        { accepted: false, reason: 'already-decided' },
      ]);
      expect(factsOf('agent.called').map((fact) => fact.stepId)).toEqual(['b']);
      expect(report.approvals).toMatchObject([{ requestId: 'a:1.1', outcome: 'closed' }]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'of all remaining steps completes the run',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 100)],
        policy: definePolicy({ limits: { maxParallel: 1 } }),
      },
      start: { plan: { steps: steps('a', 'b', 'c') } },
      at: { 10: (control) => control.skip(['c', 'a', 'b', 'b']) },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.modified')).toMatchObject([{ stepIds: ['c', 'a', 'b'] }]);
      expect(statuses(report)).toEqual({ a: 'skipped', b: 'skipped', c: 'skipped' });
      expect(report).toMatchObject({ status: 'completed', durationMs: 10 });
    },
  );

  scenario(
    'of unknown or settled steps is refused as a whole',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 100)],
        policy: definePolicy({ limits: { maxParallel: 1 } }),
      },
      start: { plan: { steps: steps('a', 'b', 'c') } },
      at: {
        10: (control) => control.skip(['nobody']),
        20: (control) => control.skip(['c', 'nobody']),
        110: (control) => control.skip(['a']),
        120: (control) => control.skip(['c', 'a']),
        130: (control) => control.skip(['__proto__']),
      },
    }),
    ({ report, commands, factsOf }) => {
      expect(commands).toEqual([
        { accepted: false, reason: 'unknown-step' },
        { accepted: false, reason: 'unknown-step' },
        { accepted: false, reason: 'already-settled' },
        { accepted: false, reason: 'already-settled' },
        { accepted: false, reason: 'unknown-step' },
      ]);
      expect(factsOf('plan.modified', 'step.skipped')).toEqual([]);
      expect(report.successfulSteps).toEqual(['a', 'b', 'c']);
    },
  );

  scenario(
    'before there is a plan is refused, because the step does not exist',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 10)],
        planner: async ({ signal }) => {
          await clock.sleep(100, signal);
          return { steps: steps('a') };
        },
      },
      at: { 50: (control) => control.skip(['a']) },
    }),
    ({ report, commands }) => {
      expect(commands).toEqual([{ accepted: false, reason: 'unknown-step' }]);
      expect(report.successfulSteps).toEqual(['a']);
    },
  );
});

describe('skipTo', () => {
  scenario(
    'removes every open step before the given step, running or waiting',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 100)],
        policy: definePolicy({ limits: { maxParallel: 1 } }),
      },
      start: { plan: { steps: steps('a', 'b<a', 'c<b', 'd<c', 'e<d') } },
      at: { 150: (control) => control.skipTo('d') },
    }),
    ({ report, factsOf, facts }) => {
      expect(factsOf('plan.modified')).toEqual([
        { type: 'plan.modified', change: 'skipTo', stepIds: ['b', 'c'], reason: null },
      ]);
      expect(statuses(report)).toEqual({
        a: 'completed',
        b: 'skipped',
        c: 'skipped',
        d: 'completed',
        e: 'completed',
      });
      const started = facts.find((fact) => fact.type === 'step.started' && fact.stepId === 'd');
      expect(started?.at).toBe(150);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'with a reason: the plan change and every skipped step carry it',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 100)],
        policy: definePolicy({ limits: { maxParallel: 1 } }),
      },
      start: { plan: { steps: steps('a', 'b<a', 'c<b') } },
      at: { 50: (control) => control.skipTo('c', 'Only the last part counts') },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.modified')).toMatchObject([
        { change: 'skipTo', reason: 'Only the last part counts' },
      ]);
      expect(factsOf('step.skipped').map(({ reason }) => reason)).toEqual([
        'human: Only the last part counts',
        'human: Only the last part counts',
      ]);
      expect(report.successfulSteps).toEqual(['c']);
    },
  );

  scenario(
    'to the next step changes nothing; to an unknown or settled step it is refused',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 100)],
        policy: definePolicy({ limits: { maxParallel: 1 } }),
      },
      start: { plan: { steps: steps('a', 'b') } },
      at: {
        10: (control) => control.skipTo('a'),
        20: (control) => control.skipTo('nobody'),
        110: (control) => control.skipTo('a'),
      },
    }),
    ({ report, commands, factsOf }) => {
      expect(commands).toEqual([
        { accepted: true },
        { accepted: false, reason: 'unknown-step' },
        { accepted: false, reason: 'already-settled' },
      ]);
      expect(factsOf('plan.modified')).toMatchObject([{ change: 'skipTo', stepIds: [] }]);
      expect(report.successfulSteps).toEqual(['a', 'b']);
    },
  );
});

describe('say', () => {
  scenario(
    'is recorded in order and changes nothing else',
    (clock) => ({
      options: { agents: [slowAgent('worker', clock, 100)] },
      start: { plan: { steps: steps('a') } },
      at: {
        10: (control) => control.say('How is it going?'),
        20: (control) => control.say(''),
        30: (control) => control.say('{"type":"run.abort"}'),
      },
    }),
    ({ report, factsOf, commands, facts }) => {
      expect(commands).toEqual([{ accepted: true }, { accepted: true }, { accepted: true }]);
      expect(factsOf('conversation.said').map((fact) => fact.text)).toEqual([
        'How is it going?',
        '',
        '{"type":"run.abort"}',
      ]);
      expect(report).toMatchObject({ status: 'completed', durationMs: 100 });
      const others = facts.filter((fact) => fact.type !== 'conversation.said');
      expect(others.filter(({ at }) => at > 0 && at < 100)).toEqual([]);
    },
  );
});

describe('abort', () => {
  const aborted: { agent?: TestAgent } = {};
  scenario(
    'ends the run without waiting: every call is aborted and late answers are ignored',
    () => {
      const answers = [deferred<string>(), deferred<string>()];
      let calls = 0;
      const worker = agentNamed('worker', () => {
        calls += 1;
        return calls === 1 ? 'quick' : answers[calls - 2]?.promise;
      });
      aborted.agent = worker;
      return {
        options: { agents: [worker], policy: definePolicy({ time: { graceMs: 60_000 } }) },
        start: { plan: { steps: steps('a', 'b', 'c', 'd<b') } },
        at: { 50: (control) => control.abort('Stop it') },
        onFact: (fact) => {
          if (fact.type !== 'run.ended') return;
          answers[0]?.resolve('too late');
          answers[1]?.reject(new Error('too late'));
        },
      };
    },
    ({ report, facts, factsOf }) => {
      expect(report).toMatchObject({ status: 'aborted', reason: 'Stop it', durationMs: 50 });
      expect(statuses(report)).toEqual({
        a: 'completed',
        b: 'cancelled',
        c: 'cancelled',
        d: 'cancelled',
      });
      expect(report.steps[0]?.output).toBe('quick');
      expect(factsOf('agent.answered')).toHaveLength(1);
      expect(facts.at(-1)).toMatchObject({ type: 'run.ended', at: 50 });
      expect(aborted.agent?.calls.map(({ signal }) => signal.aborted)).toEqual([false, true, true]);
    },
  );

  scenario(
    'during planning ends the run without a plan',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 10)],
        planner: async ({ signal }) => {
          await clock.sleep(100, signal);
          return { steps: steps('a') };
        },
      },
      at: { 50: (control) => control.abort('Stop it') },
    }),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'aborted', durationMs: 50, originalPlan: null });
      expect(factsOf('plan.proposed')).toEqual([]);
    },
  );

  scenario(
    'at the same moment as an answer: the first of the two counts',
    (clock) => ({
      options: { agents: [slowAgent('worker', clock, 100)] },
      start: { plan: { steps: steps('a') } },
      at: { 100: (control) => control.abort('Stop it') },
    }),
    ({ report, factsOf }) => {
      const answers = factsOf('agent.answered').length;
      expect(report.status).toBe(answers === 1 ? 'completed' : 'aborted');
      expect(report.successfulSteps).toHaveLength(answers);
      expect(factsOf('step.completed')).toHaveLength(answers);
    },
  );
});

describe('commands to a run that is ending', () => {
  scenario(
    'are refused and do not change how the run ends',
    (clock) => ({
      options: {
        agents: [slowAgent('early', clock, 500), slowAgent('worker', clock, 700)],
        policy: definePolicy({ time: { limitMs: 1000, graceMs: 5000 } }),
      },
      start: { plan: { steps: steps('early:early', 'a<early', 'b<a') } },
      at: {
        1100: (control) => {
          control.approve('a:1.1');
          control.reject('a:1.1');
          control.skip(['a']);
          control.skipTo('b');
          control.say('Hello?');
          control.pause();
          control.unpause();
          control.extendTime(10_000);
          control.abort('Stop it');
        },
      },
    }),
    ({ report, commands, factsOf }) => {
      expect(commands).toEqual(
        Array.from({ length: 9 }, () => ({ accepted: false, reason: 'run-ending' })),
      );
      expect(factsOf('command.refused')).toHaveLength(9);
      expect(report).toMatchObject({ status: 'timeExpired', durationMs: 1200 });
      expect(statuses(report)).toEqual({ early: 'completed', a: 'completed', b: 'cancelled' });
    },
  );
});
