import { describe, expect, it } from 'vitest';

import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { memoryStore } from '../../src/services/memory-store.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { agentNamed, slowAgent, steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { bodiesOf, factsOf, journalIn, started } from './runs.js';
import { slowStore } from './stores.js';

expectNothingUnhandled();

const goal = 'The goal of the run';

describe('a slow store', () => {
  it('gives the same facts as a fast one', async () => {
    const quick = started({ store: memoryStore() });
    await quick.clock.runUntil(quick.run.done);

    for (const delayMs of [0, 1, 7_000]) {
      const clock = virtualClock();
      const orchestrator = composeOrchestrator(
        { agents: [slowAgent('worker', clock, 100)], clock, store: slowStore(clock, delayMs) },
        undefined,
      );
      const run = orchestrator.start({
        goal,
        runId: 'run',
        plan: { steps: steps('a', 'b<a', 'c<b') },
      });
      await clock.runUntil(run.done);
      expect(bodiesOf(factsOf(run))).toEqual(bodiesOf(factsOf(quick.run)));
      // The run may still poll the store for commands when it ends.
      clock.advance(delayMs);
      await clock.settle();
      expect(clock.pending()).toBe(0);
    }
  });

  it('has every call durable before it is made', async () => {
    const clock = virtualClock();
    const log: string[] = [];
    const inner = memoryStore();
    const store = slowStore(clock, 5, inner, () => {
      log.push(...(journalIn(inner, 'run').at(-1)?.intents ?? []).map((key) => `durable ${key}`));
    });
    const worker = agentNamed('worker', (call) => {
      log.push(`called ${call.key}`);
      if (call.step.id === 'a' && !call.key.includes('#')) throw new Error('Once more');
      return 'done';
    });
    const orchestrator = composeOrchestrator({ agents: [worker], clock, store }, undefined);
    const run = orchestrator.start({
      goal,
      runId: 'run',
      plan: { steps: steps('a', 'b', 'c<a,b') },
    });
    await clock.runUntil(run.done);

    const called = log.filter((line) => line.startsWith('called '));
    expect(called).toHaveLength(4);
    for (const line of called) {
      const intent = line.replace('called ', 'durable ');
      expect(log.indexOf(intent)).toBeGreaterThanOrEqual(0);
      expect(log.indexOf(intent)).toBeLessThan(log.indexOf(line));
    }
  });

  it('delivers only durable facts to listeners', async () => {
    const clock = virtualClock();
    const inner = memoryStore();
    const store = slowStore(clock, 50, inner);
    const orchestrator = composeOrchestrator(
      { agents: [slowAgent('worker', clock, 100)], clock, store },
      undefined,
    );
    const run = orchestrator.start({ goal, runId: 'run', plan: { steps: steps('a') } });
    let told = 0;
    const missing: number[] = [];
    run.subscribe((fact) => {
      told += 1;
      const durable = journalIn(inner, 'run').flatMap((entry) => entry.facts);
      if (!durable.some(({ sequence }) => sequence === fact.sequence)) missing.push(fact.sequence);
    });
    expect(told).toBe(0);
    await clock.runUntil(run.done);
    expect(missing).toEqual([]);
    expect(told).toBe(factsOf(run).length);
  });

  it('has a command durable before it is answered', async () => {
    const clock = virtualClock();
    const inner = memoryStore();
    const store = slowStore(clock, 50, inner);
    const orchestrator = composeOrchestrator(
      { agents: [slowAgent('worker', clock, 1_000)], clock, store },
      undefined,
    );
    const run = orchestrator.start({ goal, runId: 'run', plan: { steps: steps('a') } });
    // Before the first entry is durable: it waits its turn.
    const said = run.say('Hello');
    await clock.runUntil(said);
    expect(await said).toEqual({ accepted: true });
    const commands = journalIn(inner, 'run').filter(({ event }) => event.kind === 'commanded');
    expect(commands).toHaveLength(1);
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
  });

  it('answers commands in the order in which they were sent', async () => {
    const clock = virtualClock();
    const orchestrator = composeOrchestrator(
      { agents: [slowAgent('worker', clock, 1_000)], clock, store: slowStore(clock, 10) },
      undefined,
    );
    const run = orchestrator.start({ goal, runId: 'run', plan: { steps: steps('a', 'b<a') } });
    const answered: string[] = [];
    const kept = [
      run.pause().then(({ accepted }) => answered.push(`pause ${accepted}`)),
      run.pause().then(({ accepted }) => answered.push(`pause ${accepted}`)),
      run.unpause().then(({ accepted }) => answered.push(`resume ${accepted}`)),
      run.abort().then(({ accepted }) => answered.push(`abort ${accepted}`)),
      run.say('Too late').then(({ accepted }) => answered.push(`say ${accepted}`)),
    ];
    await clock.runUntil(Promise.all(kept));
    expect(answered).toEqual([
      'pause true',
      'pause false',
      'resume true',
      'abort true',
      'say false',
    ]);
    expect((await run.done).status).toBe('aborted');
  });

  it('does not extend the time limit of a run', async () => {
    const clock = virtualClock();
    const orchestrator = composeOrchestrator(
      {
        agents: [agentNamed('worker', () => new Promise(() => undefined))],
        clock,
        store: slowStore(clock, 100),
        policy: definePolicy({ time: { limitMs: 5_000, graceMs: 0 }, approval: { plan: true } }),
      },
      undefined,
    );
    const run = orchestrator.start({ goal, runId: 'run', plan: { steps: steps('a') } });
    await clock.runUntil(run.done);
    const report = await run.done;
    expect(report.status).toBe('timeExpired');
    // Every timer may start late by one write, and the last entry takes one more.
    expect(report.durationMs).toBeLessThanOrEqual(5_000 + 3 * 100);
    expect(clock.pending()).toBe(0);
  });

  it('is not flooded: commands beyond the inbox limit are refused immediately', async () => {
    const clock = virtualClock();
    const orchestrator = composeOrchestrator(
      { agents: [slowAgent('worker', clock, 10)], clock, store: slowStore(clock, 1_000) },
      undefined,
    );
    const run = orchestrator.start({ goal, runId: 'run', plan: { steps: steps('a') } });
    const results = Array.from({ length: 10_500 }, (_, index) => run.say(`${index}`));
    const refused = await Promise.all(results.slice(10_000));
    expect(refused.every((result) => !result.accepted && result.reason === 'inbox-full')).toBe(
      true,
    );
    // The run ends before the rest of them is processed: they are answered, too.
    const aborted = run.abort();
    expect(await aborted).toEqual({ accepted: false, reason: 'inbox-full' });
    void run.done;
  });
});

