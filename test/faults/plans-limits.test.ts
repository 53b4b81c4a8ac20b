import { describe, expect, it } from 'vitest';

import { blocked } from '../../src/agents/report.js';
import { PolicyError } from '../../src/errors.js';
import { defaultPolicy } from '../../src/policy/defaults.js';
import { definePolicy } from '../../src/policy/policy.js';
import { presets } from '../../src/policy/presets.js';
import type { LimitsPolicy } from '../../src/model/policy.js';
import { scenario } from '../scenarios/harness.js';
import { plannerInTurn } from '../scenarios/planners.js';
import { agentNamed } from '../scenarios/team.js';
import { expectNoLeaks } from './no-leaks.js';

expectNoLeaks();

/** Invalid values of a limit, and how an error shows them. */
const values: readonly (readonly [value: unknown, told: string])[] = [
  [null, 'null'],
  [Number.NaN, '`NaN` (number)'],
  [-1, '`-1` (number)'],
  [0, '`0` (number)'],
  [1.5, '`1.5` (number)'],
  ['3', "`'3'` (string)"],
  [Infinity, '`Infinity` (number)'],
  [Number('1e309'), '`Infinity` (number)'],
  [2 ** 31, '`2147483648` (number)'],
];

/** The few of those values that are valid for a limit; null turns it off where its description says so. */
const accepted: Readonly<Record<keyof LimitsPolicy, readonly unknown[]>> = {
  maxReplans: [0, 2 ** 31],
  maxDepth: [0],
  maxAttempts: [2 ** 31],
  maxFixCycles: [0, 2 ** 31],
  maxVotes: [],
  maxRecoveries: [0],
  maxParallel: [],
  maxSteps: [],
  maxFailures: [null, 0, 2 ** 31],
  maxAgentCalls: [null, 2 ** 31],
  maxTokens: [null, 2 ** 31],
  maxCostUsd: [null, 1.5, 2 ** 31],
  maxOutputBytes: [2 ** 31],
};
const names = Object.keys(accepted) as (keyof LimitsPolicy)[];

const thrownBy = (action: () => unknown): unknown => {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('an invalid limit', () => {
  it('of undefined is the default, or the preset’s, and never no limit', () => {
    expect(names.sort()).toEqual(Object.keys(defaultPolicy.limits).sort());
    for (const name of names) {
      const limits = { [name]: undefined };
      expect(definePolicy({ limits }).limits).toEqual(defaultPolicy.limits);
      expect(presets.supervised({ limits }).limits).toEqual(presets.supervised().limits);
      expect(presets.fixed({ limits }).limits).toEqual(presets.fixed().limits);
    }
  });

  // A PolicyError, which carries all issues as data.
  it('of any other kind is refused with its name, value and type', () => {
    let refusals = 0;
    for (const name of names) {
      for (const [value, told] of values) {
        const error = thrownBy(() => definePolicy({ limits: { [name]: value } }));
        if (accepted[name].includes(value)) {
          expect(error).toBeUndefined();
          continue;
        }
        expect(error).toBeInstanceOf(PolicyError);
        const { issues } = error as PolicyError;
        expect(issues.map(({ code, path }) => [code, path])).toEqual([
          ['invalid-option', `limits.${name}`],
        ]);
        expect(issues[0]?.message).toContain(`Expected \`limits.${name}\` to be `);
        expect(issues[0]?.message).toContain(`, got ${told}`);
        refusals += 1;
      }
    }
    const allowed = Object.values(accepted).flat().length;
    expect(refusals).toBe(names.length * values.length - allowed);
  });
});

describe('the depth of plans', () => {
  const neverDone = agentNamed('worker', ({ step }) => blocked(`Stuck at depth ${step.depth}`));

  // The recursion is the package's own: the agent is blocked, and every sub-plan names the same agent again. There is
  // no
  // `depth-exceeded`: the last level has no sub-plan to offer, so the step fails for the reason its agent gave. Each
  // scenario is rebuilt from its journal after every entry, as another process would: the depth is in the journal.
  scenario(
    'ends at maxDepth: an agent that is blocked at every depth fails there, without a fourth level',
    () => ({
      options: {
        agents: [neverDone],
        planner: plannerInTurn(['a']),
        policy: definePolicy({
          limits: { maxDepth: 3, maxAttempts: 1, maxReplans: 0 },
          failure: { onStepFailure: 'continue' },
        }),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('subplan.started').map(({ stepId, depth }) => [stepId, depth])).toEqual([
        ['a', 1],
        ['a/a', 2],
        ['a/a/a', 3],
      ]);
      expect(factsOf('step.failed').map(({ stepId, code }) => [stepId, code])).toEqual([
        ['a/a/a/a', 'blocked'],
        ['a/a/a', 'subplan-failed'],
        ['a/a', 'subplan-failed'],
        ['a', 'subplan-failed'],
      ]);
      expect(factsOf('step.failed')[0]?.reason).toBe('Stuck at depth 3');
      expect(Math.max(...report.steps.map(({ depth }) => depth))).toBe(3);
    },
  );

  it('is at most eight levels in a policy, and cannot be set by an agent or a plan', () => {
    expect(() => definePolicy({ limits: { maxDepth: 9 } })).toThrow(PolicyError);
    expect(definePolicy({ limits: { maxDepth: 8 } }).limits.maxDepth).toBe(8);
  });

  scenario(
    'comes from the policy, even when a plan names its own',
    () => ({
      options: {
        agents: [neverDone],
        planner: () => ({
          limits: { maxDepth: 8 },
          maxDepth: 8,
          steps: [
            { id: 'a', agent: 'worker' as const, task: 'Do the work', depth: -5, maxDepth: 8 },
          ],
        }),
        policy: definePolicy({
          limits: { maxDepth: 1, maxAttempts: 1, maxReplans: 0 },
          failure: { onStepFailure: 'continue' },
        }),
      },
    }),
    ({ factsOf }) => {
      expect(factsOf('subplan.started').map(({ depth }) => depth)).toEqual([1]);
      expect(JSON.stringify(factsOf('plan.proposed'))).not.toContain('maxDepth');
    },
  );
});
