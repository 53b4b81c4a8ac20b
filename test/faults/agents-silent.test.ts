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

describe('an agent that does not answer', () => {
  const told = { aborts: 0 };
  scenario(
    'in a call that never settles fails its attempt at the timeout, is aborted once, and frees its slot',
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
    'with a thenable that never calls back is a call that never settles',
    () => afterIt(agentNamed('worker', () => ({ then: () => undefined }))),
    ({ report }) => {
      expect(report.steps[0]).toMatchObject({ code: 'timeout', durationMs: 1_000 });
      expect(report.steps[1]?.status).toBe('completed');
    },
  );

  // Such calls count as errors of their agent: a call that never answers cannot be told apart
  // from one that answers after the run is forgotten.
  const late: { answer: () => void } = { answer: () => undefined };
  scenario(
    'until after the run ended, despite the abort, changes nothing: its step settled once',
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
    'to its first try in time is ignored when that answer arrives during the second try',
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
 * Two timers due at the same moment fire in the order in which they were armed. A call is made before its timeout is
 * armed, and before the last part of the run's time begins, so a call that takes exactly its limit answers first. A
 * person's action at a time known beforehand was armed before the call, and comes first.
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

describe('an agent that answers at the same moment as another event', () => {
  scenario(
    'at its timeout: the answer is first, and no failure follows',
    (clock) => afterIt(slowAgent('worker', clock, 1_000)),
    ({ report, factsOf }) => {
      const ofA = factsOf('agent.answered', 'agent.failed').filter(({ stepId }) => stepId === 'a');
      expect(ofA.map(({ type }) => type)).toEqual(['agent.answered']);
      expect(report.steps[0]?.status).toBe('completed');
    },
  );

  scenario(
    'at the time limit of the run: the answer is first and kept, and the run ends in time',
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
    'at its abort: the call is not a success',
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
    'at its skip: the skip is first, and the step settles once, as skipped',
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
    'at the abort of the run: the abort is first, and the step is cancelled',
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
    // Calls back synchronously, inside the call to `then`.
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
    // Continues to call back after it answered.
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
    'only its first answer counts, in whatever way the answers are given',
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

describe('an agent that blocks the thread', () => {
  /** Keeps the thread busy, so that no timer can fire. */
  const blockFor = (durationMs: number): void => {
    const endMs = performance.now() + durationMs;
    while (performance.now() < endMs);
  };

  // A documented limit: JavaScript cannot interrupt a function, and the timeout of a call only runs from the moment
  // it
  // first waits for something. Only the next tick can be promised.
  it('for 2 s: the limit is noticed at the next tick, and nothing more starts', async () => {
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
    // Its own limit was due before its answer: time counts from the call, even while the thread is blocked.
    expect(report.steps.map(({ status }) => status)).toEqual(['failed', 'cancelled']);
    expect(worker.calls.map(({ key }) => key)).toEqual([`${run.runId}/a/1/worker`]);
    expect(report.durationMs).toBeGreaterThanOrEqual(blockMs);
    expect(report.durationMs).toBeLessThan(orchestrator.bounds().wallTimeMs + blockMs);
  });

  it('and answers synchronously: limits that passed meanwhile come first, in the order they were due', async () => {
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
    // As for an agent that hangs: the step times out before the run does.
    expect(report.status).toBe('timeExpired');
    expect(report.steps.map(({ status }) => status)).toEqual(['failed', 'skipped', 'skipped']);
    expect(report.steps[0]?.reason).toBe('The step used up its time');
    expect(worker.calls).toHaveLength(1);
  });
});
