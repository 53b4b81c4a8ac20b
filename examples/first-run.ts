// Describes the TypeScript files under ./src. No model is called and no network is used: planner and agents are
// plain functions. The first plan cannot know which folder is the most interesting, so an agent asks for another plan.
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { z } from 'zod';

import { createOrchestrator, defineAgent, done, needsContext, presets } from '../src/index.js';

const fileLengths = z.array(z.object({ file: z.string(), lines: z.number() }));

const surveyor = defineAgent({
  name: 'surveyor',
  description: 'Counts the lines of the TypeScript files in a folder',
  output: fileLengths,
  run: async ({ task, signal }) => {
    const folder = task.replace('Count the lines in ', '');
    const files = await readdir(folder, { recursive: true });
    const sources = files.filter((file) => file.endsWith('.ts')).sort();
    return Promise.all(
      sources.map(async (file) => {
        const text = await readFile(join(folder, file), { encoding: 'utf8', signal });
        return { file, lines: text.split('\n').length - 1 };
      }),
    );
  },
});

const analyst = defineAgent({
  name: 'analyst',
  description: 'Describes the numbers, and asks for another plan when they are not enough',
  run: ({ step, dependencies }) => {
    const files = dependencies.flatMap(({ output }) => fileLengths.parse(output));
    const longest = files.reduce((left, right) => (right.lines > left.lines ? right : left));
    const lines = files.reduce((sum, file) => sum + file.lines, 0);
    const text = `${files.length} files, ${lines} lines; the longest is ${longest.file}`;
    if (step.id !== 'overview') return done(text, { confidence: 0.9 });
    return needsContext(join('src', dirname(longest.file)), text);
  },
});

const orchestrator = createOrchestrator({
  agents: [surveyor, analyst],
  // Called for the first plan, and again when a step asks for another one: then `requests` says why.
  planner: ({ requests }) => {
    const [request] = requests;
    const folder = request?.reason ?? 'src';
    const [survey, describe] = request === undefined ? ['survey', 'overview'] : ['zoom', 'detail'];
    return {
      analysis: `Measure ${folder}, then describe it`,
      steps: [
        { id: survey, agent: 'surveyor', task: `Count the lines in ${folder}` },
        { id: describe, agent: 'analyst', task: `Describe ${folder}`, dependsOn: [survey] },
      ],
    };
  },
  // At most one more plan, and ten seconds for the whole run.
  policy: presets.boundedReplan({ limits: { maxReplans: 1 }, time: { limitMs: 10_000 } }),
});

console.log('No model is called: the planner and the agents of this run are plain functions.');

const run = orchestrator.start({ goal: 'Describe the source code in ./src' });

run.subscribe((fact) => {
  if (fact.type === 'plan.adopted') console.log(`plan ${fact.revision} is adopted`);
  if (fact.type === 'step.started') console.log(`  ${fact.stepId}: ${fact.agent} starts`);
  if (fact.type === 'step.completed') console.log(`  ${fact.stepId}: completed`);
  if (fact.type === 'replan.requested') console.log(`  ${fact.agent} asks for ${fact.reason}`);
});

const report = await run.done;
console.log(`${report.status}: ${report.reason}, ${report.replans} replan`);
for (const { id, agent, output } of report.steps) {
  if (agent === 'analyst') console.log(`  ${id}: ${JSON.stringify(output)}`);
}
