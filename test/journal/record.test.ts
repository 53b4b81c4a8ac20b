import { describe, expect, it } from 'vitest';

import { createRecordBuilder } from '../../src/journal/record.js';
import { adopted, factsOf, proposed, recordOf } from './fact-factory.js';

const started = { type: 'run.started' } as const;

describe('the run record', () => {
  it('has only its input before the first fact', () => {
    const builder = createRecordBuilder({ runId: 'r7', goal: 'Fly' });

    expect(builder.record()).toMatchObject({
      runId: 'r7',
      goal: 'Fly',
      status: 'running',
      phase: null,
      steps: [],
      endedAt: null,
    });
  });

  it('has the run id, the goal and the current state of the run', () => {
    const record = recordOf(
      started,
      { type: 'phase.entered', phase: 'planning' },
      { type: 'phase.entered', phase: 'executing' },
      { type: 'phase.entered', phase: 'replanning', parentStepId: 's1' },
    );

    expect(record).toMatchObject({
      runId: 'r1',
      goal: 'Add a login',
      status: 'running',
      phase: 'executing',
      reason: null,
      escalation: 'none',
      startedAt: 0,
      endedAt: null,
    });
  });

  it('returns the same frozen object until a fact is added', () => {
    const [first, second] = factsOf(started, { type: 'conversation.said', text: 'Hello' });
    const builder = createRecordBuilder();
    builder.add(first!);
    const before = builder.record();

    expect(builder.record()).toBe(before);
    expect(Object.isFrozen(before)).toBe(true);

    builder.add(second!);
    expect(builder.record()).not.toBe(before);
    expect(before.conversation).toEqual([]);
    expect(builder.record().conversation).toEqual(['Hello']);
  });

  it('keeps the summary, the reason and the end of the run', () => {
    const record = recordOf(
      started,
      { type: 'agent.answered', role: 'summarizer', key: 'r1/plan/summarizer', output: 'All done' },
      { type: 'run.ended', status: 'completed', reason: 'done', summaryKey: 'r1/plan/summarizer' },
    );

    expect(record).toMatchObject({
      status: 'completed',
      reason: 'done',
      summary: 'All done',
      endedAt: 20,
    });
  });

  it('never changes after the end of the run', () => {
    const builder = createRecordBuilder();
    const facts = factsOf(
      started,
      adopted(['s1']),
      { type: 'run.ended', status: 'failed', reason: 'internal-error' },
      { type: 'conversation.said' },
      { type: 'step.completed' },
      { type: 'run.ended', status: 'completed' },
    );
    for (const fact of facts.slice(0, 3)) builder.add(fact);
    const ended = builder.record();
    for (const fact of facts.slice(3)) builder.add(fact);

    expect(builder.record()).toBe(ended);
    expect(ended).toMatchObject({ status: 'failed', reason: 'internal-error', endedAt: 20 });
  });

  it('begins with the first fact even when that is the end', () => {
    const [end] = factsOf({ type: 'run.ended', status: 'failed', reason: 'store-unavailable' });
    const builder = createRecordBuilder({ runId: 'r7', goal: 'Fly' });
    builder.add({ ...end!, at: 500 });

    expect(builder.record()).toMatchObject({ runId: 'r7', startedAt: 500, endedAt: 500 });
  });
});

