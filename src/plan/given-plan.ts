import type { Proposal } from '../model/proposal.js';
import type { Settings } from '../model/settings.js';
import { validatePlan } from './validate.js';

/** The plan that came with a goal, validated like any other. */
export const givenProposal = ({ policy, team }: Settings, plan: unknown): Proposal => {
  const { maxSteps, maxVotes } = policy.limits;
  const validation = validatePlan(plan, {
    agents: team.agents,
    maxSteps,
    maxVotes,
    isGiven: true,
  });
  return validation.ok
    ? { plan: validation.plan, issues: [], origin: 'given' }
    : { plan: null, issues: validation.issues, origin: 'given' };
};
