import { createOrchestrator, defineAgent, needsContext, presets } from '../src/index.js';

const writer = defineAgent({
  name: 'writer',
  description: 'Writes a chapter, and always asks for more sources',
  run: ({ step }) => needsContext('More sources', `draft of ${step.id}`),
});

const orchestrator = createOrchestrator({
  agents: [writer],
  planner: ({ requests }) => ({
    steps: [{ id: 'write', agent: 'writer', task: `Chapter after ${requests.length} requests` }],
  }),
  policy: presets.boundedReplan({ limits: { maxReplans: 1 } }),
});

const report = await orchestrator.start({ goal: 'Write a book' }).done;
console.log(report.status, report.reason); // completed all-steps-completed: replan-limit
console.log(report.allSucceeded); // false
for (const { what, stepId, agent, bound, limit, reason } of report.refused) {
  console.log(what, stepId, agent, bound, limit, reason); // replan write_rp1 writer replan-limit 1 More sources
}
