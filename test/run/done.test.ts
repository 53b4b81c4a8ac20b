import { describe, expect, it } from 'vitest';

import { definePolicy } from '../../src/policy/policy.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { factsOf, started } from './runs.js';

expectNothingUnhandled();

describe('done', () => {
  for (const [name, options, status] of [
    ['completes', {}, 'completed'],
    [
      'fails',
      {
        agents: [
          agentNamed('worker', () => {
            throw new Error('down');
          }),
        ],
      },
      'failed',
    ],
    [
      'is out of time',
      {
        policy: definePolicy({ time: { limitMs: 1_000 }, approval: { agents: ['worker'] } }),
      },
      'timeExpired',
    ],
    [
      'is out of budget',
      { policy: definePolicy({ limits: { maxAgentCalls: 1 } }) },
      'budgetExhausted',
    ],
    ['has no plan', { planner: () => ({}) as never }, 'failed'],
    [
      'has a planner that throws',
      {
        planner: () => {
          throw new Error('down');
        },
      },
      'failed',
    ],
  ] as const) {
    it(`resolves with a report when the run ${name}`, async () => {
      const { run, clock } = started(options);
      await clock.runUntil(run.done);
      const report = await run.done;
      expect(report.status).toBe(status);
      expect(report.reason).not.toBe('');
      expect(report.reason).not.toContain('internal-error');
      expect(report.runId).toBe('run');
      expect(clock.pending()).toBe(0);
    });
  }

  it('resolves with the same report for every caller, before or after the end', async () => {
    const { run, clock } = started();
    const early = run.done;
    await clock.runUntil(run.done);
    expect(await run.done).toBe(await early);
  });

  it('resolves immediately when the run is aborted', async () => {
    const { run, clock } = started();
    await clock.settle();
    expect(await run.abort('Never mind')).toEqual({ accepted: true });
    expect(await run.done).toMatchObject({ status: 'aborted', reason: 'Never mind' });
    expect(clock.pending()).toBe(0);
  });
});

describe('record', () => {
  it('is the current state of the run at any time, and a returned record never changes', async () => {
    const { run, clock } = started();
    await clock.settle();
    const first = run.record();
    expect(first).toMatchObject({ status: 'running', phase: 'executing', reason: null });
    expect(first.steps.map(({ status }) => status)).toEqual(['running', 'pending', 'pending']);
    expect(run.record()).toBe(first);

    clock.advance(100);
    await clock.settle();
    expect(run.record().steps.map(({ status }) => status)).toEqual([
      'completed',
      'running',
      'pending',
    ]);
    expect(first.steps.map(({ status }) => status)).toEqual(['running', 'pending', 'pending']);

    await clock.runUntil(run.done);
    expect(run.record()).toMatchObject({ status: 'completed', endedAt: 300 });
  });

  it('shows open questions, and the report shows how they were answered', async () => {
    const { run, clock } = started(
      {
        policy: definePolicy({ approval: { agents: ['worker'] } }),
      },
      { plan: { steps: steps('a') } },
    );
    await clock.settle();
    expect(run.record().openApprovals).toMatchObject([{ requestId: 'a:1.1', stepId: 'a' }]);
    expect(run.record().steps).toMatchObject([{ status: 'awaitingApproval' }]);
    expect(await run.approve('a:1.1', 'Fine')).toEqual({ accepted: true });
    expect(run.record().openApprovals).toEqual([]);
    await clock.runUntil(run.done);
    expect((await run.done).approvals).toMatchObject([{ outcome: 'granted', answer: 'Fine' }]);
  });
});

describe('journal', () => {
  it('returns a new list: changing it changes nothing', async () => {
    const { run, clock } = started();
    await clock.settle();
    (run.journal() as unknown[]).length = 0;
    await clock.runUntil(run.done);
    expect(run.journal().map(({ sequence }) => sequence)).toEqual(
      run.journal().map((_, index) => index),
    );
    expect(factsOf(run)[0]?.type).toBe('run.started');
  });

  it('is plain JSON', async () => {
    const { run, clock } = started();
    await clock.runUntil(run.done);
    expect(JSON.parse(JSON.stringify(run.journal()))).toEqual(run.journal());
  });
});
