import { describe, expect, it } from 'vitest';

import {
  approvalQuestion,
  isAnswerToOwnQuestion,
  isForChild,
  isQuestionOpen,
} from '../../src/guards/approval.js';
import { contextWith, settingsWith } from './contexts.js';

const step = { agent: 'worker', requiresApproval: false };

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

  it('is asked for every combination of reasons, and says the strongest', () => {
    for (const requiresApproval of [false, true]) {
      for (const isNamed of [false, true]) {
        for (const autoApproveTrivial of [false, true]) {
          for (const scope of [null, 'trivial', 'complex']) {
            for (const confidence of [undefined, 0, 0.69, 0.7, 1]) {
              const settings = settingsWith({
                approval: {
                  agents: isNamed ? ['worker'] : [],
                  autoApproveTrivial,
                  confidenceBelow: 0.7,
                },
              });
              const context = contextWith(
                { scope, confidence: confidence === undefined ? {} : { worker: confidence } },
                settings,
              );
              const question = approvalQuestion({ agent: 'worker', requiresApproval }, context);
              const isWaived = autoApproveTrivial && scope === 'trivial';
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

  it('knows only agents that gave an answer, whatever they are called', () => {
    const context = contextWith({}, settingsWith({ approval: { confidenceBelow: 1 } }));
    for (const agent of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      expect(approvalQuestion({ agent, requiresApproval: false }, context)).toBeNull();
    }
  });

  it('is not asked because of confidence when the policy does not look at it', () => {
    expect(approvalQuestion(step, contextWith({ confidence: { worker: 0 } }))).toBeNull();
  });
});

describe('an answer', () => {
  it('is for the chart whose question it names, and only when it has arrived', () => {
    expect(isAnswerToOwnQuestion('a:1.1', grant('a:1.1'))).toBe(true);
    expect(isAnswerToOwnQuestion('a:1.1', grant('a:1.2'))).toBe(false);
    expect(isAnswerToOwnQuestion('a:1.1', grant('a:1.1', ['slot-0']))).toBe(false);
    expect(isAnswerToOwnQuestion(undefined, grant('a:1.1'))).toBe(false);
    expect(isAnswerToOwnQuestion('a:1.1', { type: 'run.pause' })).toBe(false);
    expect(isAnswerToOwnQuestion(undefined, { type: 'run.pause' })).toBe(false);
  });

  it('goes further down while its route has somewhere to go', () => {
    expect(isForChild(grant('a:1.1', ['slot-0']))).toBe(true);
    expect(isForChild(grant('a:1.1'))).toBe(false);
    expect(isForChild({ type: 'run.pause' })).toBe(false);
  });

  it('belongs to an open question of a child, not to one of the plan itself or to none', () => {
    const context = contextWith({
      questions: [
        { requestId: 'a:1.1', stepId: 'a', route: ['slot-0'] },
        { requestId: 'plan:plan.1', stepId: null, route: [] },
      ],
    });
    expect(isQuestionOpen(context, grant('a:1.1'))).toBe(true);
    expect(isQuestionOpen(context, grant('plan:plan.1'))).toBe(false);
    expect(isQuestionOpen(context, grant('b:1.1'))).toBe(false);
    expect(isQuestionOpen(context, { type: 'run.pause' })).toBe(false);
  });
});
