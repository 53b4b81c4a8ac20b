import { expect } from 'vitest';

import { presets } from '../../src/policy/presets.js';
import { checkInvariants } from '../../src/testing/invariants/check-invariants.js';
import type { ScenarioResult, ScenarioSetup } from '../scenarios/harness.js';
import { play } from '../scenarios/harness.js';

/** A team without the policy and the supervisor, which accepts everything. */
type Team = Omit<ScenarioSetup['options'], 'policy' | 'supervisor'>;

const contentSupervisor = (): { score: number } => ({ score: 100 });

/** Runs the same team under each of the six presets and checks every run against the invariants. */
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

/** The agents that the run called for its steps, in order. */
export const workersIn = ({ factsOf }: ScenarioResult): string[] =>
  factsOf('agent.called').flatMap(({ role, agent }) => (role === 'worker' ? [agent] : []));
