import { beforeAll, describe, expect, it } from 'vitest';

import { RunNotFoundError } from '../../src/errors.js';
import type { JournalEntry } from '../../src/journal/entry.js';
import type { RunReport } from '../../src/journal/report.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore } from '../../src/model/run-store.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { agreeTo, GOAL, referenceTeam, startReference } from './reference-run.js';
import { factsOf, storeWith } from './runs.js';
import { slowStore } from './stores.js';

expectNothingUnhandled();

/** The parts of a report that do not depend on time. */
const essence = (report: RunReport): unknown => ({
  status: report.status,
  reason: report.reason,
  summary: report.summary,
  replans: report.replans,
  steps: report.steps.map(({ id, status, attempts, output, code }) => ({
    id,
    status,
    attempts,
    output,
    code,
  })),
  usage: report.usage,
});

const settledKeys = (entries: readonly JournalEntry[]): Set<string> =>
  new Set(
    entries
      .flatMap((entry) => entry.facts)
      .flatMap((fact) =>
        fact.type === 'agent.answered' || fact.type === 'agent.failed' ? [fact.key] : [],
      ),
  );

const openKeys = (entries: readonly JournalEntry[]): string[] => {
  const settled = settledKeys(entries);
  return entries.flatMap((entry) => entry.intents).filter((key) => !settled.has(key));
};

