import { describe, expect, it } from 'vitest';

import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import type { Orchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { slowAgent, steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';

expectNothingUnhandled();

const DAY_MS = 86_400_000;

const setup = () => {
  const clock = virtualClock();
  const store = memoryStore();
  const make = (): Orchestrator =>
    composeOrchestrator({ agents: [slowAgent('worker', clock, 100)], clock, store }, undefined);
  return { clock, store, make, orchestrator: make() };
};

const finish = async (orchestrator: Orchestrator, clock: VirtualClock, runId: string) => {
  const run = orchestrator.start({ goal: 'G', runId, plan: { steps: steps('a') } });
  await clock.runUntil(run.done);
};

describe('delete', () => {
  it('removes a run that has ended, once', async () => {
    const { orchestrator, clock, store } = setup();
    await finish(orchestrator, clock, 'run');
    expect(await orchestrator.delete('run')).toBe(true);
    expect(await store.read('run')).toBeUndefined();
    expect(await orchestrator.delete('run')).toBe(false);
    await expect(orchestrator.resume('run')).rejects.toMatchObject({ code: 'run-not-found' });
  });

  it('refuses a run that has an owner, here or in another process', async () => {
    const { orchestrator, make, clock, store } = setup();
    const run = orchestrator.start({ goal: 'G', runId: 'run', plan: { steps: steps('a') } });
    await expect(orchestrator.delete('run')).rejects.toMatchObject({ code: 'run-conflict' });
    await expect(make().delete('run')).rejects.toMatchObject({ code: 'already-claimed' });
    expect(await store.read('run')).toBeDefined();
    await clock.runUntil(run.done);
    expect(await run.done).toMatchObject({ status: 'completed' });
  });

  it('removes a run whose process died', async () => {
    const { make, clock, store, orchestrator } = setup();
    const dead = orchestrator.start({ goal: 'G', runId: 'run', plan: { steps: steps('a') } });
    const closed = orchestrator.close({ graceMs: 0 });
    await clock.runUntil(dead.done);
    await closed;
    expect((await store.read('run'))?.ended).toBe(false);
    expect(await make().delete('run')).toBe(true);
    expect(await store.read('run')).toBeUndefined();
  });

  it('needs a store', async () => {
    const clock = virtualClock();
    const orchestrator = composeOrchestrator(
      { agents: [slowAgent('worker', clock, 1)], clock },
      undefined,
    );
    await expect(orchestrator.delete('run')).rejects.toMatchObject({ code: 'run-not-found' });
  });
});

describe('deleteEnded', () => {
  it('removes runs that ended long ago, and nothing else, in pages of any size', async () => {
    for (const pageSize of [1, 2, 3, 100]) {
      const { orchestrator, clock, store } = setup();
      for (const runId of ['old-1', 'old-2', 'old-3']) await finish(orchestrator, clock, runId);
      // Began long ago and ended just now: the end counts.
      const long = orchestrator.start({ goal: 'G', runId: 'long', plan: { steps: steps('a') } });
      await long.pause();
      clock.advance(DAY_MS / 2);
      await clock.settle();
      await finish(orchestrator, clock, 'new');
      clock.advance(DAY_MS);
      const running = orchestrator.start({
        goal: 'G',
        runId: 'running',
        plan: { steps: steps('a') },
      });
      expect(await orchestrator.deleteEnded({ olderThanMs: 2 * DAY_MS, pageSize })).toBe(0);
      const keptLong = (await store.read('long'))?.entries.at(-1)?.at ?? 0;
      const old = (await store.read('old-3'))?.entries.at(-1)?.at ?? 0;
      expect(keptLong).toBeGreaterThan(old);
      const olderThanMs = clock.now() - keptLong;
      expect(await orchestrator.deleteEnded({ olderThanMs, pageSize })).toBe(3);
      const left = (await store.list()).map(({ header }) => header.runId);
      expect(left).toEqual(['long', 'new', 'running']);
      await clock.runUntil(running.done);
    }
  });

  it('refuses an invalid age, with all issues', async () => {
    const { orchestrator } = setup();
    for (const olderThanMs of [-1, Number.NaN, 1.5, '1', undefined]) {
      const refusal = orchestrator.deleteEnded({ olderThanMs: olderThanMs as never, pageSize: 0 });
      await expect(refusal).rejects.toMatchObject({
        code: 'invalid-configuration',
        issues: [{ path: 'olderThanMs' }, { path: 'pageSize' }],
      });
    }
  });
});
