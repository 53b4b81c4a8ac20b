import { describe, expect, it } from 'vitest';

import { done } from '../../src/agents/report.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { agentNamed, steps } from '../scenarios/team.js';

/* What a record says about people, time, money and fallbacks. */

const idle = agentNamed('worker', () => 'ok');

describe('the record of a run', () => {
  it('tells the time that it waited for people from the time that it worked', async () => {
    const clock = virtualClock({ startMs: 1_000 });
    const worker = agentNamed('worker', async ({ signal }) => {
      await clock.sleep(10, signal);
      return 'ok';
    });
    const policy = definePolicy({ approval: { agents: ['worker'] } });
    const orchestrator = composeOrchestrator({ agents: [worker], policy, clock }, undefined);
    const run = orchestrator.start({ goal: 'Work', plan: { steps: steps('a') } });
    await clock.settle();
    clock.advance(500);
    expect(await run.approve('a:1.1', { answer: 'Go', by: 'Ada' })).toEqual({ accepted: true });
    await clock.runUntil(run.done);
    const report = await run.done;
    expect(report).toMatchObject({ durationMs: 510, waitedMs: 500, workedMs: 10 });
    expect(report.steps[0]).toMatchObject({ durationMs: 510, waitedMs: 500 });
    expect(report.approvals).toMatchObject([{ outcome: 'granted', answer: 'Go', by: 'Ada' }]);
    expect(run.record().phase).toBe('ended');
  });

  it('says who rejected, and names no one when the sender did not say', async () => {
    const policy = definePolicy({ approval: { agents: ['worker'] } });
    const orchestrator = composeOrchestrator({ agents: [idle], policy }, undefined);
    const plan = { steps: steps('a', 'b') };
    const run = orchestrator.start({ goal: 'Work', plan });
    await run.reject('a:1.1', { reason: 'Not now', by: 'Grace' });
    await run.reject('b:1.1');
    const { approvals } = await run.done;
    expect(approvals).toMatchObject([
      { outcome: 'rejected', reason: 'Not now', by: 'Grace' },
      { outcome: 'rejected', reason: 'Rejected', by: null },
    ]);
  });

  it('says since when it is paused', async () => {
    const clock = virtualClock({ startMs: 1_000 });
    const policy = definePolicy({ approval: { agents: ['worker'] } });
    const orchestrator = composeOrchestrator({ agents: [idle], policy, clock }, undefined);
    const run = orchestrator.start({ goal: 'Work', plan: { steps: steps('a') } });
    expect(run.record().pausedAt).toBeNull();
    clock.advance(50);
    await run.pause();
    expect(run.record().pausedAt).toBe(1_050);
    await run.unpause();
    expect(run.record().pausedAt).toBeNull();
    await run.abort();
  });

  it('has the usage, the confidence and the use of a fallback for every step', async () => {
    const agent = {
      ...agentNamed('worker', () => {
        throw new Error('Down');
      }),
      fallback: () => done('from the fallback', { confidence: 0.4, usage: { costUsd: 0.02 } }),
    };
    const policy = definePolicy({ retry: { attempts: 1 } });
    const orchestrator = composeOrchestrator(
      { agents: [agent], policy, onError: () => undefined },
      undefined,
    );
    const report = await orchestrator.start({ goal: 'Work', plan: { steps: steps('a') } }).done;
    expect(report.steps[0]).toMatchObject({
      status: 'completed',
      usedFallback: true,
      confidence: 0.4,
      usage: { inputTokens: 0, outputTokens: 0, costUsd: 0.02 },
    });
  });
});
