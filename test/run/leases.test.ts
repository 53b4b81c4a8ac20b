import { describe, expect, it } from 'vitest';

import {
  OrchestratorClosedError,
  RunClaimedError,
  StoreUnavailableError,
} from '../../src/errors.js';
import type { Orchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import type { Run } from '../../src/run/run.types.js';
import { definePolicy } from '../../src/policy/policy.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore } from '../../src/model/run-store.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { agentNamed, slowAgent, steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { checkInvariants } from '../../src/testing/invariants/check-invariants.js';
import { journalIn } from './runs.js';
import { processOn } from './processes.js';
import { slowStore } from './stores.js';

expectNothingUnhandled();

const LEASE_MS = 30_000;

const start = (orchestrator: Orchestrator, runId = 'run'): Run =>
  orchestrator.start({ goal: 'The goal', runId, plan: { steps: steps('a', 'b<a') } });

const rig = () => {
  const clock = virtualClock({ startMs: 1_000_000 });
  const store = memoryStore();
  return { clock, store, first: processOn(clock, store), second: processOn(clock, store) };
};

describe('a run in a store', () => {
  it('belongs to the process that started it: another is refused, and calls no agent', async () => {
    const { clock, first, second } = rig();
    const run = start(first.orchestrator);
    await clock.settle();
    const refused = second.orchestrator.resume('run');
    await expect(refused).rejects.toThrow(RunClaimedError);
    await expect(refused).rejects.toMatchObject({ code: 'already-claimed' });
    expect(await second.orchestrator.recover()).toEqual([]);
    expect(second.errors).toEqual([]);
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
    expect(second.worker.calls).toEqual([]);
    expect(clock.pending()).toBe(0);
  });

  it('belongs to that process for as long as it lives', async () => {
    const { clock, first, second } = rig();
    const run = start(first.orchestrator);
    for (let lease = 0; lease < 6; lease += 1) {
      clock.advance(LEASE_MS);
      await clock.settle();
      if (run.record().status !== 'running') break;
      await expect(second.orchestrator.resume('run')).rejects.toThrow(RunClaimedError);
    }
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
  });

  it('is free when its process has died and its lease has ended, and not before', async () => {
    const { clock, first, second } = rig();
    void start(first.orchestrator);
    await clock.settle();
    first.kill();
    clock.advance(LEASE_MS - 1);
    expect(await second.orchestrator.recover()).toEqual([]);
    clock.advance(1);
    const [run] = await second.orchestrator.recover();
    expect(run?.runId).toBe('run');
    await clock.runUntil(run?.done ?? Promise.reject(new Error('Nothing was recovered')));
    expect((await run?.done)?.status).toBe('completed');
    // The call that was in flight when the process died is repeated under the same key.
    expect(second.worker.calls.map(({ key }) => key)).toEqual(['run/a/1/worker', 'run/b/1/worker']);
  });

  it('is written only by its owner: an owner that slept past its lease stops when it wakes', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    let isAsleep = false;
    const sleeper = processOn(clock, {
      ...store,
      // While it sleeps it renews nothing; when it wakes, it continues as if nothing had happened.
      renew: (...parameters) => (isAsleep ? undefined : store.renew(...parameters)),
    });
    const run = start(sleeper.orchestrator);
    await clock.settle();
    isAsleep = true;
    clock.advance(LEASE_MS);
    const other = processOn(clock, store);
    const taken = await other.orchestrator.resume('run');
    const report = await run.say('Are you there?').then(() => run.done);
    expect(report.status).toBe('detached');
    expect(report.reason).toMatch(/^taken-over: /);
    expect(sleeper.worker.calls.map(({ signal }) => signal.aborted)).toEqual([true]);
    await clock.runUntil(taken.done);
    const done = await taken.done;
    expect(done.status).toBe('completed');
    expect(journalIn(store, 'run')).toEqual(taken.journal());
    expect(JSON.stringify(taken.journal())).not.toContain('Are you there?');
    expect(clock.pending()).toBe(0);
  });

  it('has ended once its last entry is durable, though a renewal is due before the write is confirmed', async () => {
    const clock = virtualClock({ startMs: 1_000_000 });
    const inner = memoryStore();
    // The last write is made immediately, and its confirmation takes three renewals: a run that has ended cannot be
    // claimed.
    const store: RunStore = {
      ...inner,
      append: async (...given) => {
        await inner.append(...given);
        if (given[3]?.ended === true) {
          await new Promise<void>((resolve) => void clock.setTimeout(resolve, LEASE_MS));
        }
      },
    };
    const { orchestrator, errors } = processOn(clock, store);
    const run = start(orchestrator);
    await clock.runUntil(run.done);
    expect(await run.done).toMatchObject({ status: 'completed', reason: 'all-steps-completed' });
    expect(errors).toEqual([]);
  });

  it('stops even without anything to write, when its lease has ended and it was claimed', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    let isAway = false;
    const first = processOn(clock, {
      ...store,
      renew: (...parameters) => {
        if (isAway) throw new StoreUnavailableError('The store is away');
        return store.renew(...parameters);
      },
    });
    const run = start(first.orchestrator);
    await clock.settle();
    isAway = true;
    clock.advance(LEASE_MS + 1);
    await clock.settle();
    expect(store.claim('run', 'another', clock.now())).toBeDefined();
    isAway = false;
    clock.advance(LEASE_MS / 3);
    await clock.settle();
    expect((await run.done).reason).toMatch(/^taken-over: /);
    expect(first.worker.calls.map(({ signal }) => signal.aborted)).toEqual([true]);
    expect(clock.pending()).toBe(0);
  });

  it('continues when a renewal fails, and reports it to onError', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    let failures = 2;
    const { orchestrator, errors } = processOn(clock, {
      ...store,
      renew: (...parameters) => {
        if (clock.now() > 0 && failures-- > 0) throw new Error('The store is away');
        return store.renew(...parameters);
      },
    });
    const run = start(orchestrator);
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
    expect(errors).toHaveLength(2);
  });

  it('has exactly one winner when many processes resume it at once, and the others call no agent', async () => {
    for (let race = 0; race < 6; race += 1) {
      const clock = virtualClock();
      const store = memoryStore();
      const first = processOn(clock, store);
      void start(first.orchestrator);
      await clock.settle();
      first.kill();
      clock.advance(LEASE_MS);
      const racers = Array.from({ length: 4 }, (_, index) =>
        processOn(clock, slowStore(clock, (index + race) % 3, store)),
      );
      const results = Promise.allSettled(
        racers.map(({ orchestrator }) => orchestrator.resume('run')),
      );
      await clock.runUntil(results);
      const outcomes = await results;
      const winners = outcomes.filter(({ status }) => status === 'fulfilled');
      expect(winners).toHaveLength(1);
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.status === 'fulfilled') continue;
        expect(outcome.reason).toBeInstanceOf(RunClaimedError);
        expect(racers[index]?.worker.calls).toEqual([]);
      }
      for (const racer of racers) racer.kill();
    }
  });

  it('is failed when every owner dies with it, and its record is kept', async () => {
    const { clock, store, first } = rig();
    void start(first.orchestrator);
    await clock.settle();
    first.kill();
    for (let recovery = 1; recovery <= 5; recovery += 1) {
      clock.advance(LEASE_MS);
      const next = processOn(clock, store);
      const [run] = await next.orchestrator.recover();
      expect(run?.record().status, `recovery ${recovery}`).toBe('running');
      await clock.settle();
      next.kill();
    }
    clock.advance(LEASE_MS);
    const last = processOn(clock, store);
    const [run] = await last.orchestrator.recover();
    const report = await run?.done;
    expect(report).toMatchObject({ status: 'failed', reason: 'max-recoveries' });
    expect(report?.steps.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(last.worker.calls).toEqual([]);
    expect((await store.read('run'))?.ended).toBe(true);
    // The end is in the journal, so it is the same for every reader.
    const shown = await processOn(clock, store).orchestrator.resume('run');
    expect(await shown.done).toEqual(report);
    expect(await last.orchestrator.recover()).toEqual([]);
  });

  it('is failed at the first death, when the policy says so: open steps are settled, and no call is made', async () => {
    const clock = virtualClock({ startMs: 1_000_000 });
    const store = memoryStore();
    const policy = definePolicy({
      limits: { maxRecoveries: 0 },
      time: { stepTimeoutMs: 3_600_000, limitMs: 86_400_000 },
    });
    const first = processOn(clock, store, { policy });
    void start(first.orchestrator);
    await clock.settle();
    first.kill();
    clock.advance(LEASE_MS);
    const strict = processOn(clock, store, { policy });
    const [run] = await strict.orchestrator.recover();
    const report = await run?.done;
    expect(report?.reason).toBe('max-recoveries');
    expect(report?.steps.map(({ id, status, reason }) => [id, status, reason])).toEqual([
      ['a', 'cancelled', 'max-recoveries'],
      ['b', 'cancelled', 'max-recoveries'],
    ]);
    expect(strict.worker.calls).toEqual([]);
    const last = journalIn(store, 'run').at(-1);
    expect(last?.event).toMatchObject({ event: { type: 'run.recovered', takeovers: 1 } });
    expect(checkInvariants(journalIn(store, 'run'), { policy })).toEqual([]);

    // It can be inspected, and a fork of it starts without deaths.
    const { facts, mismatch } = await strict.orchestrator.replay('run');
    expect(mismatch).toBeNull();
    const whatIf = await strict.orchestrator.fork('run', {
      runId: 'what-if',
      atSequence: facts.length - 3,
    });
    await clock.runUntil(whatIf.done);
    expect((await whatIf.done).status).toBe('completed');
  });

  it('may be taken over as often as it makes progress: only deaths without a completed step count', async () => {
    const clock = virtualClock({ startMs: 1_000_000 });
    const store = memoryStore();
    const policy = definePolicy({
      limits: { maxRecoveries: 1 },
      time: { stepTimeoutMs: 3_600_000, limitMs: 86_400_000 },
    });
    const next = () => processOn(clock, store, { policy });
    const plan = { steps: steps('a', 'b<a', 'c<b', 'd<c') };
    let process = next();
    let run = process.orchestrator.start({ goal: 'The goal', runId: 'run', plan });
    for (let death = 1; death <= 3; death += 1) {
      // Long enough for one step, and then it dies.
      await clock.settle();
      clock.advance(100_001);
      await clock.settle();
      process.kill();
      clock.advance(LEASE_MS);
      process = next();
      run = await process.orchestrator.resume('run');
      expect(run.record().status, `death ${death}`).toBe('running');
    }
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
    expect(checkInvariants(journalIn(store, 'run'), { policy })).toEqual([]);
  });
});

