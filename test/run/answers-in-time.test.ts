import { describe, expect, it } from 'vitest';

import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore } from '../../src/model/run-store.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { slowAgent, steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { processOn } from './processes.js';

expectNothingUnhandled();

const START = { goal: 'The goal', runId: 'run', plan: { steps: steps('a', 'b<a') } };

const SLOW_POLLS = {
  policy: definePolicy({ approval: { agents: ['worker'], timeoutMs: 60_000 } }),
  durability: { pollMs: 80_000_000 },
};

/** Approves step a through the store. */
const post = async (clock: VirtualClock, store: RunStore): Promise<void> => {
  const command = { type: 'approval.grant', requestId: 'a:1.1', answer: 'Yes' };
  await store.post('run', { id: 'yes', at: clock.now(), command });
};

describe('an approval', () => {
  it('that was acknowledged counts, though the store never notifies and polls are slow', async () => {
    const clock = virtualClock({ startMs: 1_000_000 });
    const inner = memoryStore();
    // A half-open connection: the watch is never called.
    const silent: RunStore = { ...inner, watch: () => () => undefined };
    const agents = [slowAgent('worker', clock, 1)];
    const owner = processOn(clock, silent, { ...SLOW_POLLS, agents });
    const run = owner.orchestrator.start(START);
    await clock.settle();
    const elsewhere = processOn(clock, inner, { durability: { answerMs: 1_000 } });
    const remote = await elsewhere.orchestrator.connect('run');
    const approved = remote.approve('a:1.1');
    await clock.runUntil(approved);
    // The run has an owner: the command is durable, and not answered yet.
    expect(await approved).toEqual({ accepted: true, isUnanswered: true });
    clock.advance(60_000);
    await clock.settle();
    expect(run.record().approvals[0]).toMatchObject({ requestId: 'a:1.1', outcome: 'granted' });
    await run.abort();
  });

  it('is too late after its deadline, though the machine slept and no timer has fired', async () => {
    const clock = virtualClock({ startMs: 1_000_000 });
    const { policy } = SLOW_POLLS;
    let sleptMs = 0;
    // Timers do not notice that the clock was set forward.
    const jumping = { ...clock, now: () => clock.now() + sleptMs };
    const orchestrator = composeOrchestrator(
      { agents: [slowAgent('worker', clock, 1)], clock: jumping, policy },
      undefined,
    );
    const run = orchestrator.start(START);
    await clock.settle();
    sleptMs = 3_600_000;
    expect(await run.approve('a:1.1')).toMatchObject({ accepted: false });
    expect(run.record().approvals[0]).toMatchObject({ outcome: 'expired' });
    await run.abort();
  });

  it('is too late after its deadline, though the entry with the question is still being written', async () => {
    const clock = virtualClock({ startMs: 1_000_000 });
    const inner = memoryStore();
    let sleptMs = 0;
    let finishWriting: () => void = () => undefined;
    const written = new Promise<void>((resolve) => {
      finishWriting = resolve;
    });
    const slow: RunStore = {
      ...inner,
      append: async (...given) => {
        await inner.append(...given);
        // The second entry starts step b, which asks.
        if (given[1] === 1) await written;
      },
    };
    const policy = definePolicy({ approval: { agents: ['asking'], timeoutMs: 60_000 } });
    const agents = [slowAgent('worker', clock, 1), slowAgent('asking', clock, 1)];
    const jumping = { ...clock, now: () => clock.now() + sleptMs };
    const { orchestrator } = processOn(jumping, slow, { policy, agents });
    const plan = {
      steps: [...steps('a'), { id: 'b', agent: 'asking', task: 'Ask', dependsOn: ['a'] }],
    };
    const run = orchestrator.start({ ...START, plan });
    await clock.settle();
    clock.advance(1);
    await clock.settle();
    sleptMs = 120_000;
    const answer = run.approve('b:1.1');
    finishWriting();
    await clock.settle();
    expect(await answer).toMatchObject({ accepted: false });
    expect(run.record().approvals[0]).toMatchObject({ outcome: 'expired' });
    await run.abort();
  });

  it('that is in the store before its question times out counts, whatever the store’s clock says', async () => {
    const clock = virtualClock({ startMs: 1_000_000 });
    const aheadMs = 10_000;
    const inner = memoryStore();
    const store: RunStore = {
      ...inner,
      watch: () => () => undefined,
      post: (runId, command) => inner.post(runId, { ...command, at: clock.now() + aheadMs }),
    };
    let correctedMs = 0;
    const owner = processOn({ ...clock, now: () => clock.now() + correctedMs }, store, {
      ...SLOW_POLLS,
      agents: [slowAgent('worker', clock, 1)],
    });
    const run = owner.orchestrator.start(START);
    await clock.settle();
    clock.advance(55_000);
    await post(clock, store);
    // The owner's clock was slow and is corrected: it is past the deadline, and the command is newer than that.
    correctedMs = aheadMs;
    await run.say('Anything that comes in');
    await clock.settle();
    expect(run.record().approvals[0]).toMatchObject({ outcome: 'granted' });
    await run.abort();
  });

  it('that waits for the next owner is processed before deadlines that passed meanwhile', async () => {
    const clock = virtualClock({ startMs: 1_000_000 });
    const store = memoryStore();
    const first = processOn(clock, store, SLOW_POLLS);
    first.orchestrator.start(START);
    await clock.settle();
    first.kill();
    clock.advance(3_600_000);
    await post(clock, store);
    const agents = [slowAgent('worker', clock, 1)];
    const next = processOn(clock, store, { ...SLOW_POLLS, agents });
    const run = await next.orchestrator.resume('run');
    expect(run.record().approvals[0]).toMatchObject({ outcome: 'granted' });
    await run.abort();
  });

  it('that arrives while the next owner reads the inbox counts, though its deadline passes meanwhile', async () => {
    const clock = virtualClock({ startMs: 1_000_000 });
    const inner = memoryStore();
    const first = processOn(clock, inner, SLOW_POLLS);
    first.orchestrator.start(START);
    await clock.settle();
    first.kill();
    clock.advance(59_000);
    let reads = 0;
    const store: RunStore = {
      ...inner,
      watch: () => () => undefined,
      inbox: async (runId) => {
        const waiting = await inner.inbox(runId);
        reads += 1;
        if (reads === 1) {
          await post(clock, inner);
          clock.advance(2_000);
        }
        return waiting;
      },
    };
    const agents = [slowAgent('worker', clock, 1)];
    const next = processOn(clock, store, { ...SLOW_POLLS, agents });
    const run = await next.orchestrator.resume('run');
    await clock.settle();
    expect(run.record().approvals[0]).toMatchObject({ outcome: 'granted' });
    await run.abort();
  });
});
