import { describe, expect, it } from 'vitest';

import { recordOf } from './fact-factory.js';

const ask = { type: 'approval.requested', question: 'May it?', payload: { plan: 1 } } as const;

describe('approvals of a record', () => {
  it('are open until they are answered', () => {
    const { openApprovals, approvals } = recordOf(ask);

    expect(openApprovals).toEqual([
      {
        requestId: 'q1',
        stepId: null,
        question: 'May it?',
        payload: { plan: 1 },
        requestedAt: 0,
      },
    ]);
    expect(approvals).toMatchObject([{ requestId: 'q1', outcome: 'open', decidedAt: null }]);
  });

  it.each([
    [
      { type: 'approval.granted', answer: 'Go' },
      { outcome: 'granted', answer: 'Go' },
    ],
    [
      { type: 'approval.rejected', reason: 'No' },
      { outcome: 'rejected', reason: 'No' },
    ],
    [
      { type: 'approval.expired', outcome: 'reject' },
      { outcome: 'expired', expiredAs: 'reject' },
    ],
  ] as const)('are kept with their result: %o', (decision, expected) => {
    const { openApprovals, approvals } = recordOf(ask, decision);

    expect(openApprovals).toEqual([]);
    expect(approvals).toEqual([
      {
        requestId: 'q1',
        stepId: null,
        question: 'May it?',
        payload: { plan: 1 },
        requestedAt: 0,
        answer: null,
        reason: null,
        by: null,
        expiredAs: null,
        decidedAt: 10,
        ...expected,
      },
    ]);
  });

  it('are decided once', () => {
    const { approvals } = recordOf(
      ask,
      { type: 'approval.rejected' },
      { type: 'approval.granted' },
    );

    expect(approvals).toMatchObject([{ outcome: 'rejected', decidedAt: 10 }]);
  });

  it('ignore an answer to an unknown question', () => {
    expect(recordOf({ type: 'approval.granted' }).approvals).toEqual([]);
  });

  it('ignore a question from a step that is not on the plan', () => {
    expect(recordOf({ ...ask, stepId: 'nobody' }).approvals).toEqual([]);
  });

  it('keep two consecutive questions under one id apart', () => {
    const { approvals } = recordOf(ask, { type: 'approval.granted' }, ask);

    expect(approvals.map((approval) => approval.outcome)).toEqual(['granted', 'open']);
  });

  it('are closed when the run winds down, because answers are refused from then on', () => {
    const { openApprovals, approvals } = recordOf(ask, {
      type: 'phase.entered',
      phase: 'windingDown',
    });

    expect(openApprovals).toEqual([]);
    expect(approvals).toMatchObject([{ outcome: 'closed', reason: 'winding-down', decidedAt: 10 }]);
  });

  it('are closed when the run ends', () => {
    const { openApprovals, approvals } = recordOf(ask, { type: 'run.ended', status: 'aborted' });

    expect(openApprovals).toEqual([]);
    expect(approvals).toMatchObject([{ outcome: 'closed', reason: 'run-ended' }]);
  });
});
