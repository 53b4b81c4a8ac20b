import { describe, expect, it } from 'vitest';

import { canHandOff, canReplan, exhaustedLimit, replanLimit } from '../../src/guards/budget.js';
import type { Complexity } from '../../src/model/plan.js';
import { plan } from '../plan/plans.js';
import { contextWith, settingsWith } from './contexts.js';

describe('another plan', () => {
  it('is requested exactly maxReplans times', () => {
    for (const maxReplans of [0, 1, 3]) {
      const settings = settingsWith({ limits: { maxReplans } });
      const allowed = [0, 1, 2, 3, 4].filter((replans) =>
        canReplan(contextWith({ replans }, settings)),
      );
      expect(allowed).toHaveLength(maxReplans);
    }
  });

  it('is not requested in a sub-plan, nor without a planner; a hand-off needs no planner', () => {
    expect(canReplan(contextWith({ depth: 1 }))).toBe(false);
    expect(canHandOff(contextWith({ depth: 1 }))).toBe(false);
    const alone = settingsWith({}, { hasPlanner: false });
    expect(canReplan(contextWith({}, alone))).toBe(false);
    expect(canHandOff(contextWith({}, alone))).toBe(true);
    expect(canHandOff(contextWith({ replans: 3 }, alone))).toBe(false);
  });
});

describe('the replan bound', () => {
  const limitFor = (...complexities: readonly Complexity[]): number => {
    const maxByComplexity = { simple: 0, medium: 2, complex: 1 };
    const { policy } = settingsWith({ limits: { maxReplans: 2 }, replan: { maxByComplexity } });
    const { steps } = plan(...complexities.map((_, index) => `s${index}`));
    return replanLimit(policy, {
      analysis: '',
      steps: steps.map((step, index) => ({ ...step, complexity: complexities[index]! })),
    });
  };

  it('follows the most complex step of the plan', () => {
    expect(limitFor('simple', 'simple')).toBe(0);
    expect(limitFor('simple', 'medium')).toBe(2);
    expect(limitFor('complex', 'medium', 'simple')).toBe(1);
    expect(limitFor()).toBe(0);
  });

  it('is the limit of the policy when no bound by complexity is set', () => {
    const { policy } = settingsWith({ limits: { maxReplans: 7 } });
    expect(replanLimit(policy, plan('a'))).toBe(7);
  });

  it('limits replans and hand-offs instead of the limit of the policy', () => {
    const context = contextWith({ replans: 1, maxReplans: 1 });
    expect(canReplan(context)).toBe(false);
    expect(canHandOff(context)).toBe(false);
    expect(canReplan({ ...context, maxReplans: 2 })).toBe(true);
    expect(canHandOff({ ...context, maxReplans: 2 })).toBe(true);
  });
});

describe('the budget of calls, tokens and money', () => {
  const settings = settingsWith({
    limits: { maxAgentCalls: 10, maxTokens: 1_000, maxCostUsd: 0.5 },
  });
  const limitAt = (agentCalls: number, tokens: number, costUsd: number) =>
    exhaustedLimit(contextWith({ spent: { agentCalls, tokens, costUsd } }, settings));

  it('is spent when one more call might exceed any of its limits', () => {
    expect(limitAt(9, 999, 0.49)).toBeUndefined();
    expect(limitAt(10, 0, 0)).toBe('maxAgentCalls');
    expect(limitAt(0, 1_000, 0)).toBe('maxTokens');
    expect(limitAt(0, 0, 0.5)).toBe('maxCostUsd');
    expect(limitAt(99, 9_999, 9)).toBe('maxAgentCalls');
  });

  it('is never spent where the policy sets none', () => {
    const spent = { agentCalls: 1e9, tokens: 1e12, costUsd: 1e6 };
    expect(exhaustedLimit(contextWith({ spent }))).toBeUndefined();
  });
});
