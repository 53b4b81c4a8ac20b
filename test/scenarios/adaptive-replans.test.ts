import { describe, expect } from 'vitest';

import type { PlanRequest } from '../../src/agents/roles.js';
import { blocked, handOff, needsContext } from '../../src/agents/report.js';
import type { Complexity, Plan } from '../../src/model/plan.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { ScenarioResult, ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import type { PlannerAnswer } from './planners.js';
import { plannerInTurn } from './planners.js';
import { agentNamed, steps } from './team.js';

const maxByComplexity = { simple: 0, medium: 1, complex: 2 } as const;

/** An agent that asks for another plan every time, so that only the bound stops it. */
const insatiable = agentNamed('worker', () => needsContext('More', 'half'));

const bounded = (overrides: PolicyOverrides = {}) =>
  definePolicy({
    ...overrides,
    limits: { maxReplans: 5, maxParallel: 1, ...overrides.limits },
    replan: { maxByComplexity, stopOnRepeatedPlan: false, ...overrides.replan },
  });

const asking = (
  answers: readonly PlannerAnswer[],
  overrides: PolicyOverrides = {},
): ScenarioSetup => ({
  options: {
    agents: [insatiable],
    planner: plannerInTurn(...answers),
    policy: bounded(overrides),
  },
});

/** A plan with one step per complexity. Its analysis is the limit that the planner was told. */
const planOf =
  (...complexities: readonly Complexity[]) =>
  ({ limits }: PlanRequest): Plan => ({
    analysis: String(limits.maxReplans),
    steps: complexities.map((complexity, index) => {
      const [step] = steps(`s${index}`);
      return { ...step!, complexity };
    }),
  });

const toldLimits = ({ factsOf }: ScenarioResult): (string | undefined)[] =>
  factsOf('plan.proposed').map(({ plan }) => plan?.analysis);

describe('the replan bound by complexity', () => {
  for (const [complexity, most] of Object.entries(maxByComplexity)) {
    scenario(
      `is ${most} for a first plan that is ${complexity}`,
      () => asking([planOf(complexity as Complexity)]),
      ({ report, factsOf, orchestrator }) => {
        expect(report).toMatchObject({ status: 'completed', replans: most });
        expect(factsOf('request.refused')).toMatchObject([
          {
            type: 'request.refused',
            parentStepId: null,
            limit: most,
            bound: 'replan-limit',
          },
        ]);
        expect(orchestrator.bounds().replans).toBe(5);
      },
    );
  }

  scenario(
    'follows the most complex step of the plan',
    () => asking([planOf('simple', 'medium', 'simple')]),
    ({ report }) => {
      expect(report.replans).toBe(1);
    },
  );

  scenario(
    'follows the plan that is given with the goal',
    () => ({
      ...asking([planOf('complex')]),
      start: { plan: { steps: [{ ...steps('given')[0]!, complexity: 'medium' }] } },
    }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', replans: 1 });
    },
  );

  scenario(
    'is the bound of a simple plan when the first plan has no steps',
    () => asking([planOf()]),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'completed', reason: 'empty-plan', replans: 0 });
    },
  );

  for (const [first, later, most] of [
    ['medium', 'complex', 1],
    ['complex', 'simple', 2],
  ] as const) {
    scenario(
      `stays the same when a ${first} plan is replaced by a ${later} one`,
      () => asking([planOf(first), planOf(later)]),
      (result) => {
        expect(result.report.replans).toBe(most);
        expect(result.factsOf('request.refused')[0]).toMatchObject({ limit: most });
        // The policy's limit holds until there is a plan; then the planner is told the tighter one.
        expect(toldLimits(result)).toEqual(['5', ...Array<string>(most).fill(String(most))]);
      },
    );
  }

  scenario(
    'includes replans spent before the first valid plan, which count under the limit of the policy',
    () => asking([['nobody:x'], ['nobody:y'], planOf('medium')]),
    ({ report, factsOf }) => {
      expect(factsOf('replan.started').map(({ maxReplans }) => maxReplans)).toEqual([5, 5]);
      expect(factsOf('request.refused')).toMatchObject([{ limit: 1 }]);
      expect(report).toMatchObject({ status: 'completed', replans: 2 });
    },
  );

  scenario(
    'is the limit of the policy while no plan is valid',
    () => asking([['nobody:x']], { limits: { maxReplans: 3 } }),
    ({ report }) => {
      expect(report).toMatchObject({
        status: 'failed',
        reason: 'no-acceptable-plan: replan-limit',
        replans: 3,
      });
    },
  );

  scenario(
    'is shared by replans and hand-offs',
    () => ({
      options: {
        agents: [
          agentNamed('worker', () =>
            handOff({ agent: 'other', task: 'Do the rest of it' }, 'half'),
          ),
          agentNamed('other', () => handOff({ agent: 'worker', task: 'Do it once more' }, 'half')),
        ],
        planner: plannerInTurn(planOf('complex')),
        policy: bounded(),
      },
    }),
    ({ report, factsOf }) => {
      expect(report).toMatchObject({ status: 'completed', replans: 2 });
      expect(factsOf('request.refused')).toMatchObject([{ limit: 2, bound: 'replan-limit' }]);
    },
  );

  scenario(
    'fails the run when it is reached: onLimit fail',
    () => asking([planOf('medium')], { replan: { onLimit: 'fail' } }),
    ({ report }) => {
      expect(report).toMatchObject({ status: 'failed', reason: 'replan-limit', replans: 1 });
    },
  );

  scenario(
    'is zero in sub-plans, and their planner is told so',
    () => ({
      options: {
        agents: [agentNamed('worker', ({ step }) => (step.depth === 0 ? blocked('Hard') : 'did'))],
        planner: plannerInTurn(planOf('complex')),
        policy: bounded({ limits: { maxAttempts: 1, maxDepth: 1 } }),
      },
    }),
    (result) => {
      expect(toldLimits(result)).toEqual(['5', '0']);
      expect(result.report.status).toBe('completed');
    },
  );

  scenario(
    'is the limit of the policy when no bound by complexity is set',
    () => asking([planOf('simple')], { replan: { maxByComplexity: null } }),
    (result) => {
      expect(result.report.replans).toBe(5);
      expect(toldLimits(result)).toEqual(['5', '5', '5', '5', '5', '5']);
    },
  );
});
