import { describe, expect, it } from 'vitest';

import type { FactParts } from './fact-factory.js';
import type { StepRecord } from '../../src/journal/record.js';
import { stepById } from './selectors.js';
import { adopted, factsOf, recordOf, recordOfFacts } from './fact-factory.js';

const one = adopted(['s1']);
const stepAfter = (...parts: readonly FactParts[]): StepRecord => {
  const step = stepById(recordOf(one, ...parts), 's1');
  if (step === undefined) throw new Error('Expected a step s1');
  return step;
};
const start = { type: 'step.started' } as const;

describe('a step of the record', () => {
  it('equals its plan, and waits', () => {
    const plan = adopted(
      [{ id: 's2', agent: 'tester', task: 'Test it', complexity: 'complex', dependsOn: ['s1'] }],
      { revision: 3 },
    );

    expect(recordOf(plan).steps).toEqual([
      {
        id: 's2',
        agent: 'tester',
        task: 'Test it',
        complexity: 'complex',
        dependsOn: ['s1'],
        status: 'pending',
        attempts: 0,
        output: null,
        isWhole: false,
        outputKeys: [],
        reason: null,
        code: null,
        usedFallback: false,
        confidence: null,
        usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
        waitedMs: 0,
        votes: null,
        revision: 3,
        depth: 0,
        parentStepId: null,
        startedAt: null,
        endedAt: null,
        durationMs: null,
      },
    ]);
  });

  it('runs, is attempted again, and completes with its output', () => {
    const running = stepAfter(start);
    expect(running).toMatchObject({ status: 'running', attempts: 1, startedAt: 10 });
    expect(stepAfter(start, { type: 'step.retried', attempt: 2 }).attempts).toBe(2);

    const completed = stepAfter(
      start,
      { type: 'agent.answered', key: 'k1', output: { files: ['a.ts'] } },
      { type: 'step.completed', attempts: 2, outputKeys: ['k1'] },
    );
    expect(completed).toMatchObject({
      status: 'completed',
      attempts: 2,
      output: { files: ['a.ts'] },
      outputKeys: ['k1'],
      reason: null,
      endedAt: 30,
      durationMs: 20,
    });
  });

  it('has its last vote: the votes cast, and the winner', () => {
    const cast = (number: number, key: string, digest: string): FactParts => ({
      type: 'vote.cast',
      number,
      key,
      digest,
      confidence: number / 10,
    });
    const none = stepAfter(start);
    const open = stepAfter(start, cast(2, 'k2', 'd'));
    const decided = [cast(1, 'k1', 'c'), cast(2, 'k2', 'd'), { type: 'vote.decided' } as const];
    const ballot = { number: 2, key: 'k2', digest: 'd', confidence: 0.2 };
    expect(none.votes).toBeNull();
    expect(open.votes).toEqual({
      choose: 'majority',
      of: 3,
      cast: [ballot],
      isDecided: false,
      winner: null,
    });
    expect(stepAfter(start, ...decided).votes).toEqual({
      choose: 'majority',
      of: 3,
      cast: [{ number: 1, key: 'k1', digest: 'c', confidence: 0.1 }, ballot],
      isDecided: true,
      winner: 1,
    });
    const again = { type: 'step.retried' } as const;
    const asked = { type: 'approval.requested', stepId: 's1' } as const;
    expect(stepAfter(start, ...decided, again).votes).toMatchObject({ isDecided: true });
    expect(stepAfter(start, ...decided, again, cast(2, 'k2', 'd')).votes).toEqual(open.votes);
    for (const interruption of [again, asked]) {
      expect(stepAfter(start, cast(1, 'k1', 'c'), interruption).votes).toBeNull();
    }
    expect(stepAfter(start, { type: 'step.failed' }, cast(1, 'k1', 'c')).votes).toBeNull();
  });

  it('has a list of outputs when several keys hold them, and none where a key holds nothing', () => {
    const answers = [
      { type: 'agent.answered', key: 'k1', output: 'first' },
      { type: 'agent.answered', key: 'k2', output: 2 },
    ] as const;

    const several = stepAfter(...answers, {
      type: 'step.completed',
      outputKeys: ['k1', 'k2', 'lost'],
    });
    expect(several.output).toEqual(['first', 2, null]);
    expect(stepAfter({ type: 'step.completed', outputKeys: ['lost'] }).output).toBeNull();
    expect(stepAfter({ type: 'step.completed', outputKeys: [] }).output).toBeNull();
  });

  it('has the reason why it failed, was skipped or was cancelled', () => {
    expect(stepAfter(start, { type: 'step.failed', code: 'threw', attempts: 3 })).toMatchObject({
      status: 'failed',
      code: 'threw',
      reason: 'It broke',
      attempts: 3,
      durationMs: 10,
    });
    expect(stepAfter({ type: 'step.skipped' })).toMatchObject({
      status: 'skipped',
      reason: 'human',
      code: null,
      endedAt: 10,
      durationMs: null,
    });
    expect(stepAfter(start, { type: 'step.cancelled' })).toMatchObject({
      status: 'cancelled',
      reason: 'time-limit',
    });
  });

  it('ends once', () => {
    const step = stepAfter(
      { type: 'step.completed' },
      { type: 'step.failed' },
      start,
      { type: 'subplan.started' },
      { type: 'approval.requested', stepId: 's1' },
    );

    expect(step).toMatchObject({ status: 'completed', endedAt: 10, startedAt: null });
  });

  it('is adopted once, whatever a later plan calls it', () => {
    const record = recordOf(one, adopted([{ id: 's1', task: 'Something else' }]));

    expect(record.steps.map((step) => step.task)).toEqual(['Write the code']);
  });

  it('is skipped when a later plan replaces it', () => {
    const record = recordOf(adopted(['s1', 's2']), adopted(['s3'], { replaced: ['s2'] }), {
      type: 'step.skipped',
      stepId: 's2',
      reason: 'replaced',
    });

    expect(record.steps.map(({ id, status, reason }) => [id, status, reason])).toEqual([
      ['s1', 'pending', null],
      ['s2', 'skipped', 'replaced'],
      ['s3', 'pending', null],
    ]);
  });

  it('is ignored where no plan has it', () => {
    const record = recordOf(
      start,
      { type: 'step.completed' },
      adopted(['x/a'], { parentStepId: 'x' }),
    );

    expect(record.steps).toEqual([]);
    expect(record.plans).toEqual([]);
  });

  it('has a duration of zero when the clock went backwards', () => {
    const [adoption, begin, end] = factsOf(one, start, { type: 'step.completed' });
    const record = recordOfFacts([adoption!, { ...begin!, at: 900 }, { ...end!, at: 100 }]);

    expect(record.steps[0]?.durationMs).toBe(0);
  });
});

