import { createOrchestrator, defineAgent, outputsOf, presets } from '../../src/index.js';
import type { AgentCall, JsonValue, Team } from '../../src/index.js';
import type { RunStore } from '../../src/services/stores/index.js';

const writer = defineAgent({
  name: 'writer',
  description: 'Writes a short text about the goal',
  // Call a model here; `planwright/openai` has agents that do.
  run: ({ goal }) => `All about ${goal}`,
});

const publisher = defineAgent({
  name: 'publisher',
  description: 'Publishes what the writer wrote',
  run: (call: AgentCall<JsonValue, Team<{ writer: string }>>) =>
    `Published: ${outputsOf(call, 'writer').join()}`,
});

export const createTeam = (store: RunStore) =>
  createOrchestrator({
    agents: [writer, publisher],
    planner: ({ goal }) => ({
      steps: [
        { id: 'write', agent: 'writer', task: `Write about ${goal}` },
        { id: 'publish', agent: 'publisher', task: 'Publish the text', dependsOn: ['write'] },
      ],
    }),
    // Nothing is published before a person has approved it. An answer may take a day.
    policy: presets.dynamic({ approval: { agents: ['publisher'], timeoutMs: 86_400_000 } }),
    store,
  });
