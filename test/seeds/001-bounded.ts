import { presets } from '../../src/policy/presets.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { Behaviours } from '../scenarios/by-step.js';
import { workerBy } from '../scenarios/by-step.js';
import type { ScenarioResult, ScenarioSetup } from '../scenarios/harness.js';
import type { PlannerAnswer } from '../scenarios/planners.js';
import { plannerInTurn } from '../scenarios/planners.js';

/* Seed 001: workers that may ask for more context, and a planner that is called at most twice more. */

/** What the worker does, step by step, and the plans in their order. */
export const bounded = (
  behaviours: Behaviours,
  plans: readonly PlannerAnswer[],
  overrides: PolicyOverrides = {},
): ScenarioSetup => ({
  options: {
    agents: [workerBy(behaviours)],
    planner: plannerInTurn(...plans),
    policy: presets.boundedReplan(overrides),
  },
});

/** Which step started when. */
export const startsOf = ({ facts }: ScenarioResult): [string, number][] =>
  facts.flatMap((fact): [string, number][] =>
    fact.type === 'step.started' ? [[fact.stepId, fact.at]] : [],
  );

/** How often the planner was called. */
export const plannerCalls = ({ factsOf }: ScenarioResult): number =>
  factsOf('agent.called').filter(({ role }) => role === 'planner').length;
