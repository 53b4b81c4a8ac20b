import { describe, expect, it } from 'vitest';

import {
  approvalQuestion,
  endsAtOnce,
  endsByRejection,
  isAnswerToOwnQuestion,
  isForChild,
  isQuestionOpen,
  keepsPlanOnReject,
} from '../../src/guards/approval.js';
import type { StepOutcome } from '../../src/model/step-outcome.js';
import { contextWith, settingsWith } from './contexts.js';

const step = { agent: 'worker', requiresApproval: false, isTrivial: false };

const grant = (requestId: string, route: readonly string[] = []) => ({
  type: 'approval.grant' as const,
  requestId,
  answer: 'Yes',
  route,
});

describe('the question before a step', () => {
  it('is not asked without a reason', () => {
    expect(approvalQuestion(step, contextWith())).toBeNull();
  });

  it('is asked for every combination of reasons, and has the strongest one', () => {
    for (const requiresApproval of [false, true]) {
      for (const isNamed of [false, true]) {
        for (const autoApproveTrivial of [false, true]) {
          for (const isTrivial of [false, true]) {
            for (const confidence of [undefined, 0, 0.69, 0.7, 1]) {
              const settings = settingsWith({
                approval: {
                  agents: isNamed ? ['worker'] : [],
                  autoApproveTrivial,
                  confidenceBelow: 0.7,
                },
              });
              const context = contextWith(
                { confidence: confidence === undefined ? {} : { worker: confidence } },
                settings,
              );
              const asked = { agent: 'worker', requiresApproval, isTrivial };
              const question = approvalQuestion(asked, context);
              const isWaived = autoApproveTrivial && isTrivial;
              const isUnsure = confidence !== undefined && confidence < 0.7;
              const start = requiresApproval
                ? 'The plan asks'
                : isNamed && !isWaived
                  ? 'The policy asks'
                  : isUnsure
                    ? 'The last answer'
                    : null;
              if (start === null) expect(question).toBeNull();
              else expect(question).toContain(start);
            }
          }
        }
      }
    }
  });

  it('considers only agents that gave an answer, whatever their names', () => {
    const context = contextWith({}, settingsWith({ approval: { confidenceBelow: 1 } }));
    for (const agent of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      expect(approvalQuestion({ ...step, agent }, context)).toBeNull();
    }
  });

  it('is not asked because of confidence when the policy ignores it', () => {
    expect(approvalQuestion(step, contextWith({ confidence: { worker: 0 } }))).toBeNull();
  });
});

describe('an answer of a person', () => {
  it('is for the chart whose question it names, and only when it has arrived', () => {
    expect(isAnswerToOwnQuestion('a:1.1', grant('a:1.1'))).toBe(true);
    expect(isAnswerToOwnQuestion('a:1.1', grant('a:1.2'))).toBe(false);
    expect(isAnswerToOwnQuestion('a:1.1', grant('a:1.1', ['slot-0']))).toBe(false);
    expect(isAnswerToOwnQuestion(undefined, grant('a:1.1'))).toBe(false);
    expect(isAnswerToOwnQuestion('a:1.1', { type: 'run.pause' })).toBe(false);
    expect(isAnswerToOwnQuestion(undefined, { type: 'run.pause' })).toBe(false);
  });

  it('goes further down while its route has a next part', () => {
    expect(isForChild(grant('a:1.1', ['slot-0']))).toBe(true);
    expect(isForChild(grant('a:1.1'))).toBe(false);
    expect(isForChild({ type: 'run.pause' })).toBe(false);
  });

  it('belongs to an open question of a child, not to one of the plan itself or to none', () => {
    const context = contextWith({
      questions: [
        { requestId: 'a:1.1', stepId: 'a', question: 'May a start?', route: ['slot-0'] },
        { requestId: 'plan:plan.1', stepId: null, question: 'Is the plan good?', route: [] },
      ],
    });
    expect(isQuestionOpen(context, grant('a:1.1'))).toBe(true);
    expect(isQuestionOpen(context, grant('plan:plan.1'))).toBe(false);
    expect(isQuestionOpen(context, grant('b:1.1'))).toBe(false);
    expect(isQuestionOpen(context, { type: 'run.pause' })).toBe(false);
  });
});

describe('a rejected plan', () => {
  it('keeps the current plan only where the policy skips it, and only where there is one', () => {
    for (const onReject of ['replan', 'skip', 'fail'] as const) {
      const settings = settingsWith({ approval: { onReject } });
      const isSkipped = onReject === 'skip';
      expect(keepsPlanOnReject(contextWith({ revision: -1 }, settings))).toBe(false);
      expect(keepsPlanOnReject(contextWith({ revision: 0 }, settings))).toBe(isSkipped);
    }
  });
});

describe('a rejected step', () => {
  const outcome = (code: string, status: StepOutcome['status'] = 'failed'): StepOutcome => ({
    status,
    code,
    reason: 'No',
    attempts: 1,
    outputKeys: [],
    confidence: null,
    request: null,
    handOff: null,
    verdict: null,
  });

  it('ends the run only where the policy says so, and only when it was rejected', () => {
    for (const onReject of ['replan', 'skip', 'fail'] as const) {
      const context = contextWith({}, settingsWith({ approval: { onReject } }));
      const isEnd = onReject === 'fail';
      for (const code of ['rejected', 'approval-expired', 'subplan-rejected']) {
        expect(endsByRejection(context, outcome(code))).toBe(isEnd);
        expect(endsByRejection(context, outcome(code, 'skipped'))).toBe(false);
      }
      for (const code of ['threw', 'blocked', 'subplan-failed', 'rejected-by-supervisor', '']) {
        expect(endsByRejection(context, outcome(code))).toBe(false);
      }
      expect(endsByRejection(context, undefined)).toBe(false);
    }
  });

  it('ends the run as fast as an abort', () => {
    const aborted = { status: 'aborted', reason: 'Stop' } as const;
    const failed = { status: 'failed', reason: 'steps-failed' } as const;
    expect(endsAtOnce(contextWith())).toBe(false);
    expect(endsAtOnce(contextWith({ ending: failed }))).toBe(false);
    expect(endsAtOnce(contextWith({ ending: failed, rejected: 'a (worker)' }))).toBe(true);
    expect(endsAtOnce(contextWith({ ending: aborted }))).toBe(true);
  });
});
