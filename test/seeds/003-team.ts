import type { Summarizer } from '../../src/agents/roles.js';
import type { Fact } from '../../src/model/facts.js';
import type { RunRecord } from '../../src/journal/record.js';
import { createRecordBuilder } from '../../src/journal/record.js';
import { presets } from '../../src/policy/presets.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { Behaviours } from '../scenarios/by-step.js';
import { workerBy } from '../scenarios/by-step.js';
import type { ScenarioSetup } from '../scenarios/harness.js';
import type { PlannerAnswer } from '../scenarios/planners.js';
import { plannerInTurn } from '../scenarios/planners.js';
import type { TestAgent } from '../scenarios/team.js';

/** Seed 003's agents: three systems behind A2A, and the orchestrator's own model. */
export const SYSTEMS = ['salesforce', 'jira', 'servicenow', 'orchestrator'] as const;

export const REQUEST = 'Handle critical incidents end-to-end';
export const INCIDENTS = 'Found 3 critical incidents: INC001, INC002, INC003';

/** The team. Behaviour is defined per task, independent of its agent. */
export const systems = (behaviours: Behaviours = {}): TestAgent[] =>
  SYSTEMS.map((name) => workerBy(behaviours, name));

/** One request under the preset of the seed; `plan` is the planner's answer. */
export const orchestrating = (
  plan: PlannerAnswer,
  behaviours: Behaviours = {},
  overrides: PolicyOverrides = {},
): ScenarioSetup => ({
  options: {
    agents: systems(behaviours),
    planner: plannerInTurn(plan),
    policy: presets.planAndExecute(overrides),
  },
  start: { goal: REQUEST },
});

export const summarizedBy = (setup: ScenarioSetup, summarizer: Summarizer): ScenarioSetup => ({
  ...setup,
  options: { ...setup.options, summarizer },
});

/** The record right after the first fact that matches; at the end, when there was none. */
export const recordAfter = (
  facts: readonly Fact[],
  isLast: (fact: Fact) => boolean = () => false,
): RunRecord => {
  const builder = createRecordBuilder();
  for (const fact of facts) {
    builder.add(fact);
    if (isLast(fact)) break;
  }
  return builder.record();
};

/** The seed's own view of a plan: one line per task. */
export const printed = ({ steps }: Pick<RunRecord, 'steps'>): string[] =>
  steps.map(({ status, task }, index) => `Task ${index + 1}: ${status} - ${task}`);

/** Only the statuses of the tasks, in the order of the plan. */
export const statusesOf = ({ steps }: Pick<RunRecord, 'steps'>): string[] =>
  steps.map(({ status }) => status);
