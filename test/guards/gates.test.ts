import { describe, expect, it } from 'vitest';

import { hasGate, isGatePassed } from '../../src/guards/gates.js';
import { noAnswer, scored, settingsWith, tested, worked } from './contexts.js';

const SUBJECTS = ['plan', 'code', 'step', 'goal'] as const;

describe('a gate', () => {
  it('passes from its score on and not below, for every subject and score', () => {
    const thresholds = { plan: 70, code: 60, step: 70, goal: 80 };
    const settings = settingsWith({ gates: thresholds });
    for (const subject of SUBJECTS) {
      for (let score = 0; score <= 100; score += 1) {
        expect(isGatePassed(settings, subject, scored(score))).toBe(score >= thresholds[subject]);
      }
    }
  });

  it('does not pass on a failure, on an answer of another role, or on an invalid score', () => {
    const settings = settingsWith({ gates: { code: 0 } });
    expect(isGatePassed(settings, 'code', noAnswer)).toBe(false);
    expect(isGatePassed(settings, 'code', tested(true))).toBe(false);
    expect(
      isGatePassed(settings, 'code', worked({ role: 'worker', report: 'done', confidence: 1 })),
    ).toBe(false);
    expect(isGatePassed(settings, 'code', scored(Number.NaN))).toBe(false);
  });

  it('exists only when the policy requires a score and there is a supervisor', () => {
    const gated = { gates: { plan: 0 } };
    expect(hasGate(settingsWith(gated), 'plan')).toBe(true);
    expect(hasGate(settingsWith(gated), 'code')).toBe(false);
    expect(hasGate(settingsWith(gated, { hasSupervisor: false }), 'plan')).toBe(false);
  });

  it('that is off delays nothing', () => {
    expect(isGatePassed(settingsWith(), 'goal', scored(0))).toBe(true);
  });
});
