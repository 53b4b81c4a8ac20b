import { describe, expect, it } from 'vitest';

import {
  OrchestratorClosedError,
  RunConflictError,
  StoreUnavailableError,
} from '../../src/errors.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { memoryStore } from '../../src/services/memory-store.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { agentNamed, slowAgent, steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { describeEveryStore } from './every-store.js';
import { slowStore } from './stores.js';

expectNothingUnhandled();

const goal = 'The goal of the run';
const plan = { steps: steps('a') };
const worker = agentNamed('worker', () => 'done');

describeEveryStore('started', (open) => {
  it('resolves when the first entry can be read by another process', async () => {
    const [store, other] = await open();
    const run = composeOrchestrator({ agents: [worker], store }, undefined).start({ goal, plan });
    await run.started;
    const stored = await other.read(run.runId);
    expect(stored?.entries.length).toBeGreaterThan(0);
    await run.done;
  });

  it('rejects with RunConflictError when the id is in the store, and no agent is called', async () => {
    const [store, other] = await open();
    const input = { goal, plan, runId: 'run' };
    const first = composeOrchestrator({ agents: [worker], store }, undefined).start(input);
    await first.done;
    const idle = agentNamed('worker', () => 'done');
    const second = composeOrchestrator({ agents: [idle], store: other }, undefined).start(input);
    await expect(second.started).rejects.toBeInstanceOf(RunConflictError);
    expect((await second.done).reason).toMatch(/^not-started: RunConflictError: /);
    expect(idle.calls).toEqual([]);
  });
});

describe('started', () => {
  it('resolves at once without a store', async () => {
    const clock = virtualClock();
    const slow = slowAgent('worker', clock, 100);
    const run = composeOrchestrator({ agents: [slow], clock }, undefined).start({ goal, plan });
    await run.started;
    expect(run.journal().length).toBeGreaterThan(0);
    await clock.runUntil(run.done);
  });

  for (const [name, store] of [
    ['without a store', undefined],
    ['in a store', memoryStore()],
  ] as const) {
    it(`rejects with RunConflictError when the run is live in this process, ${name}`, async () => {
      const clock = virtualClock();
      const slow = slowAgent('worker', clock, 100);
      const options = { agents: [slow], clock, ...(store && { store }) };
      const orchestrator = composeOrchestrator(options, undefined);
      const input = { goal, plan, runId: 'run' };
      const first = orchestrator.start(input);
      const second = orchestrator.start(input);
      await expect(second.started).rejects.toBeInstanceOf(RunConflictError);
      await first.started;
      expect((await second.done).reason).toMatch(/^not-started: /);
      expect(await orchestrator.resume('run')).toBe(first);
      await clock.runUntil(first.done);
      expect((await first.done).status).toBe('completed');
    });
  }

  it('resolves after the answer of a slow store, not before', async () => {
    const clock = virtualClock();
    const store = slowStore(clock, 50);
    const slow = slowAgent('worker', clock, 100);
    const run = composeOrchestrator({ agents: [slow], clock, store }, undefined).start({
      goal,
      plan,
    });
    let startedAt: number | undefined;
    void run.started.then(() => {
      startedAt = clock.now();
    });
    await clock.runUntil(run.started);
    // The lease, the header and the first entry, one after the other.
    expect(startedAt).toBe(150);
    await clock.runUntil(run.done);
  });

  it('rejects with StoreUnavailableError when the store stays away, and may be ignored', async () => {
    const clock = virtualClock();
    const store = {
      ...memoryStore(),
      create: () => {
        throw new StoreUnavailableError('The network is gone');
      },
    };
    const options = { agents: [worker], clock, store, durability: { storeRetryMs: 1_000 } };
    const orchestrator = composeOrchestrator(options, undefined);
    const [run, ignored] = [1, 2].map(() => orchestrator.start({ goal, plan }));
    await clock.runUntil(ignored!.done);
    await expect(run!.started).rejects.toBeInstanceOf(StoreUnavailableError);
    expect((await ignored!.done).reason).toMatch(/^store-unavailable: StoreUnavailableError: /);
  });

  it('rejects with OrchestratorClosedError when the run was not durable at the end of close', async () => {
    const clock = virtualClock();
    const store = { ...memoryStore(), create: () => new Promise<void>(() => undefined) };
    const orchestrator = composeOrchestrator({ agents: [worker], clock, store }, undefined);
    const run = orchestrator.start({ goal, plan });
    await clock.runUntil(orchestrator.close({ graceMs: 10 }));
    await expect(run.started).rejects.toBeInstanceOf(OrchestratorClosedError);
  });

  it('is resolved for a resumed run', async () => {
    const store = memoryStore();
    const input = { goal, plan, runId: 'run' };
    await composeOrchestrator({ agents: [worker], store }, undefined).start(input).done;
    const resumed = await composeOrchestrator({ agents: [worker], store }, undefined).resume('run');
    await resumed.started;
    expect((await resumed.done).status).toBe('completed');
  });
});
