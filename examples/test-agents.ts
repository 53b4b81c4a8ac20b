import { describe, it } from 'vitest';
import { z } from 'zod';

import { createOrchestrator, defineAgent, done, presets } from '../src/index.js';
import { testPaths } from '../src/testing.js';

// The agent under test; use yours here.
const coder = defineAgent({
  name: 'coder',
  description: 'Implements one step with its tests',
  output: z.object({ files: z.array(z.string()) }),
  run: async ({ step }) => done({ files: [`${step.id}.ts`] }, { confidence: 0.9 }),
});

const orchestrator = createOrchestrator({
  agents: [coder],
  // These are not called: each path decides their answers.
  planner: () => ({ steps: [] }),
  supervisor: () => ({ score: 100 }),
  policy: presets.supervised(),
});

const { cases } = testPaths(orchestrator, { agents: [coder], maxFaults: 1 });

describe('the coder on generated paths', () => {
  it.each(cases)('$name', async ({ run }) => {
    await run();
  });
});
