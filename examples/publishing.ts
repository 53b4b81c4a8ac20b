import type { AgentCall, DurabilityOptions, JsonValue, Orchestrator, Team } from '../src/index.js';
import { createOrchestrator, defineAgent, outputsOf, presets } from '../src/index.js';
import type { RunStore } from '../src/services/stores/index.js';
import { memoryStore } from '../src/services/stores/index.js';

const writer = defineAgent({
  name: 'writer',
  description: 'Writes a text about the goal',
  run: ({ goal }) => `All about ${goal}`,
});

const publisher = defineAgent({
  name: 'publisher',
  description: 'Publishes what was written',
  // What `writer` gives is a text; createOrchestrator does not compile when the team says otherwise.
  run: (call: AgentCall<JsonValue, Team<{ writer: string }>>) => ({
    published: outputsOf(call, 'writer')[0] ?? null,
  }),
});

type PublishingTeam = Team<{ writer: string; publisher: { published: string | null } }>;

export const createPublishing = (
  store: RunStore,
  durability: DurabilityOptions = {},
): Orchestrator<PublishingTeam> =>
  createOrchestrator({
    agents: [writer, publisher],
    planner: ({ goal }) => ({
      steps: [
        { id: 'write', agent: 'writer', task: `Write about ${goal}` },
        { id: 'publish', agent: 'publisher', task: 'Publish the text', dependsOn: ['write'] },
      ],
    }),
    // Nothing is published before a person approves.
    policy: presets.dynamic({ approval: { agents: ['publisher'] } }),
    store,
    durability,
  });

/** Created once, outside of components and requests: it holds the team, the policy and the store. */
export const publishing = createPublishing(memoryStore());
