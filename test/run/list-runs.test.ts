import { describe, expect, it } from 'vitest';

import { blocked } from '../../src/agents/report.js';
import { ConfigurationError, RunNotFoundError } from '../../src/errors.js';
import type { RunStore } from '../../src/model/run-store.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { RunsQuery } from '../../src/run/list-runs.js';
import { memoryStore } from '../../src/services/memory-store.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { agentNamed, slowAgent, steps } from '../scenarios/team.js';
import { describeEveryStore } from './every-store.js';

const policy = definePolicy({ approval: { agents: ['asked'] } });
const plan = (agent: string) => ({ steps: steps(`${agent}:a`) });

const processOn = (store: RunStore) =>
  composeOrchestrator(
    {
      agents: [
        agentNamed('quick', () => 'done'),
        agentNamed('broken', () => {
          throw new Error('down');
        }),
        agentNamed('asked', () => 'done'),
      ],
      store,
      policy: definePolicy({ retry: { attempts: 1 }, approval: { agents: ['asked'] } }),
    },
    undefined,
  );

const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describeEveryStore('the list of runs', (open) => {
  it('shows status, goal, labels, phase, times and open approvals, newest first, page by page', async () => {
    const [store, other] = await open();
    const first = processOn(store);
    const started = [
      ['one', 'quick', 'acme'],
      ['two', 'broken', 'acme'],
      ['three', 'asked', 'umbrella'],
      ['four', 'quick', 'umbrella'],
    ] as const;
    for (const [runId, agent, tenant] of started) {
      const run = first.start({
        goal: `Goal ${runId}`,
        runId,
        plan: plan(agent),
        labels: { tenant },
      });
      if (agent === 'asked') {
        for await (const fact of run.facts()) if (fact.type === 'approval.requested') break;
      } else await run.done;
      await later();
    }
    const orchestrator = processOn(other);
    const idsOf = async (query?: RunsQuery): Promise<string[]> =>
      (await orchestrator.runs(query)).runs.map(({ runId }) => runId);
    const { runs, cursor } = await orchestrator.runs();
    expect(cursor).toBeNull();
    expect(runs.map(({ runId }) => runId)).toEqual(['four', 'three', 'two', 'one']);
    const [, waiting, failed] = runs;
    expect(waiting).toEqual({
      runId: 'three',
      goal: 'Goal three',
      labels: { tenant: 'umbrella' },
      status: 'running',
      phase: 'executing',
      reason: null,
      openApprovals: 1,
      startedAt: expect.any(Number) as number,
      updatedAt: expect.any(Number) as number,
      endedAt: null,
    });
    expect(failed).toMatchObject({
      status: 'failed',
      openApprovals: 0,
      endedAt: failed?.updatedAt,
    });
    expect(await idsOf({ order: 'oldest' })).toEqual(['one', 'two', 'three', 'four']);
    expect(await idsOf({ status: 'running' })).toEqual(['three']);
    expect(await idsOf({ labels: { tenant: 'acme' } })).toEqual(['two', 'one']);
    expect(await idsOf({ labels: { tenant: 'acme' }, status: 'completed' })).toEqual(['one']);
    expect(await idsOf({ since: failed?.startedAt ?? 0 })).toEqual(['four', 'three', 'two']);

    const pages: string[][] = [];
    for (let next: string | null | undefined; next !== null;) {
      const page = await orchestrator.runs({
        limit: 3,
        ...(next === undefined ? {} : { cursor: next }),
      });
      pages.push(page.runs.map(({ runId }) => runId));
      next = page.cursor;
    }
    expect(pages).toEqual([['four', 'three', 'two'], ['one']]);

    const remote = await orchestrator.connect('three');
    const [question] = remote.record().openApprovals;
    await remote.approve(question?.requestId ?? '');
    await remote.done;
    expect((await orchestrator.runs({ status: 'completed' })).runs[1]).toMatchObject({
      runId: 'three',
      openApprovals: 0,
    });
  });
});

describe('the list of runs', () => {
  it.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 1_001 }, 'limit'],
    [{ order: 'random' }, 'order'],
    [{ since: Number.NaN }, 'since'],
    [{ status: 7 }, 'status'],
    [{ labels: { tenant: 7 } }, 'labels'],
    [{ cursor: 'page 2' }, 'cursor'],
  ])('refuses an invalid query: %j', async (query, path) => {
    const refused = processOn(memoryStore()).runs(query as never);
    await expect(refused).rejects.toBeInstanceOf(ConfigurationError);
    await expect(refused).rejects.toMatchObject({ issues: [{ path }] });
  });

  it('needs a store', async () => {
    const { runs } = composeOrchestrator({ agents: [agentNamed('worker', () => 1)] }, undefined);
    await expect(runs()).rejects.toBeInstanceOf(RunNotFoundError);
  });

  it('counts the approvals that the record has open, after every fact and takeover', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    const planner = ({ depth }: { readonly depth: number }) => ({
      steps: depth === 0 ? steps('asked:a', 'asked:b', 'outer:c') : steps('asked:part'),
    });
    const agents = [
      slowAgent('asked', clock, 100),
      agentNamed('outer', () => blocked('Needs a person')),
    ];
    const options = { agents, planner, clock, store, policy, durability: { leaseMs: 1_000 } };
    let orchestrator = composeOrchestrator(options, undefined);
    let run = orchestrator.start({ goal: 'Ask', runId: 'run' });
    const counts: number[] = [];
    const compare = async (): Promise<void> => {
      await clock.settle();
      const [listed] = await store.list();
      expect(listed?.openApprovals).toBe(run.record().openApprovals.length);
      counts.push(listed?.openApprovals ?? -1);
    };
    await compare();
    const [first] = run.record().openApprovals;
    await run.approve(first?.requestId ?? '');
    await compare();
    await clock.runUntil(orchestrator.close({ graceMs: 0 }));
    orchestrator = composeOrchestrator(options, undefined);
    run = await orchestrator.resume('run');
    await compare();
    clock.advance(100);
    await compare();
    const [second] = run.record().openApprovals;
    await run.reject(second?.requestId ?? '', 'No');
    await compare();
    await run.abort('Enough');
    await compare();
    expect(Math.max(...counts)).toBeGreaterThan(1);
    expect(counts.at(-1)).toBe(0);
  });
});
