import { describe, expect, it } from 'vitest';

import type { BoundedTeam } from '../../src/policy/bounds.js';
import { boundsOf } from '../../src/policy/bounds.js';
import { definePolicy } from '../../src/policy/policy.js';
import { presets } from '../../src/policy/presets.js';
import type { PolicyOverrides } from '../../src/policy/types.js';

/* Where the numbers come from is proved in test/prove. Here: policies that no proof could look at all of. */

const TEAM: BoundedTeam = {
  agents: ['worker'],
  hasPlanner: true,
  hasSupervisor: true,
  hasTester: true,
  hasSummarizer: true,
  fallbacks: [],
};

describe('a price tag with a budget of calls', () => {
  it.each(Object.entries(presets))(
    'grows with the budget, up to the one without: %s',
    (_, make) => {
      const tag = (maxAgentCalls: number | null) =>
        boundsOf(make({ limits: { maxAgentCalls } }), TEAM);
      const unlimited = tag(null);
      const all = unlimited.agentCalls;
      expect(tag(all)).toEqual(unlimited);
      let before = tag(1);
      for (const budget of [1, 2, 3, 5, 8, 20, 50, 200, 1_000, all - 1]) {
        if (budget > all) continue;
        const within = tag(budget);
        expect(within.agentCalls).toBe(budget);
        for (const metric of ['plannerCalls', 'replans', 'steps', 'depth', 'approvals'] as const) {
          expect(within[metric]).toBeGreaterThanOrEqual(before[metric]);
          expect(within[metric]).toBeLessThanOrEqual(unlimited[metric]);
        }
        before = within;
      }
    },
  );

  it('says what ten calls of the planner and of agents can come to', () => {
    const policy = definePolicy({
      limits: { maxAgentCalls: 10, maxSteps: 4, maxReplans: 3, maxDepth: 2, maxAttempts: 2 },
      approval: { maxQuestions: 1 },
    });
    expect(boundsOf(policy, TEAM)).toMatchObject({
      agentCalls: 10,
      // Four for the goal; after two attempts each, one for each of two sub-plans, the last of which may be refused.
      plannerCalls: 6,
      replans: 3,
      // The plan that is given, three others, and two sub-plans with what is left.
      steps: 24,
      depth: 2,
      approvals: 25,
    });
  });

  it('finds the most of more sub-plans than it could try one by one', () => {
    const policy = definePolicy({
      limits: {
        maxAgentCalls: 9_000_010,
        maxSteps: 15,
        maxReplans: 10,
        maxDepth: 8,
        maxAttempts: 2,
      },
    });
    // Ten other plans by ten calls of the planner; each sub-plan takes two attempts and a call of the planner.
    expect(boundsOf(policy, TEAM).steps).toBe(15 * (11 + 9_000_000 / 3));
  });

  it('needs no longer for numbers that nobody can count up to', () => {
    const huge: PolicyOverrides = {
      limits: {
        maxAgentCalls: 9_000_000_000,
        maxReplans: 9_000_000_000,
        maxSteps: 1_000_000,
        maxDepth: 8,
      },
    };
    const { steps, plannerCalls, depth } = boundsOf(definePolicy(huge), TEAM);
    expect([steps, plannerCalls].every(Number.isFinite)).toBe(true);
    expect(depth).toBe(8);
  });
});
