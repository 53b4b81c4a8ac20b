import { definePolicy } from '../../src/policy/policy.js';
import { workerBy } from '../scenarios/by-step.js';
import type { ScenarioSetup } from '../scenarios/harness.js';
import type { TestAgent } from '../scenarios/team.js';
import { agentNamed, steps } from '../scenarios/team.js';

/** One try per call, one attempt per step, one step at a time, so that only the fault has an effect. */
export const oneTry = definePolicy({
  retry: { attempts: 1 },
  limits: { maxParallel: 1, maxAttempts: 1, maxSteps: 50, maxFailures: 50 },
  time: { stepTimeoutMs: 1_000 },
  failure: { onStepFailure: 'continue', onDependencyFailure: 'run' },
});

/** A step of a faulty agent, then a step of a correct one. */
export const afterIt = (worker: TestAgent): ScenarioSetup => ({
  options: { agents: [worker, agentNamed('next', () => 'fine')], policy: oneTry },
  start: { plan: { steps: steps('a', 'next:b<a') } },
});

/**
 * Every fault in its own step, `f0`, `f1` and so on, then one more step, `last`, which shows that the run continued.
 * A function is called, anything else is the answer.
 */
export const eachInAStep = (faults: readonly unknown[]): ScenarioSetup => {
  const ids = faults.map((_, index) => `f${index}`);
  const worker = workerBy(Object.fromEntries(faults.map((fault, index) => [`f${index}`, fault])));
  return {
    options: { agents: [worker, agentNamed('next', () => 'fine')], policy: oneTry },
    start: { plan: { steps: steps(...ids, `next:last<${ids.join()}`) } },
  };
};
