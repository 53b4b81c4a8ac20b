import { createOrchestrator, defineAgent, presets } from '../src/index.js';
import { countingStore } from './counting-store.js';
import type { Finding } from './measure.js';
import { chainedSteps } from './planwright.js';

/* The bytes that a store gets for one step: header, entries and states, as JSON in UTF-8. */

const STEP_COUNTS = [50, 100, 200, 400];
const OUTPUT_BYTES = 1_024;

const bytesPerStep = async (stepCount: number): Promise<number> => {
  const { store, written } = countingStore();
  const worker = defineAgent({
    name: 'worker',
    description: 'Says a lot',
    run: async ({ step }) => `${step.id} `.padEnd(OUTPUT_BYTES, 'x'),
  });
  const policy = presets.boundedReplan({ limits: { maxSteps: 1_000, maxAgentCalls: null } });
  const orchestrator = createOrchestrator({ agents: [worker], store, policy });
  await orchestrator.start({ goal: 'Measure', plan: { steps: chainedSteps(stepCount) } }).done;
  return written().bytes / stepCount;
};

export const journalBytes = async (): Promise<Finding[]> => {
  const perStep: number[] = [];
  for (const stepCount of STEP_COUNTS) perStep.push(await bytesPerStep(stepCount));
  const detail = STEP_COUNTS.map(
    (stepCount, index) => `${stepCount} steps: ${perStep[index]?.toFixed(0) ?? ''} bytes`,
  ).join(', ');
  const [first = 1] = perStep;
  return [
    {
      name: 'bytes written per step of 1,024 bytes of output, over 1,024',
      value: Math.max(...perStep) / OUTPUT_BYTES,
      limit: 2.5,
      detail,
    },
    {
      name: 'bytes written per step at 400 steps over 50',
      value: (perStep.at(-1) ?? 0) / first,
      limit: 1.02,
      detail: '',
    },
  ];
};
