import { describe, it } from 'vitest';
import { z } from 'zod';

import { createOrchestrator, defineAgent, done, presets } from '../src/index.js';
import { testPaths } from '../src/testing.js';

// The agent under test; put yours here.
const coder = defineAgent({
  name: 'coder',
  description: 'Implements one step with its tests',
  output: z.object({ files: z.array(z.string()) }),
  run: async ({ step }) => done({ files: [`${step.id}.ts`] }, { confidence: 0.9 }),
});

const orchestrator = createOrchestrator({
  agents: [coder],
  // What these would say does not matter here: each path says it for them.
  planner: () => ({ steps: [] }),
  supervisor: () => ({ score: 100 }),
  policy: presets.supervised(),
});

const { cases } = testPaths(orchestrator, { agents: [coder], maxFaults: 1 });

describe('the coder keeps its promises', () => {
  it.each(cases)('$name', async ({ run }) => {
    await run();
  });
});
