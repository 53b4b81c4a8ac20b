import { describe, expect, it } from 'vitest';

import { RunNotFoundError } from '../../src/errors.js';
import type { Fact } from '../../src/model/facts.js';
import type { RunStore } from '../../src/model/run-store.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { Run } from '../../src/run/run.types.js';
import { memoryStore } from '../../src/services/memory-store.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { agentNamed, slowAgent, steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { describeEveryStore } from './every-store.js';
import { slowStore } from './stores.js';

expectNothingUnhandled();

const input = { goal: 'The goal', runId: 'run', plan: { steps: steps('a', 'b<a') } };
const policy = definePolicy({ approval: { agents: ['worker'] } });
const durability = { pollMs: 20 };

const processOn = (store: RunStore) =>
  composeOrchestrator(
    { agents: [agentNamed('worker', () => 'done')], store, policy, durability },
    undefined,
  );

const plainly = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const allOf = async (run: Run, after?: number): Promise<readonly Fact[]> => {
  const seen: Fact[] = [];
  for await (const fact of run.facts(after === undefined ? {} : { after })) seen.push(fact);
  return seen;
};

describeEveryStore('a connected run', (open) => {
  it('is a whole run: facts, subscribers, record, journal, done and commands', async () => {
    const [store, other] = await open();
    const run = processOn(store).start(input);
    await run.started;
    const remote = await processOn(other).connect('run');
    await remote.started;
    expect(remote.runId).toBe('run');
    expect(remote.record().goal).toBe('The goal');
    const told: Fact[] = [];
    const stop = remote.subscribe((fact) => told.push(fact));
    const read = allOf(remote);
    const rest = allOf(remote, 3);
    for await (const fact of remote.facts()) {
      if (fact.type !== 'approval.requested') continue;
      expect(await remote.approve(fact.requestId)).toEqual({ accepted: true });
      if (fact.stepId === 'b') break;
    }
    const report = await remote.done;
    expect(report).toMatchObject({ status: 'completed', isFinal: true });
    expect(plainly(report)).toEqual(plainly(await run.done));
    const facts = plainly(run.journal().flatMap((entry) => entry.facts)) as readonly Fact[];
    expect(plainly(await read)).toEqual(facts);
    expect(plainly(await rest)).toEqual(facts.slice(3));
    expect(plainly(told)).toEqual(facts);
    expect(plainly(remote.journal())).toEqual(plainly(run.journal()));
    expect(plainly(remote.record())).toEqual(plainly(run.record()));
    stop();
    // A run that has ended is shown in the same way.
    const late = await processOn(other).connect('run');
    expect(plainly(await late.done)).toEqual(plainly(report));
    expect(plainly(await allOf(late, facts.length - 1))).toEqual(facts.slice(-1));
    expect(await late.say('Too late')).toEqual({ accepted: false, reason: 'run-ended' });
  });
});

