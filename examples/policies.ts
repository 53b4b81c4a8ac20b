import { createOrchestrator, defineAgent, definePolicy, presets } from '../src/index.js';

const researcher = defineAgent({
  name: 'researcher',
  description: 'Answers one question',
  run: ({ task }) => `An answer to: ${task}`,
});

// A preset with two options changed. All other options keep the values of the preset.
const policy = presets.boundedReplan({ limits: { maxReplans: 1, maxSteps: 4 } });
console.log(policy.limits.maxParallel); // 5

// The defaults with one option changed.
console.log(definePolicy({ limits: { maxTokens: 50_000 } }).limits.maxReplans); // 3

// Upper bounds of what a run can cost, whatever planner and agents do.
const bounds = createOrchestrator({
  agents: [researcher],
  planner: ({ goal }) => ({ steps: [{ id: 'ask', agent: 'researcher', task: goal }] }),
  policy,
}).bounds();
console.log(bounds.plannerCalls); // 2
console.log(bounds.steps); // 8
console.log(bounds.wallTimeMs); // 3605000
