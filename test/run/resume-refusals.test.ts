import { describe, expect, it } from 'vitest';

import { JournalMismatchError } from '../../src/errors.js';
import type { JournalEntry } from '../../src/journal/entry.js';
import { formatOf, readJournal } from '../../src/journal/read-journal.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { Policy } from '../../src/model/policy.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore } from '../../src/model/run-store.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { slowAgent, steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { jsonCopy, storeWith } from './runs.js';

expectNothingUnhandled();

const orchestratorOf = (store: RunStore, policy: Policy) => {
  const clock = virtualClock();
  const worker = slowAgent('worker', clock, 100);
  const orchestrator = composeOrchestrator({ agents: [worker], clock, store, policy }, undefined);
  return { clock, worker, orchestrator };
};

/** A store with a run whose first step is completed and whose second is in flight. */
const halfDone = async (): Promise<RunStore> => {
  const original = memoryStore();
  const { clock, orchestrator } = orchestratorOf(original, definePolicy());
  const run = orchestrator.start({
    goal: 'The goal of the run',
    runId: 'run',
    plan: { steps: steps('a', 'b<a') },
  });
  await clock.settle();
  clock.advance(150);
  await clock.settle();
  return storeWith(original, 'run', run.journal().length);
};

/** The same store with one entry changed, as other charts would have written it. */
const tampered = async (
  index: number,
  change: (entry: JournalEntry) => unknown,
): Promise<RunStore> => {
  const store = await halfDone();
  const stored = await store.read('run');
  if (stored === undefined) throw new Error('There is no run');
  const copy = memoryStore();
  await copy.create(stored.header);
  const format = formatOf(stored.header);
  for (const entry of jsonCopy(readJournal(stored).entries)) {
    const kept = entry.sequence === index ? (change(entry) as JournalEntry) : entry;
    await copy.append('run', entry.sequence, [format.encode(kept)]);
  }
  return copy;
};

const expectRefused = async (store: RunStore, policy: Policy): Promise<void> => {
  const before = JSON.stringify(await store.read('run'));
  const { clock, worker, orchestrator } = orchestratorOf(store, policy);
  await expect(orchestrator.resume('run')).rejects.toThrow(JournalMismatchError);
  await expect(orchestrator.resume('run')).rejects.toThrow(JournalMismatchError);
  await clock.settle();
  expect(worker.calls).toEqual([]);
  expect(clock.pending()).toBe(0);
  expect(JSON.stringify(await store.read('run'))).toBe(before);
};

describe('a journal of another orchestrator', () => {
  it('is accepted by the orchestrator that wrote it', async () => {
    const { clock, worker, orchestrator } = orchestratorOf(await halfDone(), definePolicy());
    const run = await orchestrator.resume('run');
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
    expect(worker.calls.map(({ key }) => key)).toEqual(['run/b/1/worker']);
  });

  for (const [name, policy] of [
    ['asks for approvals', definePolicy({ approval: { agents: ['worker'] } })],
    ['asks about the plan', definePolicy({ approval: { plan: true } })],
    ['allows no call', definePolicy({ limits: { maxAgentCalls: 1 } })],
  ] as const) {
    it(`is refused under a policy that ${name}: no agent is called, nothing is written`, async () => {
      await expectRefused(await halfDone(), policy);
    });
  }

  for (const [name, index, change] of [
    [
      'a fact was changed',
      1,
      (entry: JournalEntry) => ({
        ...entry,
        facts: entry.facts.map((fact) =>
          fact.type === 'agent.answered' ? { ...fact, output: 'forged' } : fact,
        ),
      }),
    ],
    ['a fact was lost', 1, (entry: JournalEntry) => ({ ...entry, facts: entry.facts.slice(1) })],
    [
      'a fact was added',
      1,
      (entry: JournalEntry) => ({ ...entry, facts: [...entry.facts, ...entry.facts] }),
    ],
    ['all facts were lost', 1, (entry: JournalEntry) => ({ ...entry, facts: [] })],
    [
      'an event was changed',
      1,
      (entry: JournalEntry) =>
        JSON.parse(
          JSON.stringify(entry).replace('"report":"done"', '"report":"blocked"'),
        ) as JournalEntry,
    ],
  ] as const) {
    it(`is refused when ${name}: no agent is called, nothing is written`, async () => {
      await expectRefused(await tampered(index, change), definePolicy());
    });
  }

  it('does not keep recover() from resuming other runs, and is reported to onError', async () => {
    const store = await halfDone();
    const clock = virtualClock();
    const errors: unknown[] = [];
    const orchestrator = composeOrchestrator(
      {
        agents: [slowAgent('worker', clock, 100)],
        clock,
        store,
        policy: definePolicy({ approval: { agents: ['worker'] } }),
        onError: (error) => errors.push(error),
      },
      undefined,
    );
    const other = orchestratorOf(store, definePolicy({ approval: { agents: ['worker'] } }));
    other.orchestrator.start({ goal: 'Another goal', runId: 'xyz', plan: { steps: steps('a') } });
    await other.clock.settle();
    await other.clock.runUntil(other.orchestrator.close({ graceMs: 0 }));

    const recovered = await orchestrator.recover();
    expect(recovered.map(({ runId }) => runId)).toEqual(['xyz']);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(JournalMismatchError);
    await clock.runUntil(Promise.all(recovered.map(({ done }) => done)));
  });

  it('still occupies its run id in the store', async () => {
    const { orchestrator } = orchestratorOf(
      await halfDone(),
      definePolicy({ approval: { agents: ['worker'] } }),
    );
    await expect(orchestrator.resume('run')).rejects.toThrow(JournalMismatchError);
    const plan = { steps: steps('a') };
    const run = orchestrator.start({ goal: 'Another goal', runId: 'run', plan });
    await expect(run.started).rejects.toThrow("'run'");
  });
});
