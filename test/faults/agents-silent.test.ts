import { describe, expect, it } from 'vitest';

import { createOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import type { ScenarioSetup } from '../scenarios/harness.js';
import { scenario } from '../scenarios/harness.js';
import { deferred, inTurn, scriptedAgent } from '../scenarios/scripted.js';
import { agentNamed, slowAgent, steps } from '../scenarios/team.js';
import { afterIt, eachInAStep } from './agents-faulty.js';
import { expectNoLeaks } from './no-leaks.js';

expectNoLeaks();

describe('an agent that does not come back', () => {
  const told = { aborts: 0 };
  scenario(
    'a call that never settles fails its attempt at the timeout, is aborted once, and its slot is freed',
    () => {
      told.aborts = 0;
      const hanging = agentNamed('worker', (call) => {
        call.signal.addEventListener('abort', () => {
          told.aborts += 1;
        });
        return new Promise(() => undefined);
      });
      return afterIt(hanging);
    },
    ({ report, facts, factsOf }) => {
      expect(facts.filter((fact) => fact.type === 'agent.failed')).toMatchObject([
        { at: 1_000, stepId: 'a', code: 'timeout', reason: 'No answer in time' },
      ]);
      expect(told.aborts).toBe(1);
      expect(report.steps.map(({ status, code }) => [status, code])).toEqual([
        ['failed', 'timeout'],
        ['completed', null],
      ]);
      const slots = factsOf('step.started').map(({ stepId, slot }) => [stepId, slot]);
      expect(slots).toEqual([
        ['a', 'slot-0'],
        ['b', 'slot-0'],
      ]);
    },
  );

  scenario(
    'something that only looks like a promise and never calls back is a call that never settles',
    () => afterIt(agentNamed('worker', () => ({ then: () => undefined }))),
    ({ report }) => {
      expect(report.steps[0]).toMatchObject({ code: 'timeout', durationMs: 1_000 });
      expect(report.steps[1]?.status).toBe('completed');
    },
  );

  // The catalogue would have such calls counted as `abandoned`. Here they are the errors among the calls of an agent:
  // nobody can tell a call that will never answer from one that answers after the run is forgotten.
  const late: { answer: () => void } = { answer: () => undefined };
  scenario(
    'a call that ignores the abort and answers after the run ended changes nothing: its step settled once',
    () => {
      const answers = [deferred<string>(), deferred<string>()];
      late.answer = () => {
        answers[0]?.resolve('late');
        answers[1]?.reject(new Error('late'));
      };
      return {
        options: {
          agents: [agentNamed('worker', inTurn(...answers.map(({ promise }) => promise)))],
          policy: definePolicy({
            retry: { attempts: 1 },
            time: { stepTimeoutMs: 1_000, graceMs: 0 },
            failure: { onStepFailure: 'continue' },
          }),
        },
        start: { plan: { steps: steps('a', 'b') } },
      };
    },
    async ({ report, facts, factsOf, clock, journal }) => {
      const before = [facts.length, journal.length];
      late.answer();
      await clock.settle();
      expect([facts.length, journal.length]).toEqual(before);
      expect(factsOf('step.failed').map(({ stepId, code }) => [stepId, code])).toEqual([
        ['a', 'timeout'],
        ['b', 'timeout'],
      ]);
      expect(report.metrics.agents['worker']).toMatchObject({ calls: 2, errors: 2, answers: 0 });
    },
  );

  scenario(
    'the answer to a first try that comes during the second is nobody’s: only the second counts',
    (clock) => {
      const first = deferred<string>();
      return {
        options: {
          agents: [
            scriptedAgent('worker', first.promise, async (call: { signal: AbortSignal }) => {
              await clock.sleep(200, call.signal);
              first.resolve('first');
              await clock.sleep(200, call.signal);
              return 'second';
            }),
          ],
          policy: definePolicy({ time: { stepTimeoutMs: 1_000 }, retry: { backoffMs: 0 } }),
        },
        start: { plan: { steps: steps('a') } },
      };
    },
    ({ report, factsOf }) => {
      expect(factsOf('agent.answered').map(({ key, output }) => [key, output])).toEqual([
        ['run/a/1/worker#2', 'second'],
      ]);
      expect(report.steps[0]?.output).toBe('second');
    },
  );
});

/** Closes one millisecond before its limit, and grants nothing after it. */
const closingLate = definePolicy({
  time: { limitMs: 10_000, planningMs: 1, verificationMs: 1, graceMs: 0 },
});

/*
 * Two things at one moment come one after the other, in the order in which the clock was asked for them. A call is made
 * before its timeout is armed, and before the last part of the time of the run begins: a call that takes exactly as long
 * as it may is back first. What a person does at a time known beforehand is older than the call, and comes first.
 */
/** The worker is called after what people do is set up: of two timers of one moment the first that was set fires first. */
const afterEarly = (clock: VirtualClock): ScenarioSetup => ({
  options: {
    agents: [
      slowAgent('early', clock, 100),
      slowAgent('worker', clock, 900),
      agentNamed('next', () => 'fine'),
    ],
  },
  start: { plan: { steps: steps('early:early', 'a<early', 'next:b<a') } },
});

describe('an agent that is ready in the very moment in which something else happens', () => {
  scenario(
    'in the moment of its timeout there is exactly one of answer and failure, and the answer was first',
    (clock) => afterIt(slowAgent('worker', clock, 1_000)),
    ({ report, factsOf }) => {
      const ofA = factsOf('agent.answered', 'agent.failed').filter(({ stepId }) => stepId === 'a');
      expect(ofA.map(({ type }) => type)).toEqual(['agent.answered']);
      expect(report.steps[0]?.status).toBe('completed');
    },
  );

  scenario(
    'in the moment of the limit of the run the answer was first: it is kept, and the run ends in time',
    (clock) => ({
      options: {
        agents: [slowAgent('early', clock, 500), slowAgent('worker', clock, 9_500)],
        policy: closingLate,
      },
      start: { plan: { steps: steps('early:early', 'a<early', 'b<a') } },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.answered').map(({ stepId }) => stepId)).toEqual(['early', 'a']);
      expect(report.steps.map(({ status }) => status)).toEqual([
        'completed',
        'completed',
        'cancelled',
      ]);
      expect(report).toMatchObject({ status: 'timeExpired', durationMs: 10_000 });
    },
  );

  scenario(
    'a call that answers in the moment it is aborted is no success',
    (clock) => ({
      options: {
        agents: [
          slowAgent('early', clock, 500),
          agentNamed('worker', (call) => clock.sleep(60_000, call.signal).catch(() => 'after all')),
        ],
        policy: closingLate,
      },
      start: { plan: { steps: steps('early:early', 'a<early') } },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('agent.answered').map(({ stepId }) => stepId)).toEqual(['early']);
      expect(report.steps.map(({ status }) => status)).toEqual(['completed', 'cancelled']);
      expect(report).toMatchObject({ status: 'timeExpired', durationMs: 10_000 });
    },
  );

  scenario(
    'in the moment it is skipped the skip was first: the step settles once, and not as a success',
    (clock) => ({
      ...afterEarly(clock),
      at: { 1_000: (control) => control.skip(['a']) },
    }),
    ({ factsOf }) => {
      const settled = factsOf('step.completed', 'step.skipped', 'step.failed', 'step.cancelled');
      const ofA = settled.filter(({ stepId }) => stepId === 'a');
      expect(ofA.map(({ type }) => type)).toEqual(['step.skipped']);
      expect(factsOf('agent.answered').map(({ stepId }) => stepId)).toEqual(['early', 'b']);
    },
  );

  scenario(
    'in the moment the run is aborted the abort was first: the step is cancelled, and not a success',
    (clock) => ({
      ...afterEarly(clock),
      at: { 1_000: (control) => control.abort('Enough') },
    }),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'aborted', reason: 'Enough', durationMs: 1_000 });
      expect(report.steps.map(({ status }) => status)).toEqual([
        'completed',
        'cancelled',
        'cancelled',
      ]);
      expect(factsOf('agent.answered').map(({ stepId }) => stepId)).toEqual(['early']);
    },
  );
});

