import { z } from 'zod';

import type { Agent, AgentCall, Orchestrator } from '../../../src/index.js';
import { createOrchestrator, defineAgent, presets } from '../../../src/index.js';

/** A coder whose output has a schema, with scripted behaviour. */
export const coderThat = (run: (call: AgentCall) => unknown): Agent<'coder'> =>
  defineAgent({
    name: 'coder',
    description: 'Codes',
    output: z.object({ files: z.array(z.string()) }),
    run: run as () => { files: string[] },
  });

const writer = defineAgent({ name: 'writer', description: 'Writes', run: () => 'Text' });

export const smallTeam = (coder: Agent): Orchestrator =>
  createOrchestrator({
    agents: [coder, writer],
    planner: () => ({ steps: [] }),
    policy: presets.boundedReplan(),
  });

export const supervisedTeam = (coder: Agent): Orchestrator =>
  createOrchestrator({
    agents: [coder, writer],
    planner: () => ({ steps: [] }),
    supervisor: () => ({ score: 100 }),
    tester: () => ({ passed: true }),
    summarizer: () => 'Done',
    policy: presets.supervised(),
  });
