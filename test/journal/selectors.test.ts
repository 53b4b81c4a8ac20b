import { describe, expect, it } from 'vitest';

import { openApprovals, stepById, transcript } from '../../src/journal/selectors.js';
import { adopted, factsOf, proposed, recordOf } from './fact-factory.js';

describe('stepById', () => {
  it('finds a step by its path, or nothing', () => {
    const record = recordOf(adopted(['s1']), adopted(['s1/a'], { parentStepId: 's1' }));

    expect(stepById(record, 's1/a')?.depth).toBe(1);
    expect(stepById(record, 'a')).toBeUndefined();
  });
});

describe('openApprovals', () => {
  it('gives the questions that wait, the oldest first', () => {
    const record = recordOf(
      { type: 'approval.requested', requestId: 'q1' },
      { type: 'approval.requested', requestId: 'q2' },
      { type: 'approval.requested', requestId: 'q3' },
      { type: 'approval.granted', requestId: 'q2' },
    );

    expect(openApprovals(record).map(({ requestId }) => requestId)).toEqual(['q1', 'q3']);
  });
});

describe('transcript', () => {
  it('reads the messages of the team off the facts, in order, with what they are about', () => {
    const facts = factsOf(
      { type: 'run.started' },
      { type: 'agent.called', role: 'planner', agent: 'planner', message: 'PLAN_REQUEST' },
      proposed(['s1']),
      adopted(['s1']),
      { type: 'agent.called', stepId: 's1', message: 'CODE_REQUEST' },
      { type: 'step.failed', stepId: 's1', message: 'STEP_BLOCKED' },
      proposed(['a'], { parentStepId: 's1', message: 'SUBPLAN_RESPONSE' }),
      { type: 'step.failed', stepId: 's1', message: null },
      { type: 'escalation.changed', message: 'ABORT' },
    );

    expect(transcript(facts)).toEqual([
      { at: 10, message: 'PLAN_REQUEST', about: null },
      { at: 20, message: 'PLAN_RESPONSE', about: null },
      { at: 40, message: 'CODE_REQUEST', about: 's1' },
      { at: 50, message: 'STEP_BLOCKED', about: 's1' },
      { at: 60, message: 'SUBPLAN_RESPONSE', about: 's1' },
      { at: 80, message: 'ABORT', about: null },
    ]);
  });
});
