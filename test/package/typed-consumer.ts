import { z } from 'zod';

import type { Fact, Policy, RunReport } from '../../src/index.js';
import { createOrchestrator, defineAgent, done, handOff, presets } from '../../src/index.js';

/* The code of a user: the compiler must infer it all, and reject what is wrong, from the tarball alone. */

const coder = defineAgent({
  name: 'coder',
  description: 'Writes one file',
  output: z.object({ file: z.string() }),
  run: async ({ task, signal }) => {
    signal.throwIfAborted();
    return task === ''
      ? handOff({ agent: 'reviewer', task: 'Look' })
      : done({ file: `${task}.ts` });
  },
});

const reviewer = defineAgent({
  name: 'reviewer',
  description: 'Reads it',
  run: ({ dependencies }) => dependencies.map(({ stepId }) => stepId),
});

const policy: Policy<'coder'> = presets.supervised({ approval: { agents: ['coder'] } });

export const orchestrator = createOrchestrator({
  agents: [coder, reviewer],
  planner: () => ({ steps: [{ id: 'write', agent: 'coder', task: 'Write a file' }] }),
  supervisor: ({ subject, threshold }) => ({ score: threshold, feedback: `A fine ${subject}` }),
  policy,
});

// @ts-expect-error: under exactOptionalPropertyTypes, undefined is not the same as nothing
createOrchestrator({ agents: [reviewer], planner: undefined });

createOrchestrator({
  agents: [coder, reviewer],
  // @ts-expect-error: nobody of that name is in the team
  planner: () => ({ steps: [{ id: 'write', agent: 'nobody', task: 'Write a file' }] }),
});

export const stepIn = (fact: Fact): string | null =>
  fact.type === 'step.completed' ? fact.stepId : null;

export const report: Promise<RunReport> = orchestrator.start({ goal: 'Write a file' }).done;
