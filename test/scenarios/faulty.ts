import { definePolicy } from '../../src/policy/policy.js';
import type { ScenarioSetup } from './harness.js';
import type { TestAgent } from './team.js';
import { agentNamed, steps } from './team.js';

/** One try per call, one attempt per step: the fault is all there is. */
export const oneTry = definePolicy({
  retry: { attempts: 1 },
  limits: { maxParallel: 1, maxAttempts: 1 },
  time: { stepTimeoutMs: 1_000 },
  failure: { onStepFailure: 'continue', onDependencyFailure: 'run' },
});

/** A step of an agent that does something strange, then one of an agent that does not. */
export const afterIt = (worker: TestAgent): ScenarioSetup => ({
  options: { agents: [worker, agentNamed('next', () => 'fine')], policy: oneTry },
  start: { plan: { steps: steps('a', 'next:b<a') } },
});
