import {
  createOrchestrator,
  defineAgent,
  PlanError,
  PlanwrightError,
  PolicyError,
  presets,
} from '../src/index.js';

const worker = defineAgent({
  name: 'worker',
  description: 'Fails',
  run: () => {
    throw new Error('No luck');
  },
});
const orchestrator = createOrchestrator({
  agents: [worker],
  policy: presets.boundedReplan(),
});
const step = { id: 'try', agent: 'worker', task: 'Try it at least once' } as const;

// A mistake of the caller is an error, thrown at once, with all issues.
try {
  presets.boundedReplan({ limits: { maxReplans: -1, maxSteps: Number.NaN } });
} catch (error) {
  if (!PolicyError.isInstance(error)) throw error;
  console.log(error.issues.map(({ path }) => path).join(', ')); // limits.maxReplans, limits.maxSteps
}
try {
  orchestrator.start({ goal: 'Go', plan: { steps: [{ ...step, dependsOn: ['nothing'] }] } });
} catch (error) {
  if (!PlanError.isInstance(error)) throw error;
  console.log(error.issues[0]?.code); // unknown-dependency
}
const unknown = await orchestrator.resume('unknown').catch((error: unknown) => error);
console.log(PlanwrightError.isInstance(unknown) && unknown.code); // run-not-found

// A goal that is not achieved is a report.
const report = await orchestrator.start({ goal: 'Go', plan: { steps: [step] } }).done;
console.log(report.status, report.reason); // failed steps-failed
console.log(report.steps[0]?.code, report.steps[0]?.reason); // threw Error: No luck
