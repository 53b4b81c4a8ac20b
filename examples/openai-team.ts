import { createOrchestrator, presets } from '../src/index.js';
import { softwareTeam } from '../src/services/openai/index.js';

const model = process.env['OPENAI_MODEL'] ?? 'gpt-5-mini';
const policy = presets.supervised({ limits: { maxTokens: 200_000 }, time: { limitMs: 600_000 } });

const orchestrator = createOrchestrator({
  ...softwareTeam({
    model,
    // A stronger model for some roles; all others use `model`.
    models: { planner: process.env['OPENAI_PLANNER_MODEL'] ?? model },
    // The agents of the team, and instructions for them.
    roles: ['analyst', 'coder', 'reviewer', 'fixer'],
    instructions: { coder: 'TypeScript, no default exports.' },
    context: policy.context,
  }),
  policy,
});

const run = orchestrator.start({ goal: 'Add a --json flag to the report command' });
run.subscribe((fact) => {
  if (fact.type === 'step.started') console.log(`${fact.agent} starts ${fact.stepId}`);
  if (fact.type === 'agent.failed') console.log(`${fact.agent} failed: ${fact.reason}`);
});

const report = await run.done;
console.log(report.status, report.successfulSteps.join(', '));
console.log(report.summary);
