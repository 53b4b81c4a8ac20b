import { describe, expect, it } from 'vitest';

import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { optionPaths } from '../../src/policy/options.js';
import { definePolicy } from '../../src/policy/policy.js';
import { policySchema } from '../../src/policy/schema.js';
import { issuesOf, nest } from '../policy/catch-policy-error.js';
import { factsOf, started } from '../run/runs.js';
import { scenario } from '../scenarios/harness.js';
import type { TestAgent } from '../scenarios/team.js';
import { agentNamed, slowAgent, steps } from '../scenarios/team.js';
import { expectNoLeaks, watchedClock } from './no-leaks.js';

expectNoLeaks();

/*
 * The clock itself is in time-clock.test.ts, resumed runs are in time-resume.test.ts, ties in time-ties.test.ts,
 * separate processes in time-process.test.ts.
 */

const never = new Promise<never>(() => undefined);

const YEAR_MS = 365 * 24 * 3_600_000;

describe('a timeout', () => {
  const hangs = (stepTimeoutMs: number) => () => ({
    options: {
      agents: [agentNamed('worker', () => never)],
      policy: definePolicy({
        time: { limitMs: Number.MAX_SAFE_INTEGER, stepTimeoutMs },
        retry: { attempts: 1 },
        failure: { onStepFailure: 'continue' as const },
      }),
    },
    start: { plan: { steps: steps('a') } },
  });
  const failsAt =
    (timeMs: number) =>
    ({ facts }: { readonly facts: readonly { type: string; at: number; code?: string }[] }) => {
      const failures = facts.filter(({ type }) => type === 'agent.failed');
      expect(failures).toMatchObject([{ at: timeMs, code: 'timeout' }]);
    };

  scenario('of 1 ms is exact', hangs(1), failsAt(1));

  scenario(
    'of the longest delay that a platform timer holds is exact',
    hangs(2 ** 31 - 1),
    failsAt(2 ** 31 - 1),
  );

  scenario(
    'of one millisecond more than a platform timer holds is exact',
    hangs(2 ** 31),
    failsAt(2 ** 31),
  );

  scenario('of 35 years is exact', hangs(2 ** 40), failsAt(2 ** 40));

  scenario(
    'of the longest possible delay outlasts the run, which ends as it should',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 2 ** 32), agentNamed('other', () => never)],
        policy: definePolicy({
          time: { limitMs: Number.MAX_SAFE_INTEGER, stepTimeoutMs: Number.MAX_SAFE_INTEGER },
          failure: { onStepFailure: 'continue' },
        }),
      },
      start: { plan: { steps: steps('a', 'other:b') } },
    }),
    ({ report, factsOf: told }) => {
      expect(report.steps[0]).toMatchObject({ status: 'completed', durationMs: 2 ** 32 });
      expect(told('agent.failed')).toEqual([]);
      // Planning and verification have their caps, 15 and 10 minutes; all the rest was the step's.
      expect(report.steps[1]).toMatchObject({ status: 'failed', code: 'step-timeout' });
      expect(report.durationMs).toBe(Number.MAX_SAFE_INTEGER - 25 * 60_000);
    },
  );

  scenario(
    'of 0, where it is allowed, ends immediately: no grace period, no backoff',
    (clock) => ({
      options: {
        agents: [
          agentNamed('flaky', (call) => {
            if (!call.key.includes('#3')) throw new Error('down');
            return 'third time lucky';
          }),
          slowAgent('early', clock, 100),
          slowAgent('worker', clock, 20_000),
        ],
        policy: definePolicy({
          time: { limitMs: 10_000, planningMs: 1, verificationMs: 1, graceMs: 0 },
          retry: { attempts: 3, backoffMs: 0 },
        }),
      },
      start: { plan: { steps: steps('flaky:a', 'early:b', 'c<b') } },
    }),
    ({ report, facts }) => {
      const calls = facts.filter((fact) => fact.type === 'agent.called' && fact.stepId === 'a');
      expect(calls.map(({ at }) => at)).toEqual([0, 0, 0]);
      expect(report.successfulSteps).toEqual(['a', 'b']);
      expect(report).toMatchObject({ status: 'timeExpired', durationMs: 10_000 });
    },
  );
});

