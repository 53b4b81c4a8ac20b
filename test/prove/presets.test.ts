import { describe, expect, it } from 'vitest';

import { createOrchestrator, defineAgent, presets } from '../../src/index.js';
import { prove } from '../../src/testing/index.js';

/*
 * As a user does it, with plans of three steps. The largest preset, `supervised`, takes too long to be proved on every run of
 * the tests: `npm run prove:presets` proves all six.
 */

const worker = defineAgent({ name: 'worker', description: 'Works', run: () => 'done' });

describe.each(['collaborative', 'boundedReplan', 'dynamic', 'fixed', 'planAndExecute'] as const)(
  'the preset %s',
  (name) => {
    it('keeps its price tag to the last call, with plans of up to three steps', () => {
      const policy = presets[name]({ limits: { maxSteps: 3 } });
      const orchestrator = createOrchestrator({
        agents: [worker],
        planner: () => ({ steps: [] }),
        policy,
      });
      const { isProved, maxima, planSteps } = prove(policy, { agents: [worker] });
      expect({ isProved, planSteps }).toEqual({ isProved: true, planSteps: 3 });
      const bounds = orchestrator.bounds();
      const found = Object.entries(maxima ?? {}).map(([metric, { value }]) => [metric, value]);
      expect(Object.fromEntries(found)).toEqual(bounds);
    });
  },
);
