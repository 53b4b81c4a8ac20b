import { describe, expect, it } from 'vitest';

import { RunNotFoundError } from '../../src/errors.js';
import type { Orchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore } from '../../src/model/run-store.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { slowAgent, steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { journalIn } from './runs.js';
import { slowStore } from './stores.js';

expectNothingUnhandled();

const processOn = (clock: VirtualClock, store: RunStore): Orchestrator =>
  composeOrchestrator(
    {
      agents: [slowAgent('worker', clock, 20_000)],
      clock,
      store,
      policy: definePolicy({ approval: { agents: ['worker'] } }),
    },
    undefined,
  );

const input = { goal: 'The goal', runId: 'run', plan: { steps: steps('a', 'b<a') } };

/** Without a watch every reader has to poll. */
const unwatched = (store: RunStore): RunStore => {
  const copy = { ...store };
  delete copy.watch;
  return copy;
};

const stores: Readonly<Record<string, (clock: VirtualClock) => RunStore>> = {
  'that tells of commands': () => memoryStore(),
  'that has to be polled': () => unwatched(memoryStore()),
  'that takes its time': (clock) => slowStore(clock, 20, unwatched(memoryStore())),
};

for (const [name, storeOf] of Object.entries(stores)) {
  describe(`a run in another process, in a store ${name}`, () => {
    it('takes commands, in order and once, and returns their results', async () => {
      const clock = virtualClock();
      const store = storeOf(clock);
      const run = processOn(clock, store).start(input);
      const elsewhere = processOn(clock, store);
      await clock.runUntil(() => run.record().openApprovals.length === 1);
      const connecting = elsewhere.connect('run');
      await clock.runUntil(connecting);
      const remote = await connecting;
      const results = Promise.all([
        remote.approve('b:1.1'),
        remote.say('First'),
        remote.approve('a:1.1', 'Go on'),
        remote.say('Second'),
        remote.approve('a:1.1'),
        remote.pause(),
        remote.extendTime(-1),
      ]);
      await clock.runUntil(results);
      expect(await results).toEqual([
        { accepted: false, reason: 'unknown-request' },
        { accepted: true },
        { accepted: true },
        { accepted: true },
        { accepted: false, reason: 'already-decided' },
        { accepted: true },
        { accepted: false, reason: expect.stringContaining('invalid-command') as string },
      ]);
      expect(run.record().conversation).toEqual(['First', 'Second']);
      expect(remote.record().conversation).toEqual(['First', 'Second']);
      expect(JSON.parse(JSON.stringify(remote.record()))).toEqual(
        JSON.parse(JSON.stringify(run.record())),
      );
      const aborted = remote.abort('Enough');
      await clock.runUntil(aborted);
      expect(await aborted).toEqual({ accepted: true });
      await clock.runUntil(run.done);
      expect(await run.done).toMatchObject({ status: 'aborted', reason: 'Enough' });
      const late = remote.say('Too late');
      await clock.runUntil(late);
      expect(await late).toEqual({ accepted: false, reason: 'run-ended' });
      clock.advance(60_000);
      await clock.settle();
      expect(clock.pending()).toBe(0);
    });
  });
}

describe('a run without an owner', () => {
  const waiting = async () => {
    const clock = virtualClock();
    const store = memoryStore();
    const first = processOn(clock, store);
    first.start(input);
    await clock.settle();
    await clock.runUntil(first.close({ graceMs: 0 }));
    return { clock, store };
  };

  it('keeps its commands: they are durable, and the next owner processes them first, in order', async () => {
    const { clock, store } = await waiting();
    const remote = await processOn(clock, store).connect('run');
    const said = Promise.all([remote.say('First'), remote.approve('a:1.1'), remote.say('Second')]);
    await clock.runUntil(said);
    expect(await said).toEqual(Array(3).fill({ accepted: true, isPending: true }));
    expect(await store.inbox('run')).toHaveLength(3);
    const next = await processOn(clock, store).resume('run');
    await clock.settle();
    expect(next.record().conversation).toEqual(['First', 'Second']);
    expect(next.record().approvals).toMatchObject([{ outcome: 'granted' }]);
    expect(await store.inbox('run')).toEqual([]);
    // A later owner finds nothing to repeat.
    const commands = journalIn(store, 'run').filter(({ event }) => event.kind === 'commanded');
    expect(commands).toHaveLength(3);
    await next.abort();
  });

  it('counts an answer that was sent before the deadline, though it had no owner then', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    const policy = definePolicy({ approval: { agents: ['worker'], timeoutMs: 60_000 } });
    const options = { agents: [slowAgent('worker', clock, 10)], clock, store, policy };
    const first = composeOrchestrator(options, undefined);
    first.start(input);
    await clock.settle();
    await clock.runUntil(first.close({ graceMs: 0 }));
    clock.advance(30_000);
    const remote = await composeOrchestrator(options, undefined).connect('run');
    await clock.runUntil(remote.approve('a:1.1'));
    clock.advance(3_600_000 / 2);
    const run = await composeOrchestrator(options, undefined).resume('run');
    await clock.settle();
    expect(run.record().approvals).toMatchObject([{ requestId: 'a:1.1', outcome: 'granted' }]);
    await run.abort();
  });

  it('takes a command once, though its owner dies before or after it was durable', async () => {
    for (const isWritten of [false, true]) {
      const { clock, store } = await waiting();
      const remote = await processOn(clock, store).connect('run');
      const said = remote.say('Only once');
      await clock.settle();
      let isDead = false;
      const mortal: RunStore = {
        ...store,
        append: (...parameters) => {
          if (isDead) throw new Error('The process is dead');
          if (isWritten) void store.append(...parameters);
          isDead = true;
          throw new Error('The process is dead');
        },
      };
      const dying = await processOn(clock, mortal).resume('run');
      await clock.settle();
      expect((await dying.done).status).toBe('detached');
      const next = await processOn(clock, store).resume('run');
      await clock.runUntil(said);
      expect(await said).toEqual({ accepted: true });
      expect(next.record().conversation).toEqual(['Only once']);
      await next.abort();
    }
  });
});

describe('connect', () => {
  it('throws for runs that are not in the store', async () => {
    const clock = virtualClock();
    await expect(processOn(clock, memoryStore()).connect('nobody')).rejects.toThrow(
      RunNotFoundError,
    );
    const forgetful = composeOrchestrator({ agents: [slowAgent('worker', clock, 1)] }, undefined);
    await expect(forgetful.connect('nobody')).rejects.toThrow(RunNotFoundError);
  });

  it('does not throw when the store fails: a command that is not durable is not accepted', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    const run = processOn(clock, store).start(input);
    const broken: RunStore = {
      ...store,
      post: () => {
        throw new Error('The disk is gone');
      },
    };
    const remote = await processOn(clock, broken).connect('run');
    expect(await remote.pause()).toEqual({
      accepted: false,
      reason:
        'store-unavailable: Error: The disk is gone Whether the command was stored is unknown.',
    });
    await run.abort();
  });

  it('ignores values in the inbox that are not commands', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    const run = processOn(clock, store).start(input);
    await clock.settle();
    await store.post('run', { id: 'x1', at: 0, command: { type: 'xstate.done.actor.slot-0' } });
    await store.post('run', { id: 'x2', at: 0, command: null });
    await clock.settle();
    const remote = await processOn(clock, store).connect('run');
    const said = remote.say('Hello');
    await clock.runUntil(said);
    expect(await said).toEqual({ accepted: true });
    expect(run.record().conversation).toEqual(['Hello']);
    expect(await store.inbox('run')).toEqual([]);
    await run.abort();
  });
});
