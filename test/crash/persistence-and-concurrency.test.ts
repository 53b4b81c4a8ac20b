import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';

import { PlanwrightError } from '../../src/errors.js';
import type { Orchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { rebuiltFromCopies } from '../../src/run/replayed-run.js';
import type { Run } from '../../src/run/run.types.js';
import { definePolicy } from '../../src/policy/policy.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore } from '../../src/model/run-store.js';
import { sqliteStore } from '../../src/services/stores/sqlite/sqlite-store.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { agreeTo, referenceTeam, startReference } from '../run/reference-run.js';
import { journalIn, storeWith } from '../run/runs.js';
import { slowStore } from '../run/stores.js';
import { agentNamed, slowAgent, steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { temporaryFolder } from '../stores/temporary-folder.js';
import { timeless } from './restarts.js';

/*
 * Persistence and concurrency tests that need no process of their own. README.md in this folder says where the others
 * are.
 */

expectNothingUnhandled();

const folder = temporaryFolder();
afterAll(folder.dispose);

/** The reference run in a store, played to its end. */
const played = async (store: RunStore = memoryStore()) => {
  const clock = virtualClock();
  const run = startReference(clock, [], store);
  await clock.runUntil(run.done);
  return { store, report: await run.done, journal: run.journal() };
};

/** Resumes the reference run and plays it to its end, in a process that began after the other had died. */
const takenUp = async (store: RunStore, startMs: number) => {
  const clock = virtualClock({ startMs });
  const calls: string[] = [];
  const orchestrator = composeOrchestrator(
    { ...referenceTeam(clock, calls), store: store },
    undefined,
  );
  const run = await orchestrator.resume('run');
  agreeTo(run, clock);
  await clock.runUntil(run.done);
  return { report: await run.done, calls, clock };
};

describe('persistence', () => {
  it('with a store that takes 5 seconds for every write no call is made before its intent is durable', async () => {
    const clock = virtualClock();
    const inner = memoryStore();
    const store = slowStore(clock, 5_000, inner);
    const worker = agentNamed('worker', ({ key }) => {
      const durable = journalIn(inner, 'run').flatMap(({ intents }) => intents);
      expect(durable, key).toContain(key);
      return 'done';
    });
    const orchestrator = composeOrchestrator({ agents: [worker], clock, store }, undefined);
    const plan = { steps: steps('a', 'b<a', 'c') };
    const run = orchestrator.start({ goal: 'G', runId: 'run', plan });
    await clock.runUntil(run.done);
    expect(worker.calls).toHaveLength(3);
  });

  it.each([
    ['nothing', ''],
    ['an empty object', '{}'],
    ['null', 'null'],
    ['an empty list', '[]'],
    ['a web page', '<!doctype html><title>Not found</title>'],
    ['other JSON', '{"header":{"runId":"run"},"entries":[]}'],
  ])('a file that holds %s is refused with a typed error, and is not changed', (_, content) => {
    const path = folder.newPath();
    writeFileSync(path, content);
    let refusal: unknown;
    try {
      sqliteStore({ path });
    } catch (error) {
      refusal = error;
    }
    expect(PlanwrightError.isInstance(refusal)).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  it('a run of other charts or another policy is refused before anything is changed', async () => {
    const { store, journal } = await played();
    const half = await storeWith(store, 'run', Math.floor(journal.length / 2));
    const before = JSON.stringify(await half.read('run'));
    const clock = virtualClock();
    const calls: string[] = [];
    const policy = definePolicy({ limits: { maxAttempts: 5 } });
    const team = { ...referenceTeam(clock, calls), store: half, policy };
    await expect(composeOrchestrator(team, undefined).resume('run')).rejects.toMatchObject({
      code: 'journal-mismatch',
    });
    expect(calls).toEqual([]);
    expect(JSON.stringify(await half.read('run'))).toBe(before);
  });

  it('a leftover of a crash during the creation of a file is not taken for the file', async () => {
    const path = folder.newPath();
    writeFileSync(`${path}.new-1`, 'half of a file');
    writeFileSync(`${path}.new-2`, '');
    const { report } = await played(sqliteStore({ path }));
    expect(report.status).toBe('completed');
    const names = readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)));
    expect(names).toContain(basename(path));
    expect(existsSync(path)).toBe(true);
  });

  it('a run that has ended returns its report without a call, however it ended', async () => {
    for (const end of ['completed', 'failed', 'aborted'] as const) {
      const clock = virtualClock();
      const store = memoryStore();
      const worker = agentNamed('worker', async ({ signal }) => {
        await clock.sleep(10, signal);
        if (end === 'failed') throw new Error('Never');
        return 'done';
      });
      const team = { agents: [worker], clock, store };
      const run = composeOrchestrator(team, undefined).start({
        goal: 'G',
        runId: 'run',
        plan: { steps: steps('a') },
      });
      if (end === 'aborted') void run.abort();
      await clock.runUntil(run.done);
      const report = await run.done;
      expect(report.status).toBe(end);
      const before = worker.calls.length;
      const again = await (await composeOrchestrator(team, undefined).resume('run')).done;
      expect(again).toEqual(report);
      expect(worker.calls).toHaveLength(before);
    }
  });

  it('a run that is resumed and released 100 times stays unchanged, byte for byte', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    const make = () =>
      composeOrchestrator({ agents: [slowAgent('worker', clock, 100)], clock, store }, undefined);
    const leave = async (run: Run, orchestrator: Orchestrator): Promise<void> => {
      const closed = orchestrator.close({ graceMs: 0 });
      await clock.runUntil(run.done);
      await closed;
    };
    const first = make();
    const plan = { steps: steps('a', 'b<a') };
    const started = first.start({ goal: 'G', runId: 'run', plan });
    await clock.settle();
    await leave(started, first);
    const before = JSON.stringify(await store.read('run'));
    for (let time = 0; time < 100; time += 1) {
      const next = make();
      await leave(await next.resume('run'), next);
    }
    expect(JSON.stringify(await store.read('run'))).toBe(before);
    const run = await make().resume('run');
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
  });

  it('a run that is rebuilt from a JSON copy of its journal after every entry gives the same report', async () => {
    const { report } = await played();
    const clock = virtualClock();
    const orchestrator = composeOrchestrator(
      { ...referenceTeam(clock, []), store: memoryStore() },
      rebuiltFromCopies((value) => JSON.parse(JSON.stringify(value)) as never),
    );
    const run = orchestrator.start({ goal: 'The goal of the run', runId: 'run' });
    agreeTo(run, clock);
    await clock.runUntil(run.done);
    expect(await run.done).toEqual(report);
  });

  it('a journal of 300 steps is at most three times one of 100', async () => {
    const sizeOf = async (count: number): Promise<number> => {
      const clock = virtualClock();
      const store = memoryStore();
      const worker = agentNamed('worker', ({ step }) => `${step.id} ${'x'.repeat(200)}`);
      const plan = { steps: steps(...Array.from({ length: count }, (_, index) => `s${index}`)) };
      const policy = definePolicy({ limits: { maxSteps: 1_000 } });
      const orchestrator = composeOrchestrator(
        { agents: [worker], clock, store, policy },
        undefined,
      );
      const run = orchestrator.start({ goal: 'G', runId: 'run', plan });
      await clock.runUntil(run.done);
      return JSON.stringify((await store.read('run'))?.entries).length;
    };
    expect(await sizeOf(300)).toBeLessThan(3.1 * (await sizeOf(100)));
  });

  it('a run gives the same report from every stored state, or none', async () => {
    const { store, journal, report } = await played();
    const stored = await store.read('run');
    if (stored === undefined) throw new Error('The run is stored');
    const count = Math.floor(journal.length / 2);
    const at = journal[count - 1]?.at ?? 0;
    // As if the process had died before its first state was saved.
    const bare = await storeWith(store, 'run', count);
    expect(timeless((await takenUp(bare, at)).report)).toEqual(timeless(report));
    // As if it had died while a state was being saved: the state is invalid.
    const damaged: RunStore = {
      ...(await storeWith(store, 'run', count)),
    };
    const read = damaged.read.bind(damaged);
    const half: RunStore = {
      ...damaged,
      read: async (runId) => {
        const whole = await read(runId);
        return whole && { ...whole, state: { sequence: count, body: { half: 'a state' } } };
      },
    };
    expect(timeless((await takenUp(half, at)).report)).toEqual(timeless(report));
  });

  it('a run without a call in flight is not failed because its processes died', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    const worker = slowAgent('worker', clock, 1);
    const make = () =>
      composeOrchestrator(
        { agents: [worker], clock, store, durability: { leaseMs: 1_000 } },
        undefined,
      );
    const plan = { steps: steps('a') };
    // A process that dies no longer renews its lease; without a process to kill, its claim is left to end.
    await store.create(await headerOf(plan));
    for (let life = 0; life <= 5; life += 1) {
      await store.renew(`owner-${life}`, 1_000, clock.now());
      await store.claim('run', `owner-${life}`, clock.now());
      clock.advance(1_001);
    }
    const run = await make().resume('run');
    await clock.runUntil(run.done);
    expect(await run.done).toMatchObject({ status: 'completed' });
    expect(worker.calls).toHaveLength(1);
  });
});

