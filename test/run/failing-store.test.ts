import { describe, expect, it } from 'vitest';

import type { Orchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore } from '../../src/model/run-store.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import type { TestAgent } from '../scenarios/team.js';
import { slowAgent, steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { factsOf, journalIn } from './runs.js';
import { fullStore, slowStore } from './stores.js';

expectNothingUnhandled();

interface Rig {
  readonly clock: VirtualClock;
  readonly worker: TestAgent;
  readonly errors: unknown[];
  readonly inner: RunStore;
  readonly orchestrator: Orchestrator;
}

const rigWith = (storeOf: (clock: VirtualClock, inner: RunStore) => RunStore): Rig => {
  const clock = virtualClock();
  const worker = slowAgent('worker', clock, 100);
  const errors: unknown[] = [];
  const inner = memoryStore();
  const store = storeOf(clock, inner);
  const orchestrator = composeOrchestrator(
    { agents: [worker], clock, store, onError: (error) => errors.push(error) },
    undefined,
  );
  return { clock, worker, errors, inner, orchestrator };
};

const input = {
  goal: 'The goal of the run',
  runId: 'run',
  plan: { steps: steps('a', 'b<a', 'c<a') },
};

/** Four entries: the start, and an answer for each step. */
const ENTRIES = 4;

describe('a store that fails', () => {
  for (const [name, storeOf] of [
    [
      'at once',
      (capacity: number) => (_: VirtualClock, inner: RunStore) => fullStore(capacity, inner),
    ],
    [
      'after a while',
      (capacity: number) => (clock: VirtualClock, inner: RunStore) =>
        slowStore(clock, 5, fullStore(capacity, inner)),
    ],
  ] as const) {
    for (let capacity = 0; capacity < ENTRIES; capacity += 1) {
      it(`${name}, with entry ${capacity}: ends the run, and no call is made that is not durable`, async () => {
        const { clock, worker, errors, inner, orchestrator } = rigWith(storeOf(capacity));
        const run = orchestrator.start(input);
        await clock.runUntil(run.done);
        const report = await run.done;

        expect(report.status).toBe('detached');
        expect(report.reason).toMatch(/^store-unavailable: /);
        expect(report.reason).toContain('No space left on device');
        expect(errors).toHaveLength(1);
        // Releasing the run takes a slow store time, too.
        clock.advance(5);
        await clock.settle();
        expect(clock.pending()).toBe(0);

        const stored = journalIn(inner, 'run');
        const intents = stored.flatMap((entry) => entry.intents);
        expect(stored).toHaveLength(capacity);
        expect(worker.calls.map(({ key }) => key)).toEqual(intents);
        expect([...report.failedSteps, ...report.cancelledSteps]).toEqual([]);
        expect(await run.say('Hello?')).toEqual({ accepted: false, reason: 'detached' });
      });
    }
  }

  it('does not lose durable entries: another orchestrator continues from there', async () => {
    const { clock, inner, orchestrator } = rigWith((_, kept) => fullStore(2, kept));
    const run = orchestrator.start(input);
    await clock.runUntil(run.done);

    const again = slowAgent('worker', clock, 100);
    const repaired = composeOrchestrator({ agents: [again], clock, store: inner }, undefined);
    const resumed = await repaired.resume('run');
    await clock.runUntil(resumed.done);
    expect(await resumed.done).toMatchObject({
      status: 'completed',
      successfulSteps: ['a', 'b', 'c'],
    });
    expect(again.calls.map(({ key }) => key)).toEqual(['run/b/1/worker', 'run/c/1/worker']);
  });

  it('releases its run: the same orchestrator can resume it', async () => {
    let capacity = 2;
    const { clock, orchestrator } = rigWith((_, kept) => ({
      ...kept,
      append: (runId, expectedSequence, entries, options) => {
        if (expectedSequence >= capacity) throw new Error('No space left on device');
        return kept.append(runId, expectedSequence, entries, options);
      },
    }));
    const run = orchestrator.start(input);
    await clock.runUntil(run.done);
    capacity = 100;
    const resumed = await orchestrator.resume('run');
    expect(resumed).not.toBe(run);
    await clock.runUntil(resumed.done);
    expect((await resumed.done).status).toBe('completed');
  });

  it('leads to a refusal of the command that it could not write', async () => {
    const { clock, orchestrator } = rigWith((_, kept) => fullStore(1, kept));
    const run = orchestrator.start(input);
    await clock.settle();
    expect(await run.pause()).toMatchObject({ accepted: false });
    expect(await run.done).toMatchObject({ status: 'detached' });
    expect(factsOf(run).filter(({ type }) => type === 'run.paused')).toEqual([]);
  });

  it('when the run is created makes `started` reject, and nothing is left of the run', async () => {
    const { clock, worker, orchestrator } = rigWith((_, kept) => ({
      ...kept,
      create: () => {
        throw new Error('Permission denied');
      },
    }));
    await expect(orchestrator.start(input).started).rejects.toThrow('Permission denied');
    await expect(orchestrator.start(input).started).rejects.toThrow('Permission denied');
    await clock.settle();
    expect(worker.calls).toEqual([]);
    expect(clock.pending()).toBe(0);
  });

  it('ends the fact streams of the run', async () => {
    const { clock, orchestrator } = rigWith((_, kept) => fullStore(3, kept));
    const run = orchestrator.start(input);
    const types = (async () => {
      const seen: string[] = [];
      for await (const fact of run.facts()) seen.push(fact.type);
      return seen;
    })();
    await clock.runUntil(types);
    expect((await types).length).toBeGreaterThan(0);
  });
});
