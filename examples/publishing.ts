import type { Orchestrator } from '../src/index.js';
import { createOrchestrator, defineAgent, presets } from '../src/index.js';
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
  run: ({ dependencies: [text] }) => ({ published: text?.output ?? null }),
});

export const createPublishing = (store: RunStore): Orchestrator<'writer' | 'publisher'> =>
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
  });

/** Created once, outside of components and requests: it holds the team, the policy and the store. */
export const publishing = createPublishing(memoryStore());
