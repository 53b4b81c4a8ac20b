import { describe, expect, it } from 'vitest';

import type { Agent } from '../../src/agents/agent.js';
import type { Fact } from '../../src/model/facts.js';
import type { Orchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import type { Policy } from '../../src/policy/policy.js';
import { definePolicy } from '../../src/policy/policy.js';
import { verificationBudgetMs } from '../../src/guards/time-budgets.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore } from '../../src/model/run-store.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { factsOf, storeWith } from '../run/runs.js';
import { checkInvariants } from '../../src/testing/invariants/check-invariants.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { expectNoLeaks, watchedClock } from './no-leaks.js';

expectNoLeaks();

/*
 * Deadlines in the store: a deadline is the time of the entry that armed it plus its delay, by the wall clock. Real
 * processes are in test/crash.
 */

/** A run in which one timer is all that happens. */
interface Waiting {
  readonly policy: Policy;
  readonly agent: () => Agent;
  /** What the timer causes. */
  readonly isDue: (fact: Fact) => boolean;
}

const hanging = () => agentNamed('worker', () => new Promise(() => undefined));

const WAITING: Readonly<Record<string, Waiting>> = {
  'the timeout of an attempt': {
    policy: definePolicy({ time: { stepTimeoutMs: 10_000 }, retry: { attempts: 1 } }),
    agent: hanging,
    isDue: (fact) => fact.type === 'agent.failed' && fact.code === 'timeout',
  },
  'the pause before a retry': {
    policy: definePolicy({ retry: { attempts: 2, backoffMs: 10_000, maxBackoffMs: 10_000 } }),
    agent: () =>
      agentNamed('worker', (call) => {
        if (!call.key.includes('#')) throw new Error('Not at the first try');
        return 'done';
      }),
    isDue: (fact) => fact.type === 'agent.called' && fact.try === 2,
  },
  'the time for an answer': {
    policy: definePolicy({ approval: { agents: ['worker'], timeoutMs: 10_000, onReject: 'skip' } }),
    agent: hanging,
    isDue: (fact) => fact.type === 'approval.expired',
  },
  'the time of the whole run': {
    policy: definePolicy({
      time: { limitMs: 10_000 },
      approval: { agents: ['worker'], timeoutMs: 60_000 },
    }),
    agent: hanging,
    isDue: (fact) => fact.type === 'time.executionClosed',
  },
};

const orchestratorFor = (
  { policy, agent }: Waiting,
  clock: VirtualClock,
  store: RunStore,
): Orchestrator => composeOrchestrator({ agents: [agent()], clock, store, policy }, undefined);

const START_MS = 1_000_000;

/** The journal of a run that has just begun to wait, and the time its timer is due. */
const crashed = async (waiting: Waiting) => {
  const clock = watchedClock({ startMs: START_MS });
  const store = memoryStore();
  const run = orchestratorFor(waiting, clock, store).start({
    goal: 'The goal',
    runId: 'run',
    plan: { steps: steps('a') },
  });
  await clock.settle();
  const entryCount = run.journal().length;
  await clock.runUntil(run.done);
  const due = factsOf(run).filter(waiting.isDue);
  expect(due).toHaveLength(1);
  return { store: await storeWith(store, 'run', entryCount), dueMs: due[0]?.at ?? 0 };
};

/** When the timer fires, if the run is resumed at a given time. */
const dueAfter = async (waiting: Waiting, store: RunStore, resumedMs: number) => {
  const clock = watchedClock({ startMs: resumedMs });
  const run = await orchestratorFor(waiting, clock, store).resume('run');
  await clock.runUntil(run.done);
  expect(clock.pending()).toBe(0);
  return factsOf(run)
    .filter(waiting.isDue)
    .map(({ at }) => at);
};

describe('a resumed run', () => {
  it('fires every timer when it was due, when it is resumed immediately', async () => {
    for (const [name, waiting] of Object.entries(WAITING)) {
      const { store, dueMs } = await crashed(waiting);
      expect(await dueAfter(waiting, store, START_MS), name).toEqual([dueMs]);
    }
  });

  it('has half of the time left on every timer, when it is resumed after the other half', async () => {
    for (const [name, waiting] of Object.entries(WAITING)) {
      const { store, dueMs } = await crashed(waiting);
      const halfMs = START_MS + Math.floor((dueMs - START_MS) / 2);
      expect(await dueAfter(waiting, store, halfMs), name).toEqual([dueMs]);
    }
  });

  it('fires every timer immediately, and once, when it is resumed after ten times the time', async () => {
    for (const [name, waiting] of Object.entries(WAITING)) {
      const { store, dueMs } = await crashed(waiting);
      const lateMs = START_MS + 10 * (dueMs - START_MS);
      expect(await dueAfter(waiting, store, lateMs), name).toEqual([lateMs]);
    }
  });

  it('keeps the first deadline when it is resumed again and again', async () => {
    for (const [name, waiting] of Object.entries(WAITING)) {
      const { store, dueMs } = await crashed(waiting);
      for (const part of [0.25, 0.5, 0.75, 0.99]) {
        const clock = watchedClock({ startMs: Math.floor(START_MS + part * (dueMs - START_MS)) });
        const run = await orchestratorFor(
          waiting,
          clock,
          await storeWith(store, 'run', 1_000),
        ).resume('run');
        await clock.settle();
        expect(factsOf(run).filter(waiting.isDue), name).toEqual([]);
        await run.abort();
      }
      expect(await dueAfter(waiting, store, dueMs - 1), name).toEqual([dueMs]);
    }
  });

  it('on a machine a year ahead fires everything due immediately, once and in order, and starts nothing after the end of its time', async () => {
    for (const [name, waiting] of Object.entries(WAITING)) {
      const { store } = await crashed(waiting);
      const aheadMs = START_MS + 365 * 24 * 3_600_000;
      const clock = watchedClock({ startMs: aheadMs });
      const run = await orchestratorFor(waiting, clock, store).resume('run');
      await clock.runUntil(run.done);
      const { policy } = waiting;
      const told = factsOf(run).filter(({ at }) => at >= aheadMs);
      // The limit of the run is long over: the run ends, with its time to conclude and its grace period, and makes no
      // call.
      // A backoff that ended before the limit is followed by its try, as it would have been then.
      const closed = told.findIndex(({ type }) => type === 'time.executionClosed');
      expect(
        told.slice(closed).filter(({ type }) => type === 'agent.called'),
        name,
      ).toEqual([]);
      expect(told.slice(0, closed).some(waiting.isDue) || closed === 0, name).toBe(true);
      expect(told.filter(waiting.isDue).length, name).toBeLessThanOrEqual(1);
      expect(told.at(-1), name).toMatchObject({ type: 'run.ended' });
      expect(clock.now() - aheadMs, name).toBeLessThanOrEqual(
        verificationBudgetMs(policy) + policy.time.graceMs,
      );
      for (const { at } of told) expect(at, name).toBeGreaterThanOrEqual(aheadMs);
    }
  });

  it('on a machine an hour behind continues from the time of the journal, and no timer gets longer', async () => {
    const hourMs = 3_600_000;
    for (const [name, waiting] of Object.entries(WAITING)) {
      const { store, dueMs } = await crashed(waiting);
      const clock = watchedClock({ startMs: START_MS - hourMs });
      const orchestrator = orchestratorFor(waiting, clock, store);
      const run = await orchestrator.resume('run');
      await clock.runUntil(run.done);
      const facts = factsOf(run);
      expect(
        checkInvariants(facts, { policy: orchestrator.policy, bounds: orchestrator.bounds() }),
        name,
      ).toEqual([]);
      expect(facts.find(waiting.isDue)?.at, name).toBe(dueMs);
    }
  });
});
