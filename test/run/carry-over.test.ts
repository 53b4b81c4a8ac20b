import { describe, expect, it } from 'vitest';

import { JournalMismatchError, RunClaimedError } from '../../src/errors.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { Policy } from '../../src/policy/policy.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore } from '../../src/model/run-store.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { slowAgent, steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { factsOf, journalIn, storeWith } from './runs.js';

expectNothingUnhandled();

const rigOn = (clock: VirtualClock, store: RunStore, policy: Policy) => {
  const worker = slowAgent('worker', clock, 100);
  const planned: string[] = [];
  const orchestrator = composeOrchestrator(
    {
      agents: [worker],
      planner: ({ key }) => {
        planned.push(key);
        return { steps: steps('a', 'b<a', 'c<b') };
      },
      clock,
      store,
      policy,
    },
    undefined,
  );
  return { worker, planned, orchestrator };
};

/** A run whose first step is completed and whose second is in flight when its process dies. */
const halfDone = async (clock: VirtualClock) => {
  const store = memoryStore();
  const { orchestrator } = rigOn(clock, store, definePolicy());
  const run = orchestrator.start({ goal: 'The goal', runId: 'run' });
  await clock.settle();
  clock.advance(150);
  await clock.settle();
  return storeWith(store, 'run', run.journal().length);
};

/** The same work, but the plan needs an approval first, which no answer grants: the facts differ. */
const other = definePolicy({ approval: { plan: true, timeoutMs: 10, onTimeout: 'approve' } });

describe('a run whose facts would differ under the current policy', () => {
  it('is carried over on request: completed steps are not called again, and both runs name each other', async () => {
    const clock = virtualClock();
    const store = await halfDone(clock);
    const { worker, planned, orchestrator } = rigOn(clock, store, other);
    await expect(orchestrator.resume('run')).rejects.toThrow(JournalMismatchError);
    const run = await orchestrator.resume('run', { carryOver: true });
    expect(run.runId).toBe('run-2');
    await clock.runUntil(run.done);
    const report = await run.done;
    expect(report).toMatchObject({ status: 'completed', successfulSteps: ['a', 'b', 'c'] });
    expect(planned).toEqual([]);
    expect(worker.calls.map(({ key }) => key)).toEqual(['run-2/b/1/worker', 'run-2/c/1/worker']);
    expect(report.steps[0]?.output).toBe('worker did a');

    const [before, after] = [await store.read('run'), await store.read('run-2')];
    expect(before?.ended).toBe(true);
    expect(journalIn(store, 'run').at(-1)?.facts).toMatchObject([
      { type: 'run.ended', status: 'failed', reason: 'carried-over: run-2' },
    ]);
    expect(after?.header.carriedFrom).toBe('run');
    // Its own charts can replay all of it except its end, which they do not know.
    const replay = await rigOn(clock, store, definePolicy()).orchestrator.replay('run');
    expect(replay.mismatch).toBeNull();
    expect(replay.facts.at(-1)?.type).toBe('run.ended');
    expect(factsOf(run).map(({ sequence }) => sequence)).toEqual(
      factsOf(run).map((_, index) => index + 1),
    );
  });

  it('continues with its carried-over work when its process dies', async () => {
    const clock = virtualClock();
    const store = await halfDone(clock);
    const first = rigOn(clock, store, other);
    await first.orchestrator.resume('run', { carryOver: true });
    await clock.runUntil(first.orchestrator.close({ graceMs: 0 }));
    const second = rigOn(clock, store, other);
    const run = await second.orchestrator.resume('run-2');
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
    expect(
      [...first.worker.calls, ...second.worker.calls].map(({ step }) => step.id),
    ).not.toContain('a');
  });

  it('is carried over once, though its process died after the successor was created', async () => {
    const clock = virtualClock();
    const store = await halfDone(clock);
    const dying = rigOn(
      clock,
      {
        ...store,
        append: () => {
          throw new Error('The process is dead');
        },
      },
      other,
    );
    await expect(dying.orchestrator.resume('run', { carryOver: true })).rejects.toThrow('dead');
    const { orchestrator } = rigOn(clock, store, other);
    expect((await orchestrator.resume('run', { carryOver: true })).runId).toBe('run-2');
    expect(await store.read('run-3')).toBeUndefined();
  });

  it('is not carried over while it has an owner, nor when it can be resumed', async () => {
    const clock = virtualClock();
    const store = await halfDone(clock);
    const owner = rigOn(clock, store, definePolicy());
    const run = await owner.orchestrator.resume('run', { carryOver: true });
    expect(run.runId).toBe('run');
    await expect(
      rigOn(clock, store, other).orchestrator.resume('run', { carryOver: true }),
    ).rejects.toThrow(RunClaimedError);
    expect(await store.read('run-2')).toBeUndefined();
    await run.abort();
  });
});

describe('recover() with carryOver', () => {
  it('carries over the runs that it cannot resume, and only those', async () => {
    const clock = virtualClock();
    const store = await halfDone(clock);
    const { worker, orchestrator } = rigOn(clock, store, other);
    expect(await orchestrator.recover()).toEqual([]);
    const [run, ...more] = await orchestrator.recover({ carryOver: true });
    expect(more).toEqual([]);
    expect(run?.runId).toBe('run-2');
    await clock.runUntil(run?.done ?? Promise.resolve());
    expect(worker.calls.map(({ step }) => step.id)).toEqual(['b', 'c']);
    expect(await orchestrator.recover({ carryOver: true })).toEqual([]);
  });

  it('is passed on by recoverEvery()', async () => {
    const clock = virtualClock();
    const store = await halfDone(clock);
    const { worker, orchestrator } = rigOn(clock, store, other);
    const stop = orchestrator.recoverEvery(1_000, { carryOver: true });
    for (let second = 0; second < 3; second += 1) {
      await clock.settle();
      clock.advance(1_000);
    }
    await clock.settle();
    stop();
    expect((await store.read('run'))?.ended).toBe(true);
    expect((await store.read('run-2'))?.ended).toBe(true);
    expect(worker.calls.map(({ step }) => step.id)).toEqual(['b', 'c']);
  });
});
