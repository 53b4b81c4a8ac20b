import { describe, expect, it } from 'vitest';

import type { BoundedTeam, Bounds } from '../../src/policy/bounds.js';
import { boundsOf } from '../../src/policy/bounds.js';
import { definePolicy } from '../../src/policy/policy.js';
import { presets } from '../../src/policy/presets.js';

/* test/prove compares bounds() with proofs. Here: policies with more states than a proof can explore. */

const TEAM: BoundedTeam = {
  agents: ['worker'],
  hasPlanner: true,
  hasSupervisor: true,
  hasTester: true,
  hasSummarizer: true,
  fallbacks: [],
};

describe('bounds() with a budget of agent calls', () => {
  it.each(Object.entries(presets))(
    'grows with the budget, up to the bounds without one: %s',
    (_, make) => {
      const boundsWith = (maxAgentCalls: number | null): Bounds =>
        boundsOf(make({ limits: { maxAgentCalls } }), TEAM);
      const unlimited = boundsWith(null);
      const all = unlimited.agentCalls;
      expect(boundsWith(all)).toEqual(unlimited);
      let before = boundsWith(1);
      for (const budget of [1, 2, 3, 5, 8, 20, 50, 200, 1_000, all - 1]) {
        if (budget > all) continue;
        const within = boundsWith(budget);
        expect(within.agentCalls).toBe(budget);
        for (const metric of ['plannerCalls', 'replans', 'steps', 'depth', 'approvals'] as const) {
          expect(within[metric]).toBeGreaterThanOrEqual(before[metric]);
          expect(within[metric]).toBeLessThanOrEqual(unlimited[metric]);
        }
        before = within;
      }
    },
  );

  it('caps calls, planner calls and steps; approvals, depth and time are those without a budget', () => {
    const limits = { maxSteps: 4, maxReplans: 30, maxDepth: 2, maxAttempts: 2 };
    const approval = { maxQuestions: 1 };
    const unlimited = boundsOf(definePolicy({ limits, approval }), TEAM);
    const bounds = boundsOf(
      definePolicy({ limits: { ...limits, maxAgentCalls: 10 }, approval }),
      TEAM,
    );
    expect(bounds).toEqual({
      ...unlimited,
      agentCalls: 10,
      // The eleventh planner call is refused, and ends the run.
      plannerCalls: 11,
      replans: 11,
      // The plan that the run is given, and one for each call.
      steps: 4 * 11,
    });
    expect(unlimited.depth).toBe(2);
  });

  it('is finite for the largest limits', () => {
    const policy = definePolicy({
      limits: {
        maxAgentCalls: 9_000_000_000,
        maxReplans: 9_000_000_000,
        maxSteps: 1_000_000,
        maxDepth: 8,
      },
    });
    expect(Object.values(boundsOf(policy, TEAM)).every(Number.isFinite)).toBe(true);
  });
});
