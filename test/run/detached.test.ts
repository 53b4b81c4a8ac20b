import { describe, expect, it } from 'vitest';

import { StoreUnavailableError } from '../../src/errors.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import type { RunStore } from '../../src/model/run-store.js';
import type { RunReport } from '../../src/journal/report.js';
import { memoryStore } from '../../src/services/memory-store.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { agentNamed, slowAgent, steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { describeEveryStore } from './every-store.js';

expectNothingUnhandled();

const input = {
  goal: 'The goal of the run',
  runId: 'run',
  plan: { steps: steps('a', 'b<a', 'c<b') },
};

/** The status of every step, by its id. */
const statuses = ({ steps: all }: RunReport): Record<string, string> =>
  Object.fromEntries(all.map(({ id, status }) => [id, status]));

describeEveryStore('a run whose orchestrator is closed', (open) => {
  it('is detached with its steps as they are, and ends elsewhere with a final report', async () => {
    const [store, other] = await open();
    const hanging = agentNamed('worker', ({ step, signal }) =>
      step.id === 'b'
        ? new Promise((_, stop) => signal.addEventListener('abort', stop))
        : `did ${step.id}`,
    );
    const first = composeOrchestrator({ agents: [hanging], store }, undefined);
    const run = first.start(input);
    for await (const fact of run.facts()) {
      if (fact.type === 'agent.called' && fact.stepId === 'b') break;
    }
    await first.close({ graceMs: 1 });
    const report = await run.done;
    expect(report).toMatchObject({
      status: 'detached',
      reason: 'stopped: the orchestrator was closed',
      isFinal: false,
      allSucceeded: false,
      successfulSteps: ['a'],
      failedSteps: [],
      cancelledSteps: [],
    });
    expect(statuses(report)).toEqual({ a: 'completed', b: 'running', c: 'pending' });
    expect(run.record().status).toBe('detached');
    expect((await other.list())[0]).toMatchObject({ status: 'running', reason: null });

    const worker = agentNamed('worker', ({ step }) => `did ${step.id}`);
    const resumed = await composeOrchestrator({ agents: [worker], store: other }, undefined).resume(
      'run',
    );
    expect(await resumed.done).toMatchObject({ status: 'completed', isFinal: true });
  });
});

const away = () => {
  throw new StoreUnavailableError('The network is gone');
};

describe('a run that this process loses', () => {
  it('is detached when its store stays away, and its steps keep their state', async () => {
    const clock = virtualClock();
    const inner = memoryStore();
    let isAway = false;
    const append: RunStore['append'] = (...given) => (isAway ? away() : inner.append(...given));
    const agents = [slowAgent('worker', clock, 100)];
    const store = { ...inner, append };
    const run = composeOrchestrator({ agents, clock, store }, undefined).start(input);
    await clock.settle();
    clock.advance(100);
    await clock.settle();
    isAway = true;
    await clock.runUntil(run.done);
    const report = await run.done;
    expect(report.reason).toMatch(/^store-unavailable: StoreUnavailableError: /);
    expect(report).toMatchObject({ status: 'detached', isFinal: false });
    expect(statuses(report)).toEqual({ a: 'completed', b: 'running', c: 'pending' });
  });

  it('is detached when another process takes it over', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    const agents = [slowAgent('worker', clock, 10_000)];
    const durability = { leaseMs: 1_000 };
    // The first process sleeps: its timers do not fire.
    const asleep = { ...clock, setTimeout: () => undefined };
    const first = composeOrchestrator({ agents, clock: asleep, store, durability }, undefined);
    const run = first.start(input);
    await clock.settle();
    clock.advance(2_000);
    const second = composeOrchestrator({ agents, clock, store, durability }, undefined);
    const resumed = await second.resume('run');
    void run.pause();
    const report = await run.done;
    expect(report.reason).toMatch(/^taken-over: /);
    expect(report).toMatchObject({ status: 'detached', isFinal: false, failedSteps: [] });
    expect(statuses(report)).toEqual({ a: 'running', b: 'pending', c: 'pending' });
    await clock.runUntil(resumed.done);
    expect(await resumed.done).toMatchObject({ status: 'completed', isFinal: true });
  });

  it('ends for good when there is no store: it cannot go on', async () => {
    const clock = virtualClock();
    const orchestrator = composeOrchestrator(
      { agents: [slowAgent('worker', clock, 100)], clock },
      undefined,
    );
    const run = orchestrator.start(input);
    await clock.settle();
    await clock.runUntil(orchestrator.close({ graceMs: 0 }));
    expect(await run.done).toMatchObject({
      status: 'failed',
      reason: 'stopped: the orchestrator was closed',
      isFinal: true,
    });
  });
});
