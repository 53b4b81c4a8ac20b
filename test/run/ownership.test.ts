import { describe, expect, it } from 'vitest';

import { StoreUnavailableError } from '../../src/errors.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore } from '../../src/model/run-store.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { agentNamed, slowAgent, steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { processOn } from './processes.js';
import { journalIn } from './runs.js';

expectNothingUnhandled();

const LEASE_MS = 30_000;

const START = { goal: 'The goal', runId: 'run', plan: { steps: steps('a', 'b<a') } };

/** Counts the calls of every method. */
const counted = (
  inner: RunStore,
): { readonly store: RunStore; readonly counts: Map<string, number> } => {
  const counts = new Map<string, number>();
  const methods = Object.entries(inner) as [string, (...parameters: unknown[]) => unknown][];
  const store = Object.fromEntries(
    methods.map(([name, ask]) => [
      name,
      (...parameters: unknown[]) => {
        counts.set(name, (counts.get(name) ?? 0) + 1);
        return ask(...parameters);
      },
    ]),
  ) as unknown as RunStore;
  return { store, counts };
};

const unwatched = (inner: RunStore): RunStore => {
  const copy = { ...inner };
  delete copy.watch;
  return copy;
};

describe('a process that slept past its lease', () => {
  it.each([
    { caller: 'an agent', isRedacted: false, isPlanned: false },
    { caller: 'an agent of a team that redacts', isRedacted: true, isPlanned: false },
    { caller: 'a planner', isRedacted: false, isPlanned: true },
    { caller: 'a planner of a team that redacts', isRedacted: true, isPlanned: true },
  ])(
    'makes no call of $caller that was answered meanwhile by the process that took over',
    async ({ isRedacted, isPlanned }) => {
      const clock = virtualClock({ startMs: 1_000_000 });
      const inner = memoryStore();
      // The answer to an append is read only when the process wakes.
      let wake: () => void = () => undefined;
      let isAsleep = false;
      const sleepy: RunStore = {
        ...inner,
        renew: (...parameters) =>
          isAsleep ? new Promise<never>(() => undefined) : inner.renew(...parameters),
        append: async (...parameters) => {
          await inner.append(...parameters);
          if (parameters[1] !== 0) return;
          isAsleep = true;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        },
      };
      const { plan, ...unplanned } = START;
      let plannerCalls = 0;
      const options = {
        ...(isRedacted ? { redact: (text: string) => text } : {}),
        planner: () => {
          plannerCalls += 1;
          return plan;
        },
      };
      const sleeper = processOn(clock, sleepy, options);
      const run = sleeper.orchestrator.start(isPlanned ? unplanned : START);
      await clock.settle();
      clock.advance(LEASE_MS + 1);
      const agents = [slowAgent('worker', clock, 1)];
      const other = processOn(clock, inner, { ...options, agents });
      const taken = await other.orchestrator.resume('run');
      await clock.runUntil(taken.done);
      expect((await taken.done).status).toBe('completed');

      isAsleep = false;
      wake();
      await clock.runUntil(run.done);
      expect((await run.done).reason).toMatch(/^taken-over: /);
      expect(sleeper.worker.calls).toEqual([]);
      expect(plannerCalls).toBe(isPlanned ? 1 : 0);
    },
  );

  it('keeps its run when no other process has claimed it, and makes the call late', async () => {
    const clock = virtualClock({ startMs: 1_000_000 });
    const inner = memoryStore();
    let isAway = false;
    const { orchestrator, worker } = processOn(clock, {
      ...inner,
      renew: (...parameters) => {
        if (isAway) throw new Error('The process sleeps');
        return inner.renew(...parameters);
      },
    });
    isAway = false;
    const run = orchestrator.start(START);
    await clock.settle();
    isAway = true;
    clock.advance(99_999);
    await clock.settle();
    isAway = false;
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
    expect(worker.calls).toHaveLength(2);
  });
});

describe('a poison run', () => {
  it('is failed alone: other runs of its processes complete or continue to wait', async () => {
    const clock = virtualClock({ startMs: 1_000_000 });
    const store = memoryStore();
    const policy = definePolicy({
      time: { stepTimeoutMs: 3_600_000, limitMs: 86_400_000 },
      approval: { agents: ['guarded'], timeoutMs: 80_000_000 },
    });
    let victim: { kill: () => void } | undefined;
    const poison = agentNamed('poison', () => {
      victim?.kill();
      return new Promise(() => undefined);
    });
    // Slow enough to be in flight whenever the poison run kills the process.
    const slow = slowAgent('slow', clock, 60_000);
    const guarded = slowAgent('guarded', clock, 1);
    const next = () => {
      const born = processOn(clock, store, { agents: [poison, slow, guarded], policy });
      victim = born;
      return born;
    };
    const planFor = (agent: string) => ({ steps: [{ id: 'a', task: 'Work', agent }] });
    let process = next();
    for (let index = 0; index < 10; index += 1) {
      process.orchestrator.start({ goal: 'G', runId: `slow-${index}`, plan: planFor('slow') });
      process.orchestrator.start({ goal: 'G', runId: `waits-${index}`, plan: planFor('guarded') });
    }
    process.orchestrator.start({ goal: 'G', runId: 'poison', plan: planFor('poison') });
    for (let life = 0; life < 40; life += 1) {
      await clock.settle();
      clock.advance(LEASE_MS + 1);
      process = next();
      const stop = process.orchestrator.recoverEvery(1_000);
      // The process lives until the poison run is tried again, or for as long as the slow runs take.
      for (let tick = 0; tick < 15; tick += 1) {
        clock.advance(50_000);
        await clock.settle();
      }
      stop();
      if ((await store.read('poison'))?.ended === true) break;
    }
    const endOf = (runId: string): unknown =>
      journalIn(store, runId)
        .flatMap(({ facts }) => facts)
        .find(({ type }) => type === 'run.ended');
    expect(endOf('poison')).toMatchObject({ status: 'failed', reason: 'max-recoveries' });
    for (let index = 0; index < 10; index += 1) {
      expect(endOf(`slow-${index}`), `slow-${index}`).toMatchObject({ status: 'completed' });
      expect(endOf(`waits-${index}`), `waits-${index}`).toBeUndefined();
    }
    process.kill();
  });
});

describe('a run that only waits for a person', () => {
  it('is not failed, however many processes die with it', async () => {
    const clock = virtualClock({ startMs: 1_000_000 });
    const store = memoryStore();
    const policy = definePolicy({
      approval: { agents: ['worker'], timeoutMs: 80_000_000 },
      time: { limitMs: 86_400_000 },
    });
    let process = processOn(clock, store, { policy });
    process.orchestrator.start(START);
    for (let death = 1; death <= 8; death += 1) {
      await clock.settle();
      process.kill();
      clock.advance(LEASE_MS + 1);
      process = processOn(clock, store, { policy });
      const [run] = await process.orchestrator.recover();
      expect(run?.record().status, `death ${death}`).toBe('running');
    }
    process.kill();
  });
});

describe('recover()', () => {
  it('does not read runs that another process owns', async () => {
    const clock = virtualClock({ startMs: 1_000_000 });
    const inner = memoryStore();
    const owner = processOn(clock, inner);
    for (let index = 0; index < 100; index += 1)
      owner.orchestrator.start({ ...START, runId: `run-${index}` });
    await clock.settle();
    const { store, counts } = counted(inner);
    const other = processOn(clock, store);
    expect(await other.orchestrator.recover()).toEqual([]);
    expect(Object.fromEntries(counts)).toEqual({ claimable: 1 });
    owner.kill();
  });

  it('resumes a run whose claim succeeded although the answer was lost', async () => {
    const clock = virtualClock({ startMs: 1_000_000 });
    const inner = memoryStore();
    const first = processOn(clock, inner);
    first.orchestrator.start(START);
    await clock.settle();
    await clock.runUntil(first.orchestrator.close({ graceMs: 0 }));
    let claims = 0;
    const store: RunStore = {
      ...inner,
      claim: (...parameters) => {
        const claim = inner.claim(...parameters);
        claims += 1;
        if (claims === 1) throw new StoreUnavailableError('The answer was lost');
        return claim;
      },
    };
    const other = processOn(clock, store);
    // Its own run keeps its lease alive, and with it the claim that it does not know of.
    other.orchestrator.start({ ...START, runId: 'own' });
    expect(await other.orchestrator.recover()).toEqual([]);
    expect((await other.orchestrator.recover()).map(({ runId }) => runId)).toEqual(['run']);
    other.kill();
  });

  it('tries a run that it cannot resume once, not on every pass', async () => {
    const clock = virtualClock({ startMs: 1_000_000 });
    const inner = memoryStore();
    const first = processOn(clock, inner);
    first.orchestrator.start(START);
    await clock.settle();
    await clock.runUntil(first.orchestrator.close({ graceMs: 0 }));
    const { store, counts } = counted(inner);
    const other = processOn(clock, store, {
      policy: definePolicy({ approval: { agents: ['worker'] } }),
    });
    for (let pass = 0; pass < 3; pass += 1) expect(await other.orchestrator.recover()).toEqual([]);
    expect(counts.get('claim')).toBe(1);
    expect(other.errors).toHaveLength(1);
    await expect(other.orchestrator.resume('run')).rejects.toThrow('cannot be resumed here');
  });
});

describe('waiting runs', () => {
  it('cost the store the same, however many there are', async () => {
    const costOf = async (count: number): Promise<Record<string, number>> => {
      const clock = virtualClock({ startMs: 1_000_000 });
      const { store, counts } = counted(unwatched(memoryStore()));
      const policy = definePolicy({ approval: { agents: ['worker'], timeoutMs: 80_000_000 } });
      const { orchestrator, kill } = processOn(clock, store, { policy });
      for (let index = 0; index < count; index += 1)
        orchestrator.start({ ...START, runId: `run-${index}` });
      await clock.settle();
      counts.clear();
      for (let second = 0; second < 60; second += 1) {
        clock.advance(1_000);
        await clock.settle();
      }
      kill();
      return Object.fromEntries(counts);
    };
    const few = await costOf(1);
    expect(few).toEqual({ renew: 6, owned: 60 });
    expect(await costOf(200)).toEqual(few);
  });
});

describe('onError', () => {
  it('may throw or reject while the store fails: done still resolves', async () => {
    for (const onError of [
      () => {
        throw new Error('The logger is broken');
      },
      (): unknown => Promise.reject(new Error('The logger is broken')),
    ]) {
      const clock = virtualClock();
      const store: RunStore = {
        ...memoryStore(),
        append: () => {
          throw new Error('No space left on device');
        },
      };
      const orchestrator = composeOrchestrator(
        { agents: [slowAgent('worker', clock, 1)], clock, store, onError },
        undefined,
      );
      const run = orchestrator.start(START);
      await clock.runUntil(run.done);
      expect((await run.done).reason).toContain('No space left on device');
    }
  });
});