describe('the plans of a record', () => {
  it('are proposed, then adopted under their final ids', () => {
    const before = recordOf(started, proposed(['s1', 's2']));
    expect(before.plans).toMatchObject([{ revision: 0, origin: 'planner', status: 'proposed' }]);
    expect(before.plans[0]?.steps.map((step) => step.id)).toEqual(['s1', 's2']);

    const after = recordOf(
      started,
      proposed(['s1'], { revision: 1 }),
      adopted(['s1_rp1'], { revision: 1 }),
    );
    expect(after.plans).toHaveLength(1);
    expect(after.plans[0]).toMatchObject({ revision: 1, status: 'adopted', parentStepId: null });
    expect(after.plans[0]?.steps.map((step) => step.id)).toEqual(['s1_rp1']);
  });

  it('are kept when they are rejected, with the rejecting part and the reason, beside the next try', () => {
    const { plans } = recordOf(
      started,
      proposed(['s1']),
      { type: 'plan.rejected', by: 'human', reason: 'Too risky' },
      proposed(['s2']),
      adopted(['s2']),
    );

    expect(plans).toMatchObject([
      { revision: 0, status: 'rejected', by: 'human', reason: 'Too risky', steps: [{ id: 's1' }] },
      { revision: 0, status: 'adopted', steps: [{ id: 's2' }] },
    ]);
    expect(plans[1]).not.toHaveProperty('by');
  });

  it('have an entry for a planner call without a plan', () => {
    const { plans } = recordOf(started, {
      type: 'plan.rejected',
      by: 'planner',
      reason: 'planning-failed',
    });

    expect(plans).toEqual([
      {
        revision: 0,
        parentStepId: null,
        origin: 'planner',
        status: 'rejected',
        steps: [],
        by: 'planner',
        reason: 'planning-failed',
        issues: [],
      },
    ]);
  });

  it('of a sub-plan are reviewed apart from those of the goal', () => {
    const { plans } = recordOf(
      started,
      adopted(['s1']),
      proposed(['s9'], { revision: 1 }),
      proposed(['a'], { parentStepId: 's1', revision: 1 }),
      { type: 'plan.rejected', parentStepId: 's1', revision: 1 },
    );

    expect(plans.map(({ parentStepId, status }) => [parentStepId, status])).toEqual([
      [null, 'adopted'],
      [null, 'proposed'],
      ['s1', 'rejected'],
    ]);
  });

  it('count a hand-off as a replan, because it spends one', () => {
    const record = recordOf(
      started,
      adopted(['s1']),
      proposed(['reviewer'], { revision: 1, origin: 'handOff' }),
      adopted(['reviewer_rp1'], { revision: 1 }),
    );

    expect(record.replans).toBe(1);
    expect(record.metrics.replanCount).toBe(1);
    expect(record.plans[1]?.origin).toBe('handOff');
  });

  it('count the replans of sub-plans in the metrics but not against the bound of the goal', () => {
    const record = recordOf(
      started,
      adopted(['s1']),
      { type: 'replan.started', replans: 1, maxReplans: 2 },
      { type: 'replan.started', parentStepId: 's1', replans: 1, maxReplans: 2 },
      { type: 'request.refused', parentStepId: 's1', limit: 7 },
    );

    expect(record).toMatchObject({ replans: 1, maxReplans: 2, metrics: { replanCount: 2 } });
  });
});

describe('verdicts and escalations of a record', () => {
  it('are kept in order, and the last level is the level of the run', () => {
    const record = recordOf(
      started,
      { type: 'verdict.given', subject: 'step', stepId: 's1', score: 40, passed: false },
      { type: 'escalation.changed', from: 'none', to: 'refocus', score: 40 },
      { type: 'verdict.given', subject: 'goal', score: 95, passed: true },
      { type: 'escalation.changed', from: 'refocus', to: 'none', score: 95, consecutiveIssues: 0 },
    );

    expect(record.verdicts.map(({ subject, score, at }) => [subject, score, at])).toEqual([
      ['step', 40, 10],
      ['goal', 95, 30],
    ]);
    expect(record.escalations).toEqual([
      { from: 'none', to: 'refocus', score: 40, consecutiveIssues: 1, at: 20 },
      { from: 'refocus', to: 'none', score: 95, consecutiveIssues: 0, at: 40 },
    ]);
    expect(record.escalation).toBe('none');
    expect(record.metrics).toMatchObject({ verificationsPassed: 1, verificationsFailed: 1 });
  });
});