describe('a connected run', () => {
  it('reads every entry once', async () => {
    const inner = memoryStore();
    const froms: number[] = [];
    let isRemote = false;
    const store: RunStore = {
      ...inner,
      read: (runId, from) => {
        if (isRemote) froms.push(from ?? 0);
        return inner.read(runId, from);
      },
    };
    const run = processOn(inner).start(input);
    await run.started;
    isRemote = true;
    const remote = await processOn(store).connect('run');
    const read = allOf(remote);
    await run.abort('Enough');
    await read;
    remote.record();
    remote.journal();
    expect((await remote.done).status).toBe('aborted');
    expect(froms[0]).toBe(0);
    expect(froms.slice(1).every((from) => from > 0)).toBe(true);
    expect(froms.length).toBeLessThanOrEqual(1 + run.journal().length);
  });

  for (const [name, storeOf] of [
    ['that notifies it', () => memoryStore()],
    ['that it has to poll', (clock: ReturnType<typeof virtualClock>) => slowStore(clock, 5)],
  ] as const) {
    it(`is followed only while it has readers, in a store ${name}`, async () => {
      const clock = virtualClock();
      const store = storeOf(clock);
      const agents = [slowAgent('worker', clock, 10_000)];
      const first = composeOrchestrator({ agents, clock, store, durability }, undefined);
      const run = first.start(input);
      await clock.runUntil(run.started);
      const second = composeOrchestrator({ agents, clock, store, durability }, undefined);
      const connecting = second.connect('run');
      await clock.runUntil(connecting);
      const remote = await connecting;
      const timers = clock.pending();
      const stop = remote.subscribe(() => undefined);
      const stream = remote.facts()[Symbol.asyncIterator]();
      await stream.next();
      await clock.settle();
      expect(clock.pending()).toBe(timers + 1);
      stop();
      await stream.return?.();
      clock.advance(10);
      await clock.settle();
      expect(clock.pending()).toBe(timers);
      await clock.runUntil(run.done);
    });
  }

  it('follows the run to its next owner', async () => {
    const store = memoryStore();
    const first = processOn(store);
    await first.start(input).started;
    const remote = await processOn(store).connect('run');
    const { done } = remote;
    await first.close({ graceMs: 0 });
    const next = await processOn(store).resume('run');
    await next.abort('Enough');
    expect(await done).toMatchObject({ status: 'aborted', reason: 'Enough', isFinal: true });
  });

  it('is detached when its orchestrator is closed', async () => {
    const store = memoryStore();
    const run = processOn(store).start(input);
    await run.started;
    const watching = processOn(store);
    const remote = await watching.connect('run');
    const { done } = remote;
    await watching.close();
    expect(await done).toMatchObject({
      status: 'detached',
      reason: 'stopped: the orchestrator was closed',
      isFinal: false,
    });
    await run.abort();
  });

  it('is detached when the run is deleted', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    const agents = [slowAgent('worker', clock, 10_000)];
    const run = composeOrchestrator({ agents, clock, store }, undefined).start(input);
    await clock.runUntil(run.started);
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const second = composeOrchestrator({ agents, clock, store, onError }, undefined);
    const { done } = await second.connect('run');
    await store.delete('run');
    await clock.runUntil(done);
    expect((await done).reason).toMatch(/^unreadable: RunNotFoundError: /);
    expect(errors).toHaveLength(1);
  });

  it('is the live run when the run is live in this process', async () => {
    const orchestrator = processOn(memoryStore());
    const run = orchestrator.start(input);
    await run.started;
    expect(await orchestrator.connect('run')).toBe(run);
    await run.abort();
    await expect(orchestrator.connect('other')).rejects.toBeInstanceOf(RunNotFoundError);
  });
});

describe('facts', () => {
  it('of a live run begin behind the given one', async () => {
    const run = processOn(memoryStore()).start(input);
    const read = allOf(run, 2);
    const strange = allOf(run, Number.NaN);
    await run.started;
    await run.abort();
    const all = run.journal().flatMap((entry) => entry.facts);
    expect(await read).toEqual(all.slice(2));
    expect(await strange).toEqual(all);
  });
});

describe('recoverEvery', () => {
  it('tells which runs it took up', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    const agents = [slowAgent('worker', clock, 10_000)];
    const options = { agents, clock, store, durability: { leaseMs: 1_000 } };
    const first = composeOrchestrator(options, undefined);
    const ids = ['one', 'three', 'two'];
    for (const runId of ids) await first.start({ ...input, runId }).started;
    await clock.runUntil(first.close({ graceMs: 0 }));
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const second = composeOrchestrator({ ...options, onError }, undefined);
    const resumed: Run[] = [];
    const stop = second.recoverEvery(1_000, {
      onResumed: (run) => {
        resumed.push(run);
        if (run.runId === 'one') throw new Error('A listener that fails');
      },
    });
    await clock.runUntil(() => resumed.length === ids.length);
    expect(resumed.map(({ runId }) => runId).sort()).toEqual(ids);
    expect(errors).toMatchObject([{ message: 'A listener that fails' }]);
    await clock.runUntil(Promise.all(resumed.map(({ done }) => done)));
    stop();
    await clock.settle();
    expect(resumed).toHaveLength(ids.length);
  });
});