describe('a resumed run', () => {
  const original = memoryStore();
  const originalCalls: string[] = [];
  let journal: readonly JournalEntry[] = [];
  let report: RunReport;

  beforeAll(async () => {
    const clock = virtualClock();
    const run = startReference(clock, originalCalls, original);
    await clock.runUntil(run.done);
    report = await run.done;
    journal = run.journal();
  });

  /** Resumes the run after some of its entries, in a new process. */
  const resumedAfter = async (entryCount: number) => {
    const store = await storeWith(original, 'run', entryCount);
    const clock = virtualClock({ startMs: journal[entryCount - 1]?.at ?? 0 });
    const calls: string[] = [];
    const orchestrator = composeOrchestrator({ ...referenceTeam(clock, calls), store }, undefined);
    const run = await orchestrator.resume('run');
    agreeTo(run, clock);
    await clock.runUntil(run.done);
    return { run, calls, clock, report: await run.done };
  };

  it('has a reference in which everything happens', () => {
    expect(report).toMatchObject({ status: 'completed', reason: 'goal-achieved', replans: 1 });
    const types = new Set(journal.flatMap(({ facts }) => facts.map(({ type }) => type)));
    for (const type of [
      'approval.granted',
      'agent.failed',
      'fix.started',
      'subplan.ended',
      'replan.started',
      'step.retried',
    ] as const) {
      expect(types).toContain(type);
    }
    expect(new Set(originalCalls).size).toBe(originalCalls.length);
  });

  it('ends the same from every entry of its journal on, and repeats no answered call', async () => {
    for (let entryCount = 1; entryCount <= journal.length; entryCount += 1) {
      const prefix = journal.slice(0, entryCount);
      const resumed = await resumedAfter(entryCount);
      const where = `after entry ${entryCount} of ${journal.length}`;
      expect(essence(resumed.report), where).toEqual(essence(report));

      const settled = settledKeys(prefix);
      expect(
        resumed.calls.filter((key) => settled.has(key)),
        where,
      ).toEqual([]);
      const open = openKeys(prefix);
      expect(resumed.calls.slice(0, open.length).sort(), where).toEqual([...open].sort());
      expect(new Set(resumed.calls).size, where).toBe(resumed.calls.length);
      expect([...settled, ...resumed.calls].sort(), where).toEqual([...originalCalls].sort());

      const facts = factsOf(resumed.run);
      expect(facts.map(({ sequence }) => sequence)).toEqual(facts.map((_, index) => index + 1));
      expect(resumed.clock.pending(), where).toBe(0);
    }
  }, 60_000);

  it('starts from the beginning when not even its first entry was written', async () => {
    const resumed = await resumedAfter(0);
    expect(essence(resumed.report)).toEqual(essence(report));
  });

  it('delivers past facts to subscribers first, then continues', async () => {
    // Where the next answer takes time: an agent that answers synchronously would continue before the assertions.
    const entryCount = journal.findIndex(
      ({ at }, index) => index > journal.length / 2 && at > (journal[index - 1]?.at ?? at),
    );
    const store = await storeWith(original, 'run', entryCount);
    const clock = virtualClock({ startMs: journal[entryCount - 1]?.at ?? 0 });
    const orchestrator = composeOrchestrator({ ...referenceTeam(clock, []), store }, undefined);
    const run = await orchestrator.resume('run');
    const told: number[] = [];
    run.subscribe(({ sequence }) => told.push(sequence));
    const past = journal.slice(0, entryCount).flatMap(({ facts }) => facts);
    expect(told).toEqual(past.map(({ sequence }) => sequence));
    agreeTo(run, clock);
    await clock.runUntil(run.done);
    expect(told).toEqual(factsOf(run).map(({ sequence }) => sequence));
  });

  it('returns its report without a call when it has ended, every time', async () => {
    const store = await storeWith(original, 'run', journal.length);
    const before = JSON.stringify(await store.read('run'));
    const clock = virtualClock();
    const calls: string[] = [];
    const orchestrator = composeOrchestrator({ ...referenceTeam(clock, calls), store }, undefined);
    for (let time = 0; time < 3; time += 1) {
      const run = await orchestrator.resume('run');
      expect(await run.done).toEqual(report);
      expect(await run.pause()).toEqual({ accepted: false, reason: 'run-ended' });
    }
    expect(calls).toEqual([]);
    expect(clock.pending()).toBe(0);
    expect(JSON.stringify(await store.read('run'))).toBe(before);
  });

  it('survives repeated crashes: a resumed run is resumed again', async () => {
    let store: RunStore = await storeWith(original, 'run', 1);
    const calls: string[] = [];
    for (let crash = 0; crash < 200; crash += 1) {
      const stored = await store.read('run');
      if (stored === undefined || stored.ended) break;
      const clock = virtualClock({ startMs: stored.entries.at(-1)?.at ?? 0 });
      const orchestrator = composeOrchestrator(
        { ...referenceTeam(clock, calls), store },
        undefined,
      );
      const run = await orchestrator.resume('run');
      agreeTo(run, clock);
      // A few more entries, then the process is gone; calls in flight may finish, but have no effect.
      const target = Math.min(stored.entries.length + 3, journal.length);
      await clock.runUntil(() => run.journal().length >= target);
      store = await storeWith(store, 'run', target);
    }
    const clock = virtualClock();
    const orchestrator = composeOrchestrator({ ...referenceTeam(clock, calls), store }, undefined);
    const run = await orchestrator.resume('run');
    expect(essence(await run.done)).toEqual(essence(report));
  });

  it('has frozen outputs, though they come from a store', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    const seen: unknown[] = [];
    const agents = [
      agentNamed('source', () => ({ list: [1, 2] })),
      agentNamed('worker', (call) => {
        const output = call.dependencies[0]?.output;
        seen.push(JSON.parse(JSON.stringify(output)));
        if (typeof output === 'object' && output !== null)
          Reflect.set(output, 'list', 'vandalized');
        return clock.sleep(100, call.signal).then(() => 'done');
      }),
    ];
    const policy = definePolicy({ limits: { maxParallel: 1 } });
    const first = composeOrchestrator({ agents, clock, store, policy }, undefined).start({
      goal: GOAL,
      runId: 'run',
      plan: { steps: steps('source:a', 'b<a', 'c<a') },
    });
    await clock.settle();
    const copy = await storeWith(store, 'run', first.journal().length);
    const run = await composeOrchestrator({ agents, clock, store: copy, policy }, undefined).resume(
      'run',
    );
    await clock.runUntil(run.done);
    expect(seen).toEqual(seen.map(() => ({ list: [1, 2] })));
    expect((await run.done).steps[0]?.output).toEqual({ list: [1, 2] });
    await clock.runUntil(first.done);
  });

  it('is the live run while there is one', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    const calls: string[] = [];
    const orchestrator = composeOrchestrator({ ...referenceTeam(clock, calls), store }, undefined);
    const run = orchestrator.start({ goal: GOAL, runId: 'run' });
    await clock.settle();
    expect(await orchestrator.resume('run')).toBe(run);
    expect(await orchestrator.recover()).toEqual([]);
    await run.abort();
    expect((await run.done).status).toBe('aborted');
  });

  it('is resumed once by concurrent calls', async () => {
    const store = await storeWith(original, 'run', 4);
    const clock = virtualClock({ startMs: journal[3]?.at ?? 0 });
    const calls: string[] = [];
    const slow = slowStore(clock, 5, store);
    const orchestrator = composeOrchestrator(
      { ...referenceTeam(clock, calls), store: slow },
      undefined,
    );
    const asked = [orchestrator.resume('run'), orchestrator.resume('run'), orchestrator.recover()];
    await clock.runUntil(Promise.all(asked));
    const [first, second] = await Promise.all([asked[0], asked[1]]);
    expect(first).toBe(second);
    const run = await orchestrator.resume('run');
    agreeTo(run, clock);
    await clock.runUntil(run.done);
    expect(essence(await run.done)).toEqual(essence(report));
    expect(new Set(calls).size).toBe(calls.length);
  });

  it('is among those that recover() resumes, unless it has ended', async () => {
    const store = await storeWith(original, 'run', 5);
    const clock = virtualClock({ startMs: journal[4]?.at ?? 0 });
    const orchestrator = composeOrchestrator({ ...referenceTeam(clock, []), store }, undefined);
    const ended = orchestrator.start({ goal: GOAL, runId: 'ended' });
    await ended.abort();
    const recovered = await orchestrator.recover();
    expect(recovered.map(({ runId }) => runId)).toEqual(['run']);
    expect(await orchestrator.recover()).toEqual([]);
    const run = await orchestrator.resume('run');
    agreeTo(run, clock);
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
  });

  it('throws when it is not in the store', async () => {
    const clock = virtualClock();
    const team = referenceTeam(clock, []);
    const remembering = composeOrchestrator({ ...team, store: memoryStore() }, undefined);
    const forgetful = composeOrchestrator(team, undefined);
    await expect(remembering.resume('nobody')).rejects.toThrow(RunNotFoundError);
    await expect(forgetful.resume('nobody')).rejects.toThrow(RunNotFoundError);
    expect(await forgetful.recover()).toEqual([]);
  });
});
