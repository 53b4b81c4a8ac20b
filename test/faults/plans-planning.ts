import { expect } from 'vitest';

import type { Issue } from '../../src/errors.js';
import { PlanError } from '../../src/errors.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import type { Plan } from '../../src/model/plan.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { ScenarioResult, ScenarioSetup } from '../scenarios/harness.js';
import type { PlannerAnswer } from '../scenarios/planners.js';
import { plannerInTurn, toldBy } from '../scenarios/planners.js';
import { agentNamed } from '../scenarios/team.js';

const worker = agentNamed('worker', (call) => `did ${call.step.id}`);

/** A team of one, and a planner that answers in turn. */
export const planning = (
  answers: readonly PlannerAnswer[],
  overrides: PolicyOverrides = {},
): ScenarioSetup => ({
  options: {
    agents: [worker],
    planner: plannerInTurn(...answers),
    policy: definePolicy(overrides),
  },
});

/** One bad plan after the other, and finally a good one. */
export const untilGood = (bad: readonly PlannerAnswer[], maxSteps = 15): ScenarioSetup =>
  planning([...bad, ['good']], { limits: { maxReplans: bad.length, maxSteps } });

const inShort = ({ code, path }: Pick<Issue, 'code' | 'path'>): string => `${code} at ${path}`;

/**
 * Every bad plan was refused for its reasons, before any of its steps ran; the planner was told, and each try cost a
 * replan.
 */
export const expectEachRefused = (
  { report, factsOf }: ScenarioResult,
  expected: readonly (readonly string[])[],
): void => {
  const rejections = factsOf('plan.rejected');
  expect(rejections.map(({ issues }) => issues.map(inShort))).toEqual(expected);
  expect(new Set(rejections.map(({ by }) => by))).toEqual(new Set(['validation']));
  expect(toldBy(factsOf).at(-1)?.issues).toEqual(expected.at(-1));
  expect(factsOf('step.started').map(({ stepId }) => stepId)).toEqual(['good']);
  expect(report).toMatchObject({ status: 'completed', replans: expected.length });
};

/** The issues of a plan given with the goal, as `start` throws them; empty when it is accepted. */
export const issuesOfGiven = (plan: unknown, maxSteps = 15): readonly Issue[] => {
  const called: string[] = [];
  const orchestrator = composeOrchestrator(
    {
      agents: [agentNamed('worker', ({ step }) => called.push(step.id))],
      policy: definePolicy({ limits: { maxSteps } }),
    },
    undefined,
  );
  try {
    orchestrator.start({ goal: 'A goal', plan: plan as Plan });
  } catch (error) {
    expect(called).toEqual([]);
    if (PlanError.isInstance(error)) return error.issues;
    throw error;
  }
  return [];
};

export const givenInShort = (plan: unknown, maxSteps?: number): string[] =>
  issuesOfGiven(plan, maxSteps).map(inShort);
