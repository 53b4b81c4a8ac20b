import type { PlanRequest } from '../../src/agents/roles.js';
import type { AgentCall } from '../../src/agents/agent.js';
import type { Fact } from '../../src/model/facts.js';
import type { Plan, Scope } from '../../src/model/plan.js';
import type { Control } from '../scenarios/harness.js';
import { scriptedAgent } from '../scenarios/scripted.js';
import type { TestAgent } from '../scenarios/team.js';
import { steps } from '../scenarios/team.js';

/* The toolkit of seed 002: who there is, the pipelines that its planner composes, and a person who agrees. */

/** The four agents of the seed, and the one that its last example adds. */
export type Role = 'analyst' | 'architect' | 'developer' | 'reviewer' | 'security_reviewer';

/** Why an agent is on a plan, in the words of the planner's prompt. */
const REASONS: Readonly<Record<Role, string>> = {
  analyst: 'Use when problem is unclear',
  architect: 'Use for non-trivial features',
  developer: 'Always needed for code changes',
  reviewer: 'Always needed after developer',
  security_reviewer: 'Generic review misses domain-specific risks',
};

const ROLES = Object.keys(REASONS) as readonly Role[];

/** What agents answer, call by call; who is not named says what it did. */
export type Answers = Partial<Readonly<Record<Role, readonly unknown[]>>>;

export const toolkit = (answers: Answers = {}): TestAgent[] =>
  ROLES.map((role) =>
    scriptedAgent(role, ...(answers[role] ?? [({ step }: AgentCall) => `${role} did ${step.id}`])),
  );

/** One step per agent, each behind the one before, named by its agent: 'architect:architect<analyst'. */
export const inOrder = (...roles: readonly Role[]): string[] =>
  roles.map((role, index) => {
    const before = roles[index - 1];
    return before === undefined ? `${role}:${role}` : `${role}:${role}<${before}`;
  });

/** The planner's decision of the seed: why, and who for what reason. */
export const workflow = (scope: Scope, ...roles: readonly Role[]): Plan => ({
  analysis: `A ${scope} issue for ${roles.join(', ')}`,
  scope,
  steps: steps(...inOrder(...roles)).map((step) => ({
    ...step,
    reason: REASONS[step.agent as Role],
  })),
});

/** A planner that always has the same pipeline in mind, as new work every time. */
export const eachRound =
  (...roles: readonly Role[]) =>
  ({ revision }: PlanRequest): Plan => ({
    steps: steps(...inOrder(...roles)).map((step) => ({
      ...step,
      task: `${step.task} in round ${revision}`,
    })),
  });

/** A person who says yes to everything, at once. */
export const approving = (fact: Fact, control: Control): void => {
  if (fact.type === 'approval.requested') control.approve(fact.requestId, 'Go ahead');
};

/** A person who says no to everything, at once. */
export const rejecting = (fact: Fact, control: Control): void => {
  if (fact.type === 'approval.requested') control.reject(fact.requestId, 'Too risky');
};

/** Who was called, in order; a try after a failed one is a call too. */
export const calledIn = (facts: readonly Fact[]): string[] =>
  facts.flatMap((fact) => (fact.type === 'agent.called' ? [fact.agent] : []));
