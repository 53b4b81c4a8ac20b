import { nextReady, startStep } from '../../plan/progress.js';
import { stepInput } from './requests.js';
import type { OrchestratorContext } from './context.js';
import type { StepInput } from '../step/context.js';

/** A step and the slot it runs in. */
export interface Start {
  readonly slotId: string;
  readonly index: number;
  readonly input: StepInput;
}

/** Starts the next runnable step in every free slot. The guard `canStartSteps` says that there is one. */
export const stepsStarted = (
  context: OrchestratorContext,
): { readonly context: OrchestratorContext; readonly starts: readonly Start[] } => {
  let { progress, slots } = context;
  const taken: { slotId: string; index: number }[] = [];
  for (let slot = slots.indexOf(null); slot >= 0; slot = slots.indexOf(null)) {
    const index = nextReady(progress);
    if (index === undefined) break;
    progress = startStep(progress, index);
    slots = slots.with(slot, index);
    taken.push({ slotId: `slot-${slot}`, index });
  }
  const next = { ...context, progress, slots };
  return {
    context: next,
    starts: taken.map((start) => ({ input: stepInput(next, start.index), ...start })),
  };
};
