import { describe, expect, it } from 'vitest';

import { StoreUnavailableError } from '../../src/errors.js';
import type { OrchestratorOptions } from '../../src/orchestrator/create-orchestrator.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import type { Agent } from '../../src/agents/agent.js';
import { definePolicy } from '../../src/policy/policy.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore } from '../../src/model/run-store.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { slowAgent, steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { factsOf, journalIn } from './runs.js';
import { slowStore } from './stores.js';

expectNothingUnhandled();

type Method = Exclude<keyof RunStore, 'watch' | 'close'>;

/** Loses the answer to the nth call of one method: after its effect, or before it. */
const losing = (
  inner: RunStore,
  method: Method,
  nth: number,
  effect: 'happened' | 'did not happen',
): RunStore => {
  let count = 0;
  const ask = inner[method] as (...parameters: unknown[]) => unknown;
  return {
    ...inner,
    [method]: (...parameters: unknown[]) => {
      count += 1;
      if (count !== nth) return ask(...parameters);
      if (effect === 'happened') void ask(...parameters);
      throw new StoreUnavailableError('The answer was lost');
    },
  };
};

const input = {
  goal: 'The goal',
  runId: 'run',
  plan: { steps: steps('a', 'b<a', 'c<b') },
};

const orchestratorOn = (
  clock: VirtualClock,
  store: RunStore,
  options: Partial<OrchestratorOptions<readonly Agent[]>> = {},
) => {
  const worker = slowAgent('worker', clock, 100);
  const errors: unknown[] = [];
  const orchestrator = composeOrchestrator(
    { agents: [worker], clock, store, onError: (error) => errors.push(error), ...options },
    undefined,
  );
  return { worker, errors, orchestrator };
};

/** The start, and an answer for each step. */
const ENTRIES = 4;

describe('a lost answer of the store', () => {
  for (const effect of ['happened', 'did not happen'] as const) {
    for (const speed of ['at once', 'later'] as const) {
      const storeOf = (clock: VirtualClock, inner: RunStore): RunStore =>
        speed === 'at once' ? inner : slowStore(clock, 5, inner);

      it(`to an append whose effect ${effect}, ${speed}: the run completes, and every call is made once`, async () => {
        for (let nth = 1; nth <= ENTRIES; nth += 1) {
          const clock = virtualClock();
          const inner = memoryStore();
          const store = storeOf(clock, losing(inner, 'append', nth, effect));
          const { worker, errors, orchestrator } = orchestratorOn(clock, store);
          const run = orchestrator.start(input);
          await clock.runUntil(run.done);
          expect((await run.done).status, `append ${nth}`).toBe('completed');
          expect(worker.calls.map(({ key }) => key)).toEqual([
            'run/a/1/worker',
            'run/b/1/worker',
            'run/c/1/worker',
          ]);
          expect(journalIn(inner, 'run').flatMap(({ facts }) => facts)).toEqual(factsOf(run));
          expect(errors).toHaveLength(1);
          expect(clock.pending()).toBe(0);
        }
      });

      for (const method of ['create', 'claim', 'renew'] as const) {
        it(`to ${method} whose effect ${effect}, ${speed}: the run starts, once`, async () => {
          const clock = virtualClock();
          const inner = memoryStore();
          const store = storeOf(clock, losing(inner, method, 1, effect));
          const { worker, orchestrator } = orchestratorOn(clock, store);
          const run = orchestrator.start(input);
          await clock.runUntil(run.done);
          expect((await run.done).status).toBe('completed');
          expect(worker.calls).toHaveLength(3);
        });
      }

      it(`to a command from another process whose posting ${effect}, ${speed}: it is executed and confirmed once`, async () => {
        const clock = virtualClock();
        const inner = memoryStore();
        const run = orchestratorOn(clock, inner).orchestrator.start(input);
        // Connected before the fault: loading that code takes real time, during which the run continues.
        let posting: RunStore = inner;
        const store: RunStore = { ...inner, post: (...parameters) => posting.post(...parameters) };
        const remote = await orchestratorOn(clock, store).orchestrator.connect('run');
        posting = storeOf(clock, losing(inner, 'post', 1, effect));
        const said = remote.say('Only once');
        await clock.runUntil(said);
        expect(await said).toEqual({ accepted: true });
        expect(run.record().conversation).toEqual(['Only once']);
        await clock.runUntil(run.done);
      });
    }
  }

  it('does not make an entry of another owner ours: content and token decide', async () => {
    const clock = virtualClock();
    const inner = memoryStore();
    let isLost = false;
    const store: RunStore = {
      ...inner,
      append: (runId, sequence, entries, options) => {
        if (sequence < 1 || isLost) return inner.append(runId, sequence, entries, options);
        // Another process has claimed the run and written its own entry at this position.
        isLost = true;
        const claim = inner.claim('run', 'another', Number.MAX_SAFE_INTEGER);
        const { token } = claim as { token: number };
        void inner.append(runId, sequence, [{ sequence, at: 7, kind: 'noted' }], { token });
        throw new StoreUnavailableError('The answer was lost');
      },
    };
    const { worker, orchestrator } = orchestratorOn(clock, store);
    const run = orchestrator.start(input);
    await clock.runUntil(run.done);
    expect((await run.done).reason).toMatch(/^taken-over: /);
    expect(worker.calls).toHaveLength(1);
    expect(factsOf(run)).toEqual(
      factsOf(run).filter(({ type }) => type !== 'step.completed' && type !== 'run.ended'),
    );
  });
});

describe('a store that is unavailable for three seconds', () => {
  const awayBetween = (clock: VirtualClock, fromMs: number, toMs: number): RunStore => {
    const inner = memoryStore();
    const entries = Object.entries(inner) as [string, (...parameters: unknown[]) => unknown][];
    const guarded = entries.map(([name, ask]) => [
      name,
      (...parameters: unknown[]) => {
        if (name !== 'watch' && clock.now() >= fromMs && clock.now() < toMs)
          throw new StoreUnavailableError('The store is away');
        return ask(...parameters);
      },
    ]);
    return Object.fromEntries(guarded) as RunStore;
  };

  it('loses no answer: the run continues when the store is back, and no call is repeated', async () => {
    const clock = virtualClock();
    const { worker, errors, orchestrator } = orchestratorOn(clock, awayBetween(clock, 50, 3_050), {
      policy: definePolicy({ limits: { maxParallel: 3 } }),
    });
    const plan = { steps: steps('a', 'b', 'c', 'd<a', 'e<d') };
    const run = orchestrator.start({ ...input, plan });
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
    expect(new Set(worker.calls.map(({ key }) => key)).size).toBe(5);
    expect(worker.calls).toHaveLength(5);
    expect(errors).toHaveLength(1);
  });

  it('refuses commands meanwhile with a message, and takes them afterwards', async () => {
    const clock = virtualClock();
    const { orchestrator } = orchestratorOn(clock, awayBetween(clock, 50, 3_050));
    const run = orchestrator.start(input);
    await clock.runUntil(() => clock.now() >= 1_000);
    const refused = await run.say('Now');
    expect(refused).toEqual({
      accepted: false,
      reason: expect.stringMatching(/^store-unavailable: .*try again/) as string,
    });
    await clock.runUntil(() => clock.now() >= 5_060 || run.record().status !== 'running');
    await clock.runUntil(run.done);
    expect(run.record().conversation).toEqual([]);
    expect((await run.done).status).toBe('completed');
  });

  it('is given up when it is unavailable for longer than storeRetryMs', async () => {
    const clock = virtualClock();
    const { orchestrator } = orchestratorOn(clock, awayBetween(clock, 50, 600_000), {
      durability: { storeRetryMs: 2_000 },
    });
    const run = orchestrator.start(input);
    await clock.runUntil(run.done);
    expect((await run.done).reason).toMatch(/^store-unavailable: /);
    expect(clock.now()).toBeGreaterThanOrEqual(2_100);
    expect(clock.now()).toBeLessThan(30_000);
    expect(clock.pending()).toBe(0);
  });
});