describe('an agent that answers more than once', () => {
  const answers: readonly (() => unknown)[] = [
    () =>
      new Promise((resolve) => {
        resolve('first');
        resolve('second');
      }),
    () =>
      new Promise((resolve, reject) => {
        resolve('first');
        reject(new Error('second'));
      }),
    () =>
      new Promise((resolve) => {
        resolve('first');
        throw new Error('second');
      }),
    // Calls back at once, inside of the call that asks it to.
    () => ({
      then: (resolve: (value: string) => void, reject: (reason: unknown) => void) => {
        resolve('first');
        resolve('second');
        reject(new Error('third'));
      },
    }),
    () => ({
      then: (resolve: (value: string) => void) => {
        resolve('first');
        throw new Error('second');
      },
    }),
    // Goes on talking after it answered.
    () => {
      const answer = deferred<string>();
      queueMicrotask(() => {
        answer.resolve('second');
      });
      answer.resolve('first');
      return answer.promise;
    },
  ];

  scenario(
    'the first of several answers counts, and there is no other, whichever way they are given',
    () => eachInAStep(answers),
    ({ report, factsOf }) => {
      expect(report.steps.map(({ output }) => output)).toEqual([
        ...answers.map(() => 'first'),
        'fine',
      ]);
      expect(factsOf('agent.answered')).toHaveLength(answers.length + 1);
      expect(factsOf('agent.failed')).toEqual([]);
    },
  );
});

