import { createOrchestrator, defineAgent, presets, requestReplan } from '../src/index.js';

const writer = defineAgent({
  name: 'writer',
  description: 'Writes a draft, and is never content with it',
  run: ({ task }) => requestReplan({ reason: 'Not good enough' }, `${task}: done`),
});

const orchestrator = createOrchestrator({
  agents: [writer],
  planner: ({ revision }) => ({
    steps: [{ id: 'write', agent: 'writer', task: `Draft ${revision + 1}` }],
  }),
  policy: presets.boundedReplan({ limits: { maxReplans: 2 } }),
});

const report = await orchestrator.start({ goal: 'Write the release notes' }).done;

console.log(`${report.status}: ${report.reason}, after ${report.replans} replans`);
for (const { id, output } of report.steps) console.log(`  kept ${id}: ${JSON.stringify(output)}`);
for (const { stepId, what, bound, limit } of report.refused)
  console.log(`  refused ${stepId}: ${what}, ${bound} ${limit}`);