describe('the metrics of a record', () => {
  const noReplans = { replanRequests: 0, replansGranted: 0, stepsAdded: 0 };

  it('count calls, answers, errors and latencies by agent', () => {
    const { metrics } = recordOf(
      { type: 'agent.called', agent: 'coder', key: 'a' },
      { type: 'agent.called', agent: 'tester', key: 'b' },
      { type: 'agent.failed', agent: 'coder', key: 'a' },
      { type: 'agent.called', agent: 'coder', key: 'a#2' },
      { type: 'agent.answered', agent: 'coder', key: 'a#2' },
      { type: 'agent.answered', agent: 'tester', key: 'b' },
    );

    expect(metrics.agents).toEqual({
      coder: { ...noReplans, calls: 2, errors: 1, answers: 1, totalLatencyMs: 30 },
      tester: { ...noReplans, calls: 1, errors: 0, answers: 1, totalLatencyMs: 40 },
    });
  });

  it('count a refused call as an error with no duration', () => {
    const { metrics } = recordOf({ type: 'agent.failed', code: 'breaker-open' });

    expect(metrics.agents['coder']).toMatchObject({ calls: 0, errors: 1, totalLatencyMs: 0 });
  });

  it('count requests of agents, not replans caused by their failures', () => {
    const { metrics } = recordOf(
      { type: 'replan.requested', kind: 'requestReplan' },
      { type: 'replan.requested', kind: 'needsContext' },
      { type: 'replan.requested', kind: 'stepFailed' },
      { type: 'replan.requested', kind: 'goalNotAchieved', agent: null },
    );

    expect(metrics.agents['coder']?.replanRequests).toBe(2);
  });

  it('count a request as granted once, and its plan for the agents of the last request', () => {
    const { metrics } = recordOf(
      adopted(['s1', 's2']),
      { type: 'replan.requested', stepId: 's1', agent: 'coder' },
      { type: 'replan.requested', stepId: 's2', agent: 'tester' },
      { type: 'replan.started', stepIds: ['s1', 's2'] },
      { type: 'plan.rejected', revision: 1 },
      { type: 'replan.started', stepIds: ['s2', 'unknown'] },
      adopted(['s3', 's4'], { revision: 1 }),
      adopted(['s3/a'], { parentStepId: 's3' }),
      adopted(['s5'], { revision: 2 }),
    );

    expect(metrics.agents).toMatchObject({
      coder: { replanRequests: 1, replansGranted: 1, stepsAdded: 0 },
      tester: { replanRequests: 1, replansGranted: 1, stepsAdded: 2 },
    });
  });

  it('count agents under any name', () => {
    const { metrics } = recordOf({ type: 'agent.called', agent: '__proto__' });

    expect(Object.keys(metrics.agents)).toEqual(['__proto__']);
  });

  it('count steps and fix cycles, sub-plans included', () => {
    const { metrics } = recordOf(
      adopted(['s1', 's2', 's3']),
      { type: 'fix.started' },
      adopted(['s1/a'], { parentStepId: 's1' }),
      { type: 'fix.started', stepId: 's1/a' },
      { type: 'step.completed', stepId: 's1/a' },
      { type: 'step.completed', stepId: 's1' },
      { type: 'step.failed', stepId: 's2' },
      { type: 'step.failed', stepId: 's2' },
    );

    expect(metrics).toMatchObject({
      totalSteps: 4,
      completedSteps: 2,
      failedSteps: 1,
      fixCycles: 2,
    });
  });

  it('add up the usage of the agents', () => {
    const { usage } = recordOf(
      { type: 'agent.answered', usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.25 } },
      { type: 'agent.answered', usage: { inputTokens: 1 } },
      { type: 'agent.answered', usage: null },
    );

    expect(usage).toEqual({ inputTokens: 11, outputTokens: 5, costUsd: 0.25 });
  });
});
