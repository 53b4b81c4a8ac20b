import { describe, expect, it } from 'vitest';

import { countingStore } from '../../bench/counting-store.js';
import { defineAgent } from '../../src/agents/agent.js';
import { formatOf, readJournal } from '../../src/journal/read-journal.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { presets } from '../../src/policy/presets.js';
import { tracingRunner } from '../../src/kernel/tracing/tracing-runner.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore } from '../../src/model/run-store.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';

const played = async (stepCount: number, outputBytes: number) => {
  const { store, written } = countingStore();
  const worker = defineAgent({
    name: 'worker',
    description: 'Says a lot',
    run: async (call) => `${call.step.id} `.padEnd(outputBytes, `${call.step.id}-`),
  });
  const clock = virtualClock();
  const errors: unknown[] = [];
  let transitions = 0;
  const orchestrator = (of: RunStore) =>
    composeOrchestrator(
      {
        agents: [worker],
        clock,
        store: of,
        policy: presets.boundedReplan({ limits: { maxSteps: 2_000, maxAgentCalls: null } }),
        onError: (error) => errors.push(error),
      },
      undefined,
      (chart) => {
        const runner = tracingRunner(chart);
        return {
          ...runner,
          advance: (...parameters) => {
            transitions += 1;
            return runner.advance(...parameters);
          },
        };
      },
    );
  const plan = {
    steps: Array.from({ length: stepCount }, (_, index) => ({
      id: `s${index}`,
      agent: 'worker',
      task: `Do the work of step ${index}`,
      dependsOn: index === 0 ? [] : [`s${index - 1}`],
    })),
  };
  const run = orchestrator(store).start({ goal: 'Measure', runId: 'run-of-many-steps', plan });
  await clock.runUntil(run.done);
  expect((await run.done).successfulSteps).toHaveLength(stepCount);
  /** How many transitions it takes to resume the run just before its end. */
  const resumed = async (damage = (state: unknown): unknown => state): Promise<number> => {
    const stored = await store.read('run-of-many-steps');
    if (stored === undefined) throw new Error('There is no run');
    const cut = memoryStore();
    await cut.create(stored.header);
    const entries = stored.entries.slice(0, -1);
    const state = stored.state === undefined ? {} : { state: damage(stored.state.body) };
    const split = stored.state?.sequence ?? entries.length;
    await cut.append('run-of-many-steps', 0, entries.slice(0, split), state);
    if (split < entries.length) await cut.append('run-of-many-steps', split, entries.slice(split));
    transitions = 0;
    const again = await orchestrator(cut).resume('run-of-many-steps');
    const replayed = transitions;
    await clock.runUntil(again.done);
    expect((await again.done).successfulSteps).toHaveLength(stepCount);
    return replayed;
  };
  return {
    ...written(),
    resumed,
    errors,
    orchestratorOn: orchestrator,
    stored: await store.read('run-of-many-steps'),
  };
};

describe('the size of a journal', () => {
  it('is at most two and a half times the output, however many steps there are', async () => {
    const perStep: number[] = [];
    for (const stepCount of [50, 100, 200, 400]) {
      const { bytes } = await played(stepCount, 1_024);
      perStep.push(bytes / stepCount);
    }
    expect(Math.max(...perStep)).toBeLessThanOrEqual(2.5 * 1_024);
    expect(perStep.at(-1)).toBeLessThanOrEqual((perStep[0] ?? 0) * 1.02);
  });

  it('includes saved states in at most a 32nd of the entries', async () => {
    const plain = await played(150, 1_024);
    const rich = await played(150, 10_240);
    expect(plain.states).toBe(0);
    expect(rich.states).toBeGreaterThan(0);
    const entryBytes = JSON.stringify(rich.stored?.entries).length;
    expect(rich.bytes).toBeLessThan(entryBytes * (1 + 1 / 32) + 30_000);
    expect(readJournal(rich.stored ?? expect.fail()).state?.sequence).toBeGreaterThan(0);
  });
});

describe('resuming a run', () => {
  it('takes at most as many transitions as there are entries', async () => {
    const small = await (await played(125, 100)).resumed();
    const large = await (await played(1_000, 100)).resumed();
    expect(large / small).toBeGreaterThan(7);
    expect(large / small).toBeLessThan(8.5);
  });

  it('replays only entries after the stored state', async () => {
    const whole = await (await played(150, 100)).resumed();
    const tail = await (await played(150, 10_240)).resumed();
    expect(tail).toBeLessThan(whole / 2);
  });

  it('continues from a stored state though the entry after it has no facts', async () => {
    const { stored, orchestratorOn, errors } = await played(150, 10_240);
    const { header, entries, state } = stored ?? expect.fail();
    const count = state?.sequence ?? expect.fail();
    const cut = memoryStore();
    await cut.create(header);
    await cut.append(header.runId, 0, entries.slice(0, count), { state: state?.body });
    // An owner had it and died; the next owner writes an entry and releases it.
    await cut.claim(header.runId, 'another', 0);
    const first = orchestratorOn(cut);
    await first.resume(header.runId);
    await first.close({ graceMs: 0 });
    expect((await cut.read(header.runId))?.state?.sequence).toBe(count);
    const run = await orchestratorOn(cut).resume(header.runId);
    expect((await run.done).successfulSteps).toHaveLength(150);
    expect(errors).toEqual([]);
  });

  it('replays the whole journal where the stored state is damaged or differs, and reports that once', async () => {
    const { resumed, errors, stored } = await played(150, 10_240);
    const tail = await resumed();
    expect(errors).toEqual([]);
    const whole = await resumed(() => ({ no: 'state' }));
    expect(whole).toBeGreaterThan(2 * tail);
    expect(errors.splice(0)).toMatchObject([{ code: 'journal-corrupt' }]);
    // A state of other charts: unchanged, and unusable.
    const format = formatOf(stored?.header ?? expect.fail());
    for (const entry of stored?.entries.slice(0, stored.state?.sequence) ?? [])
      format.decode(entry);
    const foreign = format.encodeState(() => ({ nodes: [{ chart: 'unknown' }] }));
    expect(foreign).toBeDefined();
    const other = await resumed(() => foreign);
    expect(other).toBe(whole);
    expect(errors).toMatchObject([{ code: 'journal-mismatch' }]);
  });
});
