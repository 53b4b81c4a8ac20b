import { describe, expect, it } from 'vitest';

import { defineAgent } from '../../src/agents/agent.js';
import { blocked } from '../../src/agents/report.js';
import type { Fact } from '../../src/model/facts.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { checkInvariants } from '../../src/testing/invariants/check-invariants.js';
import { scenario } from '../scenarios/harness.js';
import { plannerInTurn } from '../scenarios/planners.js';
import { deferred } from '../scenarios/scripted.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { eachInAStep } from './agents-faulty.js';
import { expectNoLeaks, watchedClock } from './no-leaks.js';

expectNoLeaks();

const circular: Record<string, unknown> = { name: 'Circular' };
circular['self'] = circular;

const withoutStack = (): Error => {
  const error = new Error('no stack');
  delete error.stack;
  return error;
};

const hostile = new Proxy(
  {},
  {
    get: () => {
      throw new Error('trap');
    },
  },
);

/** What is thrown, and the name and message it is recorded with. */
const thrown: readonly (readonly [value: unknown, reason: string])[] = [
  [undefined, 'Error: A value that is not an error was thrown: undefined'],
  [null, 'Error: A value that is not an error was thrown: null'],
  [0, 'Error: A value that is not an error was thrown: 0'],
  ['', 'Error: An empty string was thrown'],
  ['just text', 'Error: just text'],
  [Symbol('s'), 'Error: A value that is not an error was thrown: Symbol(s)'],
  [1n, 'Error: A value that is not an error was thrown: 1'],
  [() => 'f', 'Error: A function was thrown'],
  [{}, 'Error: An object that is not an error was thrown: {}'],
  [Object.freeze({ message: 'frozen' }), 'Error: frozen'],
  [circular, 'Circular: An object that is not an error was thrown'],
  [withoutStack(), 'Error: no stack'],
  [new DOMException('gone', 'AbortError'), 'AbortError: gone'],
  [hostile, 'Error: An object that is not an error was thrown'],
  [Object.assign(new Error('loop'), { cause: circular }), 'Error: loop'],
  [new TypeError('x'.repeat(100_000)), `TypeError: ${'x'.repeat(1_989)}`],
];

const throwing = (value: unknown) => (): never => {
  throw value;
};

const rejecting = (value: unknown) => (): Promise<unknown> => {
  const answer = deferred();
  answer.reject(value);
  return answer.promise;
};

describe('an agent that throws', () => {
  scenario(
    'a synchronous throw fails the attempt as threw, like a rejection',
    () => eachInAStep(thrown.flatMap(([value]) => [throwing(value), rejecting(value)])),
    ({ report, factsOf }) => {
      const failures = factsOf('agent.failed').map(({ code, reason }) => [code, reason]);
      expect(failures).toEqual(
        thrown.flatMap(([, reason]) => [
          ['threw', reason],
          ['threw', reason],
        ]),
      );
      expect(report.failedSteps).toHaveLength(2 * thrown.length);
      expect(report.successfulSteps).toEqual(['last']);
    },
  );

  scenario(
    'every rejection becomes a reason with name and message, as JSON, of at most 2 kB',
    () => eachInAStep(thrown.map(([value]) => rejecting(value))),
    ({ report, factsOf }) => {
      const failures = factsOf('agent.failed');
      expect(failures).toHaveLength(thrown.length);
      for (const failure of failures) {
        expect(failure.reason).toMatch(/^\w+: ./);
        expect(failure.reason.length).toBeLessThanOrEqual(2_000);
        expect(JSON.parse(JSON.stringify(failure))).toEqual(failure);
      }
      expect(report.steps.at(-1)?.status).toBe('completed');
    },
  );
});

const MAX_TRIES = 10;
const CAP_MS = 2_000;

