import type { ReviewRequest, Supervisor } from '../../src/agents/roles.js';
import type { FactBody, FactType } from '../../src/model/facts.js';
import { presets } from '../../src/policy/presets.js';
import type { ScenarioSetup } from '../scenarios/harness.js';
import { agentNamed, steps } from '../scenarios/team.js';

export const MINUTE_MS = 60_000;

type Team = ScenarioSetup['options'];

/** Seed 004's four roles without faults, under its preset; a test overrides single roles. */
export const teamOf = (members: Partial<Team> = {}): Team => ({
  agents: [agentNamed('coder', (call) => `did ${call.step.id}`)],
  planner: () => ({ analysis: 'Two steps', steps: steps('coder:s1', 'coder:s2<s1') }),
  supervisor: judging({}),
  tester: () => ({ passed: true }),
  policy: presets.supervised(),
  ...members,
});

/** A supervisor with scores for every subject, in turn, the last one repeated; its feedback is the score. */
export const judging = (
  scores: Partial<Record<ReviewRequest['subject'], readonly number[]>>,
): Supervisor => {
  const reviews = { plan: 0, code: 0, step: 0, goal: 0 };
  return ({ subject }) => {
    const given = scores[subject] ?? [90];
    const score = given[Math.min(reviews[subject], given.length - 1)] ?? 90;
    reviews[subject] += 1;
    return { score, feedback: `${subject}: ${score}` };
  };
};

/** The calls of a run, in order, without the run id: `s1/1/worker`. */
export const callsIn = (
  factsOf: <Type extends FactType>(...types: Type[]) => FactBody<Type>[],
): string[] => factsOf('agent.called').map(({ key }) => key.replace('run/', ''));

/** The coder's steps s1, s2 and so on, without dependencies. */
export const stepsUpTo = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `coder:s${index + 1}`);
