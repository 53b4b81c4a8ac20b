import type { KernelStep } from '../../../kernel/kernel.types.js';
import { endsByRejection } from '../../../guards/approval.js';
import type { OrchestratorContext } from '../../../machines/orchestrator/context.js';
import type { StepOutcome } from '../../../model/step-outcome.js';
import type { Frame, Move, Violation } from '../model.types.js';

/**
 * The rejection rule where steps are replaced by their contracts: the rejection happened inside the step, and its plan
 * learns of it when the step ends. With `onReject: 'fail'` no call is in flight afterwards.
 */
export const childRejectionViolations = (
  before: Frame,
  { input }: Move,
  step: KernelStep,
): Violation[] => {
  if (input.kind !== 'answered' || step.state.calls.size === 0) return [];
  const call = before.calls.get(input.address);
  const plan = before.state.nodes.get(input.address.slice(0, input.address.lastIndexOf('/')));
  if (call?.actor !== 'step' || plan?.chart !== 'orchestrator') return [];
  const context = plan.snapshot.context as OrchestratorContext;
  const outcome = input.output as StepOutcome;
  // A run that is already ending has told its steps, and asks no more questions.
  if (context.ending !== null || !endsByRejection(context, outcome)) return [];
  return [
    { rule: 'rejection', message: 'Calls are in flight after a rejection that ends the run' },
  ];
};