describe('a run id that is taken', () => {
  it('by a live run is refused, and the live run continues', async () => {
    const clock = virtualClock();
    const orchestrator = composeOrchestrator(
      { agents: [slowAgent('worker', clock, 100)], clock },
      undefined,
    );
    const plan = { steps: steps('a') };
    const run = orchestrator.start({ goal, runId: 'run', plan });
    const refused = orchestrator.start({ goal, runId: 'run', plan });
    expect((await refused.done).reason).toContain('RunConflictError');
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
    const again = orchestrator.start({ goal, runId: 'run', plan });
    await clock.runUntil(again.done);
    expect((await again.done).status).toBe('completed');
  });

  it('by a run in a slow store ends the second run with that reason, and no agent is called', async () => {
    const clock = virtualClock();
    const worker = slowAgent('worker', clock, 100);
    const inner = memoryStore();
    const store = slowStore(clock, 10, inner);
    const orchestrator = composeOrchestrator({ agents: [worker], clock, store }, undefined);
    const plan = { steps: steps('a') };
    const run = orchestrator.start({ goal, runId: 'run', plan });
    await clock.runUntil(run.done);
    const before = JSON.stringify(inner.read('run'));
    const second = orchestrator.start({ goal, runId: 'run', plan });
    await clock.runUntil(second.done);
    const report = await second.done;
    expect(report.status).toBe('failed');
    expect(report.reason).toContain('RunConflictError');
    expect(worker.calls).toHaveLength(1);
    expect(JSON.stringify(inner.read('run'))).toBe(before);
  });
});
