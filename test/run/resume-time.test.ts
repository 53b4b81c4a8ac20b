import { describe, expect, it } from 'vitest';

import type { Orchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore } from '../../src/model/run-store.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { factsOf, storeWith } from './runs.js';

expectNothingUnhandled();

/** A step that waits for a person for at most ten seconds, in a run of a minute. */
const waiting = (clock: VirtualClock, store: RunStore): Orchestrator =>
  composeOrchestrator(
    {
      agents: [agentNamed('worker', () => 'x')],
      clock,
      store,
      policy: definePolicy({
        time: { limitMs: 60_000 },
        approval: { agents: ['worker'], timeoutMs: 10_000, onReject: 'fail' },
      }),
    },
    undefined,
  );

const crashed = async (): Promise<RunStore> => {
  const clock = virtualClock();
  const store = memoryStore();
  const run = waiting(clock, store).start({
    goal: 'The goal of the run',
    runId: 'run',
    plan: { steps: steps('a') },
  });
  await clock.settle();
  return storeWith(store, 'run', run.journal().length);
};

describe('a timer of a resumed run', () => {
  for (const [name, awayMs, expiresAt] of [
    ['resumed immediately has all of its time left', 0, 10_000],
    ['resumed half-way has the other half left', 5_000, 10_000],
    ['resumed just in time has a millisecond left', 9_999, 10_000],
    ['resumed too late fires immediately', 100_000, 100_000],
  ] as const) {
    it(name, async () => {
      const store = await crashed();
      const clock = virtualClock({ startMs: awayMs });
      const run = await waiting(clock, store).resume('run');
      await clock.runUntil(run.done);
      const expiries = factsOf(run).filter(({ type }) => type === 'approval.expired');
      expect(expiries.map(({ at }) => at)).toEqual([expiresAt]);
      expect((await run.done).steps).toMatchObject([{ code: 'approval-expired' }]);
      expect(clock.pending()).toBe(0);
    });
  }

  it('resumed long after the time limit of the run does not fire: the run ends', async () => {
    const store = await crashed();
    const clock = virtualClock({ startMs: 10 * 60_000 });
    const run = await waiting(clock, store).resume('run');
    await clock.runUntil(run.done);
    expect((await run.done).endedAt).toBeLessThanOrEqual(10 * 60_000 + 6_000 + 5_000);
    expect(clock.pending()).toBe(0);
  });

  it('that was due earlier fires earlier, though it was armed later', async () => {
    const store = await crashed();
    const clock = virtualClock({ startMs: 10 * 60_000 });
    const run = await waiting(clock, store).resume('run');
    await clock.runUntil(run.done);
    // The time of the run began before the question was asked, and ended after the question had timed out.
    const told = factsOf(run).map(({ type }) => type);
    expect(told.filter((type) => type === 'approval.expired')).toHaveLength(1);
    expect(told.filter((type) => type === 'time.executionClosed').length).toBeLessThanOrEqual(1);
    const elapsed = run.journal().flatMap(({ event }) => (event.kind === 'elapsed' ? [event] : []));
    expect(elapsed[0]?.timer).toContain('/slot-0/approval#');
    expect((await run.done).steps).toMatchObject([{ code: 'approval-expired' }]);
  });

  it('ends a call that has timed out instead of repeating it', async () => {
    const policy = definePolicy({
      time: { stepTimeoutMs: 10_000, limitMs: 60_000 },
      retry: { attempts: 1 },
    });
    const silent = () => agentNamed('worker', () => new Promise(() => undefined));
    const clock = virtualClock();
    const original = memoryStore();
    const first = composeOrchestrator(
      { agents: [silent()], clock, store: original, policy },
      undefined,
    ).start({ goal: 'The goal of the run', runId: 'run', plan: { steps: steps('a') } });
    await clock.settle();
    const store = await storeWith(original, 'run', first.journal().length);

    const late = virtualClock({ startMs: 20_000 });
    const worker = silent();
    const run = await composeOrchestrator(
      { agents: [worker], clock: late, store, policy },
      undefined,
    ).resume('run');
    await late.runUntil(run.done);
    expect(worker.calls).toEqual([]);
    expect((await run.done).steps).toMatchObject([{ status: 'failed', code: 'timeout' }]);
  });

  it('does not fire when the answer arrives in time', async () => {
    const store = await crashed();
    const clock = virtualClock({ startMs: 5_000 });
    const run = await waiting(clock, store).resume('run');
    expect(await run.approve('a:1.1')).toEqual({ accepted: true });
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
    expect(clock.pending()).toBe(0);
  });
});
