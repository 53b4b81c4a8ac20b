// A program whose own schemas are zod/mini, without zod's messages: run by check.test.ts as a process of its own.
import * as z from 'zod/mini';

import { createOrchestrator, defineAgent, validatePlan } from '../../src/index.js';

const coder = defineAgent({
  name: 'coder',
  description: 'Writes code',
  output: z.object({ files: z.array(z.string().check(z.minLength(2))), url: z.url() }),
  run: () => ({ files: ['a', 7], url: 'nowhere' }) as never,
});
const orchestrator = createOrchestrator({ agents: [coder] });
const run = orchestrator.start({
  goal: 'Code',
  plan: { steps: [{ id: 's1', agent: 'coder', task: 'Write the code of it' }] },
});
const command = await run.extendTime(-1);
const report = await run.done;
const validation = validatePlan(
  { steps: [{ id: 1, agent: 'coder', task: 'x', complexity: 'huge', votes: { count: 1 } }] },
  { agents: ['coder'], maxSteps: 3 },
);
process.stdout.write(
  JSON.stringify({
    output: report.steps[0]?.reason,
    command,
    plan: validation.ok ? [] : validation.issues.map(({ path, message }) => `${path}: ${message}`),
    settings: Object.keys(z.config()),
  }),
);
