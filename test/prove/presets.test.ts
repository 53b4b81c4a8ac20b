import { describe, expect, it } from 'vitest';

import { createOrchestrator, defineAgent, presets } from '../../src/index.js';
import { prove } from '../../src/testing.js';

/*
 * As a user does it, with plans of three steps. The largest preset, `supervised`, takes too long for that in every
 * test run, and is proved with plans of one step: `npm run prove:presets` proves all six with three.
 */

const worker = defineAgent({ name: 'worker', description: 'Works', run: () => 'done' });

describe.each(['collaborative', 'boundedReplan', 'dynamic', 'fixed', 'planAndExecute'] as const)(
  'the preset %s',
  (name) => {
    it('reaches exactly its bounds(), with plans of up to three steps', () => {
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

describe('the preset supervised', () => {
  it.each([true, false])(
    'reaches exactly its bounds(), with plans of one step (tester and summarizer: %s)',
    (hasTester) => {
      const { isProved, maxima } = prove(presets.supervised(), {
        agents: [worker],
        tester: hasTester,
        summarizer: hasTester,
        planSteps: 1,
      });
      expect(isProved).toBe(true);
      for (const [metric, { value, bound }] of Object.entries(maxima ?? {})) {
        expect([metric, value]).toEqual([metric, bound]);
      }
    },
  );
});