describe('recoverEvery', () => {
  it('resumes the runs of a dead process, until it is stopped', async () => {
    const { clock, first, second } = rig();
    void start(first.orchestrator);
    await clock.settle();
    const stop = second.orchestrator.recoverEvery(5_000);
    first.kill();
    for (let tick = 0; tick < 7; tick += 1) {
      clock.advance(5_000);
      await clock.settle();
    }
    expect(second.worker.calls).toHaveLength(1);
    stop();
    const run = await second.orchestrator.resume('run');
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
    expect(clock.pending()).toBe(0);
  });
});

describe('close', () => {
  it('waits for calls in flight, starts nothing new, and releases the run', async () => {
    const { clock, store, first } = rig();
    const run = start(first.orchestrator);
    await clock.settle();
    clock.advance(99_000);
    await clock.settle();
    const closed = first.orchestrator.close({ graceMs: 2_000 });
    await clock.runUntil(closed);
    expect((await run.done).reason).toMatch(/^stopped/);
    expect((await run.done).successfulSteps).toEqual(['a']);
    expect(first.worker.calls.map(({ step }) => step.id)).toEqual(['a']);
    expect(clock.pending()).toBe(0);

    // No wait for the lease: the run was released, and 'b' is called for the first time.
    const next = processOn(clock, store);
    const resumed = await next.orchestrator.resume('run');
    await clock.runUntil(resumed.done);
    expect((await resumed.done).status).toBe('completed');
    expect(next.worker.calls.map(({ key }) => key)).toEqual(['run/b/1/worker']);
  });

  it('aborts calls that do not answer in time, and the next owner repeats them', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    const first = processOn(clock, store);
    const run = start(first.orchestrator);
    await clock.settle();
    await clock.runUntil(first.orchestrator.close({ graceMs: 1_000 }));
    expect(clock.now()).toBe(1_000);
    expect(first.worker.calls.map(({ signal }) => signal.aborted)).toEqual([true]);
    expect((await run.done).reason).toMatch(/^stopped/);
    expect(await run.pause()).toEqual({ accepted: false, reason: 'detached' });
    const next = processOn(clock, store);
    const resumed = await next.orchestrator.resume('run');
    await clock.settle();
    expect(next.worker.calls.map(({ key }) => key)).toEqual(['run/a/1/worker']);
    await clock.runUntil(resumed.done);
  });

  it('has the last entry durable before it resolves', async () => {
    const clock = virtualClock();
    const inner = memoryStore();
    const quick = agentNamed('worker', (call) => clock.sleep(10, call.signal).then(() => 'x'));
    const { orchestrator } = processOn(clock, slowStore(clock, 500, inner), { agents: [quick] });
    const run = start(orchestrator);
    await clock.runUntil(() => quick.calls.length === 1);
    clock.advance(20);
    await clock.settle();
    await clock.runUntil(orchestrator.close({ graceMs: 5_000 }));
    expect((await run.done).successfulSteps).toEqual(['a']);
    expect(journalIn(inner, 'run')).toEqual(run.journal());
    expect(quick.calls).toHaveLength(1);
  });

  it('refuses to resume runs afterwards', async () => {
    const { clock, first } = rig();
    await first.orchestrator.close();
    expect(() => start(first.orchestrator)).toThrow(OrchestratorClosedError);
    await expect(first.orchestrator.resume('run')).rejects.toThrow(OrchestratorClosedError);
    expect(await first.orchestrator.recover()).toEqual([]);
    expect(() => first.orchestrator.recoverEvery(1_000)).toThrow(OrchestratorClosedError);
    expect(clock.pending()).toBe(0);
  });

  it('ends a run that is in no store', async () => {
    const clock = virtualClock();
    const worker = slowAgent('worker', clock, 100_000);
    const orchestrator = composeOrchestrator({ agents: [worker], clock }, undefined);
    const run = start(orchestrator);
    await clock.settle();
    await clock.runUntil(orchestrator.close({ graceMs: 100 }));
    expect((await run.done).reason).toMatch(/^stopped/);
    expect(worker.calls.map(({ signal }) => signal.aborted)).toEqual([true]);
    expect(clock.pending()).toBe(0);
  });
});
