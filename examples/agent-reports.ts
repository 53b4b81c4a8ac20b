import { z } from 'zod';

import { blocked, createOrchestrator, defineAgent, done, handOff, presets } from '../src/index.js';

const checker = defineAgent({
  name: 'checker',
  description: 'Checks a text for spaces at the ends of lines',
  run: ({ goal }) =>
    / $/m.test(goal)
      ? handOff({ agent: 'fixer', task: 'Remove the spaces at the ends of lines' }, 'not clean')
      : done('clean', { confidence: 1 }),
});

const fixer = defineAgent({
  name: 'fixer',
  description: 'Removes spaces at the ends of lines',
  output: z.object({ text: z.string(), because: z.unknown() }),
  // The step depends on the one that handed off, whose partial output is 'not clean'.
  run: ({ goal, dependencies }) =>
    goal === ''
      ? blocked('There is no text')
      : done({ text: goal.replace(/ +$/gm, ''), because: dependencies[0]?.output }),
});

const orchestrator = createOrchestrator({
  agents: [checker, fixer],
  policy: presets.collaborative(),
});

const run = orchestrator.start({
  goal: 'first line  \nsecond line',
  plan: { steps: [{ id: 'check', agent: 'checker', task: 'Check the text of the goal' }] },
});

const report = await run.done;
console.log(report.successfulSteps.join(', ')); // check, fixer_rp1
console.log(JSON.stringify(report.steps.at(-1)?.output)); // {"text":"first line\nsecond line","because":"not clean"}