/** The header of a run without any other entry. */
const headerOf = async (plan: { readonly steps: ReturnType<typeof steps> }) => {
  const clock = virtualClock();
  const store = memoryStore();
  const silent = agentNamed('worker', () => new Promise(() => undefined));
  const orchestrator = composeOrchestrator({ agents: [silent], clock, store }, undefined);
  const run = orchestrator.start({ goal: 'G', runId: 'run', plan });
  void run.abort();
  await clock.runUntil(run.done);
  const stored = await store.read('run');
  if (stored === undefined) throw new Error('The run is stored');
  return stored.header;
};

describe('concurrency', () => {
  it('an owner is a random name, so a reused process id owns nothing', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    const owners = new Set<string>();
    const watched: typeof store = {
      ...store,
      renew: (owner, leaseMs, now) => {
        owners.add(owner);
        return store.renew(owner, leaseMs, now);
      },
    };
    for (let index = 0; index < 20; index += 1) {
      const orchestrator = composeOrchestrator(
        { agents: [slowAgent('worker', clock, 1)], clock, store: watched },
        undefined,
      );
      const plan = { steps: steps('a') };
      const run = orchestrator.start({ goal: 'G', runId: `run-${index}`, plan });
      await clock.runUntil(run.done);
    }
    expect(owners.size).toBe(20);
    for (const owner of owners) expect(owner).not.toContain(String(process.pid));
  });

  it('the outputs do not depend on the order in which four calls are answered', async () => {
    const orders = permutations([0, 1, 2, 3]);
    const reports = new Set<string>();
    for (const order of orders) {
      const clock = virtualClock();
      const worker = agentNamed('worker', async ({ step, signal, dependencies }) => {
        const position = 'abcd'.indexOf(step.id);
        await clock.sleep(10 * (order[position] ?? 0) + 1, signal);
        return `${step.id}(${dependencies.map(({ stepId }) => stepId).join()})`;
      });
      const policy = definePolicy({ limits: { maxParallel: 4 } });
      const run = composeOrchestrator({ agents: [worker], clock, policy }, undefined).start({
        goal: 'G',
        runId: 'run',
        plan: { steps: steps('a', 'b', 'c', 'd', 'e<a,b,c,d') },
      });
      await clock.runUntil(run.done);
      reports.add(JSON.stringify(timeless(await run.done)));
    }
    expect(orders).toHaveLength(24);
    expect(reports.size).toBe(1);
  });

  it('the same completions, live and replayed, give the same record', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 4, maxLength: 4 }),
        async (delays) => {
          const clock = virtualClock();
          const store = memoryStore();
          const worker = agentNamed('worker', async ({ step, signal }) => {
            await clock.sleep(delays['abcd'.indexOf(step.id)] ?? 1, signal);
            return step.id;
          });
          const team = { agents: [worker], clock, store };
          const orchestrator = composeOrchestrator(team, undefined);
          const plan = { steps: steps('a', 'b', 'c<a', 'd<b') };
          const run = orchestrator.start({ goal: 'G', runId: 'run', plan });
          await clock.runUntil(run.done);
          const replay = await orchestrator.replay('run');
          expect(replay.goTo(replay.facts.length).record).toEqual(run.record());
        },
      ),
      { numRuns: 15 },
    );
  });

  it('a process that is told to stop starts nothing new, and the next one continues', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    const worker = slowAgent('worker', clock, 100);
    const orchestrator = composeOrchestrator({ agents: [worker], clock, store }, undefined);
    const plan = { steps: steps('a', 'b<a', 'c<b') };
    const run = orchestrator.start({ goal: 'G', runId: 'run', plan });
    await clock.settle();
    clock.advance(150);
    await clock.settle();
    const closed = orchestrator.close({ graceMs: 1_000 });
    await clock.runUntil(run.done);
    await closed;
    expect(worker.calls.map(({ step }) => step.id)).toEqual(['a', 'b']);
    const next = slowAgent('worker', clock, 100);
    const again = await composeOrchestrator({ agents: [next], clock, store }, undefined).resume(
      'run',
    );
    await clock.runUntil(again.done);
    expect((await again.done).status).toBe('completed');
    expect(next.calls.map(({ step }) => step.id)).toEqual(['c']);
  });

  it('a hundred runs in one process share nothing', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    const worker = agentNamed('worker', async ({ goal, step, signal, dependencies }) => {
      await clock.sleep(1 + (goal.length % 7), signal);
      return `${goal}/${step.id}/${dependencies.map(({ output }) => JSON.stringify(output)).join()}`;
    });
    const orchestrator = composeOrchestrator({ agents: [worker], clock, store }, undefined);
    const runs = Array.from({ length: 100 }, (_, index) =>
      orchestrator.start({
        goal: `goal ${'x'.repeat(index)}`,
        runId: `run-${index}`,
        plan: { steps: steps('a', 'b<a') },
      }),
    );
    void runs[50]?.abort('Only this one');
    await clock.runUntil(Promise.all(runs.map((run) => run.done)));
    for (const [index, run] of runs.entries()) {
      const report = await run.done;
      expect(report.status).toBe(index === 50 ? 'aborted' : 'completed');
      if (index === 50) continue;
      const goal = `goal ${'x'.repeat(index)}`;
      expect(report.steps[1]?.output).toBe(`${goal}/b/"${goal}/a/"`);
    }
  });

  it.each([1, 2, 7, 50])(
    'runs maxParallel %i steps at once whenever that many are ready, and never more',
    async (maxParallel) => {
      const clock = virtualClock();
      let running = 0;
      let peak = 0;
      const worker = agentNamed('worker', async ({ signal }) => {
        running += 1;
        peak = Math.max(peak, running);
        await clock.sleep(10, signal);
        running -= 1;
        return 'done';
      });
      const policy = definePolicy({ limits: { maxParallel } });
      const plan = { steps: steps(...Array.from({ length: 14 }, (_, index) => `s${index}`)) };
      const run = composeOrchestrator({ agents: [worker], clock, policy }, undefined).start({
        goal: 'G',
        plan,
      });
      await clock.runUntil(run.done);
      expect(peak).toBe(Math.min(maxParallel, 14));
    },
  );

  it('steps that become ready at the same time start in the order of the plan', async () => {
    const clock = virtualClock();
    const worker = slowAgent('worker', clock, 10);
    const policy = definePolicy({ limits: { maxParallel: 2 } });
    const plan = { steps: steps('d', 'b', 'a<d', 'c', 'e') };
    const run = composeOrchestrator({ agents: [worker], clock, policy }, undefined).start({
      goal: 'G',
      plan,
    });
    await clock.runUntil(run.done);
    expect(worker.calls.map(({ step }) => step.id)).toEqual(['d', 'b', 'a', 'c', 'e']);
  });
});

const permutations = (items: readonly number[]): number[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item) =>
        permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
      );