describe('a step with a question', () => {
  const ask = { type: 'approval.requested', stepId: 's1' } as const;

  it('waits from the question to the answer', () => {
    expect(stepAfter(start, ask).status).toBe('awaitingApproval');
    expect(stepAfter(start, ask, { type: 'approval.granted' }).status).toBe('running');
    expect(stepAfter(start, ask, { type: 'approval.expired' }).status).toBe('running');
  });

  it('waits until its last question is answered', () => {
    const second = { ...ask, requestId: 'q2' } as const;

    expect(stepAfter(start, ask, second, { type: 'approval.granted' }).status).toBe(
      'awaitingApproval',
    );
  });

  it('closes the question when it ends without an answer', () => {
    const record = recordOf(one, start, ask, { type: 'step.skipped' });

    expect(record.openApprovals).toEqual([]);
    expect(record.approvals[0]).toMatchObject({ outcome: 'closed', reason: 'step-ended' });
  });
});

describe('a step with a sub-plan', () => {
  const subplan = [start, { type: 'subplan.started' }] as const;
  const inner = adopted(['s1/a', 's1/b'], { parentStepId: 's1' });
  const statuses = (...parts: readonly FactParts[]): Record<string, string> =>
    Object.fromEntries(recordOf(one, ...parts).steps.map(({ id, status }) => [id, status]));

  it('is blocked while the sub-plan runs', () => {
    expect(stepAfter(...subplan).status).toBe('blocked');
    expect(stepAfter(...subplan, { type: 'subplan.ended' }).status).toBe('running');
  });

  it('waits for a person when the sub-plan has to be approved', () => {
    const ask = { type: 'approval.requested', stepId: 's1' } as const;

    expect(stepAfter(...subplan, ask).status).toBe('awaitingApproval');
    expect(stepAfter(...subplan, ask, { type: 'approval.granted' }).status).toBe('blocked');
    const ended = recordOf(one, ...subplan, ask, { type: 'subplan.ended' });
    expect(ended.steps[0]?.status).toBe('running');
    expect(ended.approvals[0]).toMatchObject({ outcome: 'closed', reason: 'subplan-ended' });
  });

  it('is followed by the steps of the sub-plan, one level deeper', () => {
    const record = recordOf(one, ...subplan, inner, adopted(['s1/a/x'], { parentStepId: 's1/a' }));

    expect(record.steps.map(({ id, depth, parentStepId }) => [id, depth, parentStepId])).toEqual([
      ['s1', 0, null],
      ['s1/a', 1, 's1'],
      ['s1/b', 1, 's1'],
      ['s1/a/x', 2, 's1/a'],
    ]);
  });

  it('leaves nothing open below it when it ends, however it ends', () => {
    const deeper = adopted(['s1/a/x'], { parentStepId: 's1/a' });
    const question = { type: 'approval.requested', stepId: 's1/a/x' } as const;
    const parts = [...subplan, inner, deeper, question] as const;

    expect(
      statuses(...parts, { type: 'step.completed', stepId: 's1/b' }, { type: 'step.failed' }),
    ).toEqual({
      s1: 'failed',
      's1/a': 'cancelled',
      's1/b': 'completed',
      's1/a/x': 'cancelled',
    });
    expect(statuses(...parts, { type: 'subplan.ended' })).toMatchObject({
      s1: 'running',
      's1/a/x': 'cancelled',
    });
    expect(recordOf(one, ...parts, { type: 'step.failed' }).openApprovals).toEqual([]);
  });

  it('accepts no more steps after it ended', () => {
    expect(statuses({ type: 'step.completed' }, inner)).toEqual({ s1: 'completed' });
  });
});

describe('the end of a run', () => {
  it('cancels open steps', () => {
    const record = recordOf(adopted(['s1', 's2']), start, { type: 'run.ended' });

    expect(
      record.steps.map(({ status, reason, durationMs }) => [status, reason, durationMs]),
    ).toEqual([
      ['cancelled', 'run-ended', 10],
      ['cancelled', 'run-ended', null],
    ]);
  });
});
