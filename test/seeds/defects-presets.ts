import { expect } from 'vitest';

import { presets } from '../../src/policy/presets.js';
import { checkInvariants } from '../../src/testing/invariants/check-invariants.js';
import type { ScenarioResult, ScenarioSetup } from '../scenarios/harness.js';
import { play } from '../scenarios/harness.js';

/** What a team is, besides the policy and the supervisor, which is content with everything. */
type Team = Omit<ScenarioSetup['options'], 'policy' | 'supervisor'>;

const contentSupervisor = (): { score: number } => ({ score: 100 });

/** Plays the same team under each of the six presets and holds every run to the invariants. */
export const underEveryPreset = async (
  teamOf: () => Team,
  check: (result: ScenarioResult, name: string) => void,
  rest: Omit<ScenarioSetup, 'options'> = {},
): Promise<void> => {
  for (const [name, preset] of Object.entries(presets)) {
    const policy = preset({ retry: { attempts: 1 } });
    const options = { ...teamOf(), policy, supervisor: contentSupervisor };
    const result = await play('straight', () => ({ options, ...rest }));
    expect(
      checkInvariants(result.facts, { policy, bounds: result.orchestrator.bounds() }),
      name,
    ).toEqual([]);
    check(result, name);
  }
};

/** How often the planner was called. */
export const plannerCallsIn = ({ factsOf }: ScenarioResult): number =>
  factsOf('agent.called').filter(({ role }) => role === 'planner').length;

/** Whom the run called for its steps, in order. */
export const workersIn = ({ factsOf }: ScenarioResult): string[] =>
  factsOf('agent.called').flatMap(({ role, agent }) => (role === 'worker' ? [agent] : []));