describe('an agent that lets nobody else work', () => {
  /** Keeps the thread busy, so that no timer can fire. */
  const blockFor = (durationMs: number): void => {
    const endMs = performance.now() + durationMs;
    while (performance.now() < endMs);
  };

  // A documented limit: JavaScript cannot interrupt a function, and the timeout of a call only runs from the moment it
  // first waits for something. All that can be promised is the next tick.
  it('after a call that blocks the thread for 2 s the limit is seen at the next tick: nothing more starts', async () => {
    const blockMs = 2_000;
    const worker = agentNamed('worker', async () => {
      blockFor(blockMs);
      await new Promise((resolve) => setTimeout(resolve, 1));
      return 'at last';
    });
    const orchestrator = createOrchestrator({
      agents: [worker],
      policy: definePolicy({
        time: { limitMs: 1_000, stepTimeoutMs: 500, graceMs: 100 },
        limits: { maxParallel: 1 },
      }),
    });
    const run = orchestrator.start({ goal: 'The goal', plan: { steps: steps('a', 'b') } });
    const report = await run.done;
    expect(report.status).toBe('timeExpired');
    // Its own limit was due before its answer came: time counts from the call, whether or not anybody could look.
    expect(report.steps.map(({ status }) => status)).toEqual(['failed', 'cancelled']);
    expect(worker.calls.map(({ key }) => key)).toEqual([`${run.runId}/a/1/worker`]);
    expect(report.durationMs).toBeGreaterThanOrEqual(blockMs);
    expect(report.durationMs).toBeLessThan(orchestrator.bounds().wallTimeMs + blockMs);
  });

  it('calls that block the thread and answer at once: the limits that passed meanwhile come first, in the order they were due', async () => {
    const worker = agentNamed('worker', () => {
      blockFor(700);
      return 'at last';
    });
    const orchestrator = createOrchestrator({
      agents: [worker],
      policy: definePolicy({
        time: { limitMs: 500, stepTimeoutMs: 200, graceMs: 100 },
        limits: { maxParallel: 1 },
      }),
    });
    const plan = { steps: steps('a', 'b<a', 'c<b') };
    const report = await orchestrator.start({ goal: 'The goal', plan }).done;
    // As for an agent that hangs: the step is out of time before the run is.
    expect(report.status).toBe('failed');
    expect(report.steps.map(({ status }) => status)).toEqual(['failed', 'skipped', 'skipped']);
    expect(report.steps[0]?.reason).toBe('The step used up its time');
    expect(worker.calls).toHaveLength(1);
  });
});
