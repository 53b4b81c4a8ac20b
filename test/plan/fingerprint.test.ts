import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { planFingerprint } from '../../src/plan/fingerprint.js';
import type { ProposedPlan, Votes } from '../../src/model/plan.js';
import { anyPlan, plan } from './plans.js';

const votedOn = (votes: Votes): ProposedPlan => ({
  analysis: '',
  steps: plan('a').steps.map((step) => ({ ...step, votes })),
});

describe('the fingerprint of a plan', () => {
  it('does not depend on the names of the steps', () => {
    fc.assert(
      fc.property(anyPlan(), ({ analysis, steps }) => {
        const renamed = steps.map((step) => ({
          ...step,
          id: `x-${step.id}`,
          dependsOn: step.dependsOn.map((id) => `x-${id}`),
        }));
        expect(planFingerprint({ analysis, steps: renamed })).toBe(
          planFingerprint({ analysis, steps }),
        );
      }),
    );
  });

  it('does not depend on the order of dependencies', () => {
    fc.assert(
      fc.property(anyPlan({ maxSteps: 14 }), ({ analysis, steps }) => {
        const reversed = steps.map((step) => ({ ...step, dependsOn: step.dependsOn.toReversed() }));
        expect(planFingerprint({ analysis, steps: reversed })).toBe(
          planFingerprint({ analysis, steps }),
        );
      }),
    );
  });

  it('is the same for the same work, whatever its reasons and analysis say', () => {
    const [step] = plan('a').steps;
    const told = {
      analysis: 'Another analysis',
      scope: 'trivial' as const,
      steps: [
        { ...step!, task: ` ${step!.task}\n`, complexity: 'complex' as const, reason: 'Because' },
      ],
    };
    expect(planFingerprint(told)).toBe(planFingerprint(plan('a')));
  });

  it('differs with the agent, the task, the dependencies, the votes and the order', () => {
    const different = [
      plan('a', 'b'),
      plan('b', 'a'),
      plan('other:a', 'b'),
      plan('a', 'b<a'),
      plan('a<b', 'b'),
      plan('a'),
      plan('a', 'b', 'b2'),
      plan('a', 'b<elsewhere'),
      plan('a', 'b<elsewhere-too'),
      plan(),
      votedOn({ count: 2, choose: 'majority' }),
      votedOn({ count: 3, choose: 'majority' }),
      votedOn({ count: 3, choose: 'bestConfidence' }),
    ];
    const fingerprints = different.map(planFingerprint);
    expect(new Set(fingerprints).size).toBe(different.length);
  });
});