describe('an invalid time', () => {
  const NO_TIMES = [Number.NaN, -1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0.5];

  it('in a policy (NaN, negative, infinite or not an integer) is refused with its path', () => {
    const paths = optionPaths(policySchema).filter((path) => path.endsWith('Ms'));
    expect(paths.length).toBeGreaterThanOrEqual(9);
    for (const path of paths) {
      for (const value of NO_TIMES) {
        const overrides = path.startsWith('breaker.')
          ? { breaker: { failures: 5, resetMs: value } }
          : nest(path, value);
        expect(issuesOf(overrides)).toEqual([
          {
            code: 'invalid-option',
            path,
            message: expect.stringContaining(`\`${value}\` (number)`) as string,
          },
        ]);
      }
    }
  });

  it('in extend() (NaN, negative, infinite or not an integer) is refused and changes nothing', async () => {
    const { run, clock } = started();
    await clock.settle();
    const before = run.journal().length;
    for (const extraMs of [...NO_TIMES, 0, 2 ** 53, 1e308]) {
      expect(await run.extendTime(extraMs), `${extraMs}`).toMatchObject({
        accepted: false,
        reason: expect.stringContaining('extraMs') as string,
      });
    }
    expect(run.journal()).toHaveLength(before);
    await clock.runUntil(run.done);
    expect(await run.done).toMatchObject({ status: 'completed', durationMs: 300 });
  });

  it('does not move a virtual clock: NaN, infinity or backwards', () => {
    const clock = watchedClock({ startMs: 5 });
    for (const durationMs of NO_TIMES.filter((value) => value !== 0.5)) {
      expect(() => clock.advance(durationMs), `${durationMs}`).toThrow(/^Expected `/);
    }
    expect(() => clock.advanceTo(4)).toThrow(RangeError);
    expect(() => watchedClock({ startMs: Number.NaN })).toThrow(TypeError);
    expect(clock.now()).toBe(5);
  });
});

describe('the time limit of a run', () => {
  const LIMIT_MS = 10_000;
  const team: { running?: TestAgent } = {};

  scenario(
    'ends it within limit and grace while five steps run, three wait for people and two back off',
    (clock) => {
      const running = agentNamed('worker', async (call) => {
        await clock.sleep(30_000, call.signal);
      });
      team.running = running;
      return {
        options: {
          agents: [
            slowAgent('early', clock, 1_000),
            running,
            agentNamed('architect', () => 'never asked'),
            agentNamed('flaky', () => {
              throw new Error('down');
            }),
          ],
          policy: definePolicy({
            limits: { maxParallel: 10 },
            // Nearly all of the time is for the steps, so that the limit ends them.
            time: { limitMs: LIMIT_MS, planningMs: 1, verificationMs: 1, graceMs: 500 },
            approval: { agents: ['architect'] },
            retry: { backoffMs: 25_000 },
          }),
        },
        start: {
          plan: {
            steps: [
              ...steps('early:early'),
              ...steps('a<early', 'b<early', 'c<early', 'd<early', 'e<early'),
              ...steps('architect:f<early', 'architect:g<early', 'architect:h<early'),
              ...steps('flaky:i<early', 'flaky:j<early'),
            ],
          },
        },
      };
    },
    ({ report, facts, factsOf: told }) => {
      expect(report).toMatchObject({ status: 'timeExpired', reason: 'time-limit' });
      expect(report.durationMs).toBe(LIMIT_MS + 500);
      expect(facts.find((fact) => fact.type === 'time.expired')).toMatchObject({
        at: LIMIT_MS,
        scope: 'run',
      });
      expect(report.successfulSteps).toEqual(['early']);
      expect(report.steps[0]?.output).toBe('early did early');
      expect(report.cancelledSteps).toHaveLength(10);
      expect(team.running?.calls.map(({ signal }) => signal.aborted)).toEqual(
        Array.from({ length: 5 }, () => true),
      );
      const cancelledAt = (timeMs: number): string[] =>
        facts.flatMap((fact) =>
          fact.type === 'step.cancelled' && fact.at === timeMs ? [fact.stepId] : [],
        );
      // Steps that wait for people end with the limit, running steps have the grace period.
      expect(cancelledAt(LIMIT_MS)).toEqual(expect.arrayContaining(['f', 'g', 'h']));
      expect(cancelledAt(LIMIT_MS + 500)).toEqual(
        expect.arrayContaining(['a', 'b', 'c', 'd', 'e']),
      );
      expect(told('agent.called').filter(({ agent }) => agent === 'flaky')).toHaveLength(2);
    },
  );
});

describe('a long-lived run', () => {
  scenario(
    'that waits for ten years is kept and continues',
    () => ({
      options: {
        agents: [agentNamed('worker', (call) => `did ${call.step.id}`)],
        policy: definePolicy({
          time: { limitMs: 100 * YEAR_MS },
          approval: { agents: ['worker'], timeoutMs: 50 * YEAR_MS },
        }),
      },
      start: { plan: { steps: steps('a', 'b<a') } },
      at: {
        [10 * YEAR_MS]: (control) => control.approve('a:1.1'),
        [20 * YEAR_MS]: (control) => control.approve('b:1.1'),
      },
    }),
    ({ report, commands }) => {
      expect(commands).toEqual([{ accepted: true }, { accepted: true }]);
      expect(report).toMatchObject({ status: 'completed', durationMs: 20 * YEAR_MS });
    },
  );

  it('that is active is kept, however long it is silent and however many other runs come and go', async () => {
    const clock = watchedClock();
    const orchestrator = composeOrchestrator(
      {
        agents: [
          agentNamed('worker', (call) => `did ${call.step.id}`),
          agentNamed('quick', () => 1),
        ],
        clock,
        policy: definePolicy({
          time: { limitMs: 100 * YEAR_MS },
          approval: { agents: ['worker'], timeoutMs: 50 * YEAR_MS },
        }),
      },
      undefined,
    );
    const run = orchestrator.start({ goal: 'The goal', runId: 'old', plan: { steps: steps('a') } });
    await clock.settle();
    for (let year = 1; year <= 10; year += 1) {
      clock.advanceTo(year * YEAR_MS);
      const others = Array.from({ length: 20 }, () =>
        orchestrator.start({ goal: 'Another', plan: { steps: steps('quick:a') } }),
      );
      await Promise.all(others.map(({ done }) => done));
      expect(await orchestrator.resume('old')).toBe(run);
    }
    expect(run.record().openApprovals).toMatchObject([{ requestId: 'a:1.1' }]);
    expect(await run.approve('a:1.1')).toEqual({ accepted: true });
    expect(await run.done).toMatchObject({ status: 'completed', durationMs: 10 * YEAR_MS });
    expect(factsOf(run).at(-1)?.type).toBe('run.ended');
  });
});
