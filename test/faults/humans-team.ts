import { definePolicy } from '../../src/policy/policy.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import type { ScenarioSetup } from '../scenarios/harness.js';
import type { TestAgent } from '../scenarios/team.js';
import { agentNamed, slowAgent, steps } from '../scenarios/team.js';

export const architect = (): TestAgent =>
  agentNamed('architect', (call) => `designed ${call.step.id}`);

/** One step that needs approval, beside work that takes a second. */
export const oneQuestion = (clock: VirtualClock): ScenarioSetup => ({
  options: {
    agents: [architect(), slowAgent('worker', clock, 1_000)],
    policy: definePolicy({ approval: { agents: ['architect'], onReject: 'skip' } }),
  },
  start: { plan: { steps: steps('architect:a', 'b') } },
});

export const refused = (reason: string): { readonly accepted: false; readonly reason: string } => ({
  accepted: false,
  reason,
});
