import { createOrchestrator, defineAgent, presets } from '../src/index.js';
import type { Orchestrator, PlanStep, Team } from '../src/index.js';

const worker = defineAgent({
  name: 'worker',
  description: 'Answers at once',
  run: async () => 'done',
});

type BenchTeam = Team<{ worker: string }>;

/** A policy without gates, with room for the largest plan. */
export const createBenchOrchestrator = (maxParallel: number): Orchestrator<BenchTeam> =>
  createOrchestrator({
    agents: [worker],
    policy: presets.boundedReplan({
      limits: { maxParallel, maxSteps: 1_000_000, maxAgentCalls: null },
    }),
  });

export const independentSteps = (count: number): PlanStep<'worker'>[] =>
  Array.from({ length: count }, (_, index) => stepAt(index, []));

/** Each step depends on the one before it. */
export const chainedSteps = (count: number): PlanStep<'worker'>[] =>
  Array.from({ length: count }, (_, index) => stepAt(index, index === 0 ? [] : [`s${index - 1}`]));

const stepAt = (index: number, dependsOn: readonly string[]): PlanStep<'worker'> => ({
  id: `s${index}`,
  agent: 'worker',
  task: `Do the work of step ${index}`,
  dependsOn,
});

export const runPlan = async (
  orchestrator: Orchestrator<BenchTeam>,
  steps: readonly PlanStep<'worker'>[],
): Promise<void> => {
  const report = await orchestrator.start({ goal: 'Measure', plan: { steps } }).done;
  if (report.successfulSteps.length !== steps.length) {
    throw new Error(`Only ${report.successfulSteps.length} of ${steps.length} steps completed`);
  }
};
