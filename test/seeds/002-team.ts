import type { PlanRequest } from '../../src/agents/roles.js';
import type { AgentCall } from '../../src/agents/agent.js';
import type { Fact } from '../../src/model/facts.js';
import type { Plan, Scope } from '../../src/model/plan.js';
import type { Policy, PolicyOverrides } from '../../src/model/policy.js';
import { presets } from '../../src/policy/presets.js';
import type { Control } from '../scenarios/harness.js';
import { scriptedAgent } from '../scenarios/scripted.js';
import type { TestAgent } from '../scenarios/team.js';
import { steps } from '../scenarios/team.js';

/* The toolkit of seed 002: its agents, the pipelines that its planner composes, and a person who approves. */

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

/** The answers of agents, call by call; an agent without answers says what it did. */
export type Answers = Partial<Readonly<Record<Role, readonly unknown[]>>>;

export const toolkit = (answers: Answers = {}): TestAgent[] =>
  ROLES.map((role) =>
    scriptedAgent(role, ...(answers[role] ?? [({ step }: AgentCall) => `${role} did ${step.id}`])),
  );

/** One step per agent, each depends on the one before, named by its agent: 'architect:architect<analyst'. */
export const inOrder = (...roles: readonly Role[]): string[] =>
  roles.map((role, index) => {
    const before = roles[index - 1];
    return before === undefined ? `${role}:${role}` : `${role}:${role}<${before}`;
  });

/** The planner's decision in the seed: the reason, and each agent with its reason. */
export const workflow = (scope: Scope, ...roles: readonly Role[]): Plan => ({
  analysis: `A ${scope} issue for ${roles.join(', ')}`,
  scope,
  steps: steps(...inOrder(...roles)).map((step) => ({
    ...step,
    reason: REASONS[step.agent as Role],
  })),
});

/** A planner that always proposes the same pipeline, as new work every time. */
export const eachRound =
  (...roles: readonly Role[]) =>
  ({ revision }: PlanRequest): Plan => ({
    steps: steps(...inOrder(...roles)).map((step) => ({
      ...step,
      task: `${step.task} in round ${revision}`,
    })),
  });

/** A person who approves everything immediately. */
export const approving = (fact: Fact, control: Control): void => {
  if (fact.type === 'approval.requested') control.approve(fact.requestId, 'Go ahead');
};

/** A person who rejects everything immediately. */
export const rejecting = (fact: Fact, control: Control): void => {
  if (fact.type === 'approval.requested') control.reject(fact.requestId, 'Too risky');
};

/** The agents that were called, in order; a retry is a call too. */
export const calledIn = (facts: readonly Fact[]): string[] =>
  facts.flatMap((fact) => (fact.type === 'agent.called' ? [fact.agent] : []));

/** People approve the architect (002.42): a preset names no agent, so the profile of the seed does. */
const withArchitect = (overrides: PolicyOverrides): PolicyOverrides => ({
  ...overrides,
  approval: { agents: ['architect'], ...overrides.approval },
});

/** The profile of the seed. */
export const dynamicProfile = (overrides: PolicyOverrides = {}): Policy =>
  presets.dynamic(withArchitect(overrides));

/** The profile of the seed in fixed mode. */
export const fixedProfile = (overrides: PolicyOverrides = {}): Policy =>
  presets.fixed(withArchitect(overrides));
