import { handOff } from '../../src/agents/report.js';
import { presets } from '../../src/policy/presets.js';
import type { ScenarioResult, ScenarioSetup } from '../scenarios/harness.js';
import { scriptedAgent } from '../scenarios/scripted.js';
import { steps } from '../scenarios/team.js';

/* Seed 000: agents that request work from each other. Its `needs_replan` with an agent and a query is a hand-off. */

export const TEAM = ['architect', 'codesmith', 'reviewer', 'fixer', 'research'] as const;
type Member = (typeof TEAM)[number];

export const toFixer = handOff({ agent: 'fixer', task: 'Fix SQL injection in auth.py' }, 'One bug');
export const toReviewer = handOff({ agent: 'reviewer', task: 'Re-review fixed code' }, 'Fixed');

/** The seed's first plan: each step only waits for its turn. */
export const FIRST_PLAN = ['architect:design', 'codesmith:implement', 'reviewer:review'];

/** The answers of each agent, call by call; an agent without answers completes immediately. */
export const collaborating = (
  answers: Partial<Record<Member, readonly unknown[]>>,
  plan: readonly string[] = FIRST_PLAN,
): ScenarioSetup => ({
  options: {
    agents: TEAM.map((name) => scriptedAgent(name, ...(answers[name] ?? [`${name} is done`]))),
    policy: presets.collaborative(),
  },
  start: { plan: { steps: steps(...plan) } },
});

/** The agents that worked, in order. */
export const route = ({ factsOf }: ScenarioResult): string[] =>
  factsOf('step.started').map(({ agent }) => agent);