describe('an agent that fails some of the time', () => {
  const patient = definePolicy({
    retry: { attempts: MAX_TRIES, backoffMs: 100, maxBackoffMs: CAP_MS },
    limits: { maxParallel: MAX_TRIES },
  });
  /** Step `k3` fails three times, then succeeds. */
  const fallible = Array.from({ length: MAX_TRIES }, (_, failures) => `k${failures}`);

  scenario(
    'k times and then succeeds is tried k + 1 times with growing backoff, and its output is unaffected',
    () => {
      const failuresLeft = new Map(fallible.map((id, failures) => [id, failures]));
      const worker = agentNamed('worker', ({ step }) => {
        const left = failuresLeft.get(step.id) ?? 0;
        failuresLeft.set(step.id, left - 1);
        if (left > 0) throw new Error('Not yet');
        return { answer: 42, attempt: step.attempt };
      });
      return {
        options: { agents: [worker], policy: patient },
        start: { plan: { steps: steps(...fallible) } },
      };
    },
    ({ report, facts }) => {
      for (const [failures, id] of fallible.entries()) {
        const calls = facts.filter((fact) => fact.type === 'agent.called' && fact.stepId === id);
        expect(calls).toHaveLength(failures + 1);
        const waits = calls.slice(1).map(({ at }, index) => at - (calls[index]?.at ?? 0));
        expect(waits).toEqual([...waits].sort((left, right) => left - right));
        for (const waitMs of waits) expect(waitMs).toBeLessThanOrEqual(CAP_MS);
      }
      for (const { output } of report.steps) expect(output).toEqual({ answer: 42, attempt: 1 });
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'every time is tried as often as allowed; then each next recovery follows exactly once',
    () => ({
      options: {
        agents: [
          defineAgent({
            name: 'worker',
            description: 'Never works, and neither does its fallback',
            run: throwing(new Error('Never')),
            fallback: throwing(new Error('Not even then')),
          }),
          agentNamed('other', () => 'fine'),
        ],
        planner: plannerInTurn(['a'], ['other:b']),
        policy: definePolicy({ retry: { attempts: 4, backoffMs: 1 } }),
      },
    }),
    ({ report, factsOf }) => {
      const calls = factsOf('agent.called').filter(({ stepId }) => stepId === 'a');
      expect(calls.map(({ isFallback }) => isFallback)).toEqual([false, false, false, false, true]);
      expect(factsOf('step.failed')).toMatchObject([{ stepId: 'a', code: 'threw', attempts: 1 }]);
      expect(factsOf('replan.requested')).toMatchObject([{ stepId: 'a', kind: 'stepFailed' }]);
      expect(factsOf('replan.started')).toHaveLength(1);
      expect(report).toMatchObject({ status: 'completed', successfulSteps: ['b_rp1'] });
    },
  );

  scenario(
    'because it is blocked is attempted as often as allowed; then one sub-plan, then the failure follows',
    () => ({
      options: {
        agents: [agentNamed('worker', () => blocked('No way'))],
        planner: plannerInTurn(['a'], ['b']),
        policy: definePolicy({
          limits: { maxAttempts: 3, maxDepth: 1 },
          failure: { onStepFailure: 'continue' },
        }),
      },
    }),
    ({ report, factsOf }) => {
      const attempts = factsOf('agent.called').filter(({ role }) => role === 'worker');
      expect(attempts.map(({ key }) => key)).toEqual([
        'run/a/1/worker',
        'run/a/2/worker',
        'run/a/3/worker',
        'run/a/b/1/worker',
        'run/a/b/2/worker',
        'run/a/b/3/worker',
      ]);
      expect(factsOf('subplan.started')).toMatchObject([{ stepId: 'a', depth: 1 }]);
      expect(factsOf('step.failed').map(({ stepId, code }) => [stepId, code])).toEqual([
        ['a/b', 'blocked'],
        ['a', 'subplan-failed'],
      ]);
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed: depth-limit' });
    },
  );
});

describe('a thousand agents that fail at once', { timeout: 60_000 }, () => {
  const COUNT = 1_000;
  const names = Array.from({ length: COUNT }, (_, index) => `agent-${index}`);

  /** Every agent fails once, then works; all are called at the same moment, as far as the policy allows. */
  const failTogether = async (maxParallel: number): Promise<readonly Fact[]> => {
    const clock = watchedClock();
    const facts: Fact[] = [];
    const orchestrator = composeOrchestrator(
      {
        agents: names.map((name) =>
          agentNamed(name, ({ key }) => {
            if (!key.endsWith('#2')) throw new Error('All at once');
            return `${name} came back`;
          }),
        ),
        policy: definePolicy({
          limits: { maxParallel, maxSteps: COUNT },
          retry: { attempts: 2, backoffMs: 1_000 },
        }),
        clock,
      },
      undefined,
    );
    const plan = { steps: steps(...names.map((name, index) => `${name}:s${index}`)) };
    const run = orchestrator.start({ goal: 'A goal', runId: 'run', plan });
    run.subscribe((fact) => facts.push(fact));
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
    expect(
      checkInvariants(facts, { policy: orchestrator.policy, bounds: orchestrator.bounds() }),
    ).toEqual([]);
    return facts;
  };

  const retriesPerMoment = (facts: readonly Fact[]): number[] => {
    const counts = new Map<number, number>();
    for (const fact of facts) {
      if (fact.type !== 'agent.called' || fact.try !== 2) continue;
      counts.set(fact.at, (counts.get(fact.at) ?? 0) + 1);
    }
    return [...counts.values()];
  };

  const mostAtOnce = (facts: readonly Fact[]): number => {
    let running = 0;
    let most = 0;
    for (const { type } of facts) {
      if (type === 'step.started') running += 1;
      if (type === 'step.completed') running -= 1;
      most = Math.max(most, running);
    }
    return most;
  };

  it('spread their retries', async () => {
    const facts = await failTogether(COUNT);
    expect(mostAtOnce(facts)).toBe(COUNT);
    const failedAt = new Set(
      facts.flatMap(({ type, at }) => (type === 'agent.failed' ? [at] : [])),
    );
    expect([...failedAt]).toEqual([0]);
    const perMoment = retriesPerMoment(facts);
    expect(perMoment.reduce((sum, count) => sum + count, 0)).toBe(COUNT);
    // Spread evenly over half a second there are two per millisecond.
    expect(Math.max(...perMoment)).toBeLessThanOrEqual(12);
    expect(perMoment.length).toBeGreaterThan(300);
  });

  it('never exceed maxParallel, retries included', async () => {
    expect(mostAtOnce(await failTogether(7))).toBe(7);
  });
});
