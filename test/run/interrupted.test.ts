import { describe, expect, it } from 'vitest';

import type { AgentCall } from '../../src/agents/agent.js';
import { defineAgent } from '../../src/agents/agent.js';
import { ConfigurationError } from '../../src/errors.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { memoryStore } from '../../src/services/memory-store.js';
import { checkInvariants } from '../../src/testing/invariants/check-invariants.js';
import type { RunStore } from '../../src/model/run-store.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { play } from '../scenarios/harness.js';
import { steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { factsOf, journalIn, storeWith } from './runs.js';

expectNothingUnhandled();

const agentOf = (clock: VirtualClock, calls: string[], idempotent: boolean | undefined) =>
  defineAgent({
    name: 'worker',
    description: 'Does something that cannot be undone',
    ...(idempotent === undefined ? {} : { idempotent }),
    run: async (call: AgentCall) => {
      calls.push(call.key);
      await clock.sleep(100, call.signal);
      return 'done';
    },
  });

/** A run that dies while its first call is in flight, and its result. */
const afterCrash = async (idempotent: boolean | undefined, attempts: number) => {
  const policy = definePolicy({ retry: { attempts, backoffMs: 10 } });
  const orchestratorOn = (clock: VirtualClock, store: RunStore, calls: string[]) =>
    composeOrchestrator(
      { agents: [agentOf(clock, calls, idempotent)], clock, store, policy },
      undefined,
    );
  const clock = virtualClock();
  const store = memoryStore();
  const first = orchestratorOn(clock, store, []).start({
    goal: 'The goal',
    runId: 'run',
    plan: { steps: steps('a') },
  });
  await clock.settle();
  const left = await storeWith(store, 'run', first.journal().length);
  const calls: string[] = [];
  const later = virtualClock({ startMs: 50 });
  const run = await orchestratorOn(later, left, calls).resume('run');
  await later.runUntil(run.done);
  const failures = factsOf(run).filter((fact) => fact.type === 'agent.failed');
  return { calls, report: await run.done, failures, journal: run.journal() };
};

describe('a call that was in flight when the process died', () => {
  for (const idempotent of [undefined, true]) {
    it(`is repeated under the same key (idempotent: ${idempotent})`, async () => {
      const { calls, report, failures } = await afterCrash(idempotent, 3);
      expect(calls).toEqual(['run/a/1/worker']);
      expect(failures).toEqual([]);
      expect(report.status).toBe('completed');
    });
  }

  it('is a failed try where the agent is not idempotent; the next try has its own key', async () => {
    const { calls, report, failures, journal } = await afterCrash(false, 3);
    expect(calls).toEqual(['run/a/1/worker#2']);
    expect(failures).toMatchObject([{ key: 'run/a/1/worker', code: 'interrupted', try: 1 }]);
    expect(report.status).toBe('completed');
    // The failure is in the journal like any other, so a replay gives the same end.
    expect(journal.filter(({ event }) => event.kind === 'answered')).toHaveLength(2);
  });

  it('fails its step where no try is left, and no agent is called again', async () => {
    const { calls, report } = await afterCrash(false, 1);
    expect(calls).toEqual([]);
    expect(report.steps).toMatchObject([{ id: 'a', status: 'failed', code: 'interrupted' }]);
  });

  it('does not occur in a run whose process lives', async () => {
    for (const mode of ['straight', 'rebuilt', 'live'] as const) {
      const calls: string[] = [];
      const { report } = await play(mode, (clock) => ({
        options: { agents: [agentOf(clock, calls, false)], policy: definePolicy() },
        start: { plan: { steps: steps('a', 'b<a') } },
      }));
      expect(report.status).toBe('completed');
      expect(calls).toEqual(['run/a/1/worker', 'run/b/1/worker']);
    }
  });

  it('was never made when its process was closed before: the next owner makes it, once', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    const policy = definePolicy({ retry: { attempts: 1 }, time: { stepTimeoutMs: 1_000 } });
    const calls: string[] = [];
    const next = () =>
      composeOrchestrator(
        { agents: [agentOf(clock, calls, false)], clock, store, policy },
        undefined,
      );
    const first = next();
    first.start({ goal: 'The goal', runId: 'run', plan: { steps: steps('a', 'b<a', 'c<b') } });
    await clock.settle();
    // The answer arrives in time, and the next step is decided on, but not started.
    await clock.runUntil(first.close({ graceMs: 500 }));
    expect(calls).toEqual(['run/a/1/worker']);
    expect(journalIn(store, 'run').at(-1)?.event).toMatchObject({
      kind: 'heldBack',
      keys: ['run/b/1/worker'],
    });
    const second = next();
    const run = await second.resume('run');
    await clock.runUntil(second.close({ graceMs: 500 }));
    expect(calls).toEqual(['run/a/1/worker', 'run/b/1/worker']);
    expect(factsOf(run).filter((fact) => fact.type === 'agent.failed')).toEqual([]);
    const third = await next().resume('run');
    await clock.runUntil(third.done);
    expect(await third.done).toMatchObject({ status: 'completed', reason: 'all-steps-completed' });
    expect(calls).toEqual(['run/a/1/worker', 'run/b/1/worker', 'run/c/1/worker']);
    expect(checkInvariants(journalIn(store, 'run'), { policy })).toEqual([]);
    // Releasing a run is not part of its history: it can be inspected and forked.
    const replay = await next().replay('run');
    expect(replay.mismatch).toBeNull();
    const fork = await next().fork('run', { atSequence: replay.facts.length, runId: 'again' });
    expect((await fork.done).status).toBe('completed');
  });

  it('may have been made by an owner after the run was released: it is not repeated', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    const policy = definePolicy({ retry: { attempts: 1 } });
    const calls: string[] = [];
    const next = () =>
      composeOrchestrator(
        { agents: [agentOf(clock, calls, false)], clock, store, policy },
        undefined,
      );
    const first = next();
    first.start({ goal: 'The goal', runId: 'run', plan: { steps: steps('a', 'b<a') } });
    await clock.settle();
    await clock.runUntil(first.close({ graceMs: 500 }));
    // Makes the call and releases the run before there is an answer: it writes nothing.
    const second = next();
    await second.resume('run');
    await clock.runUntil(second.close({ graceMs: 1 }));
    expect(calls).toEqual(['run/a/1/worker', 'run/b/1/worker']);
    const third = await next().resume('run');
    await clock.runUntil(third.done);
    expect(calls).toEqual(['run/a/1/worker', 'run/b/1/worker']);
    expect((await third.done).steps).toMatchObject([
      { id: 'a', status: 'completed' },
      { id: 'b', status: 'failed', code: 'interrupted' },
    ]);
  });

  it('is repeatable or not by a boolean; other values are refused', () => {
    const definition = { name: 'worker', description: '', run: () => 'x', idempotent: 'no' };
    expect(() => defineAgent(definition as never)).toThrow(ConfigurationError);
  });
});
