import type { Agent } from '../../agents/agent.js';
import type { Settings } from '../../model/settings.js';
import { definePolicy } from '../../policy/policy.js';
import type { Policy } from '../../model/policy.js';
import { ConfigurationError } from '../../errors.js';
import type { ProveOptions } from './prove.types.js';

/** The charts' settings for the team. */
export const settingsOf = (policy: Policy, options: ProveOptions): Settings => {
  const agents: readonly (string | Agent)[] = options.agents;
  if (agents.length === 0) {
    const message = 'Expected at least one agent: its name, or the agent itself';
    throw new ConfigurationError([{ code: 'no-agents', path: 'agents', message }]);
  }
  const hasGate = Object.values(policy.gates).some((score) => score !== null);
  const nameOf = (agent: string | Agent): string =>
    typeof agent === 'string' ? agent : agent.name;
  return {
    policy,
    team: {
      agents: agents.map(nameOf),
      fallbacks: agents
        .filter((agent) => typeof agent !== 'string' && agent.fallback !== undefined)
        .map(nameOf),
      hasPlanner: options.planner ?? true,
      hasSupervisor: options.supervisor ?? hasGate,
      hasTester: options.tester ?? false,
      hasSummarizer: options.summarizer ?? false,
    },
  };
};

/** The settings of a proof and of the replay of its paths: the same policy for plans of the given size. */
export const provedSettings = (policy: Policy, options: ProveOptions): Settings =>
  settingsOf(withPlanSteps(policy, planStepsOf(policy, options.planSteps)), options);

/** The most steps of a plan here. */
const planStepsOf = ({ limits }: Policy, planSteps = 3): number =>
  Math.min(limits.maxSteps, planSteps);

/** The same policy for plans of this size: the bounds are compared with what is explored. */
const withPlanSteps = (policy: Policy, planSteps: number): Policy =>
  definePolicy({ ...policy, limits: { ...policy.limits, maxSteps: planSteps } });
