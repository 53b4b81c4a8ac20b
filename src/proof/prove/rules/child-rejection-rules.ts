import type { KernelStep } from '../../../kernel/kernel.types.js';
import { endsByRejection } from '../../../guards/approval.js';
import type { OrchestratorContext } from '../../../machines/orchestrator/context.js';
import type { StepOutcome } from '../../../model/step-outcome.js';
import type { Frame, Move, Violation } from '../model.types.js';

/**
 * What the rule of rejections says where steps are replaced by their contracts: the no was said inside of the step, and
 * its plan hears of it when the step ends. With `onReject: 'fail'` nothing is out afterwards.
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
  // A run that ends already has told its steps so, and asks nobody any more.
  if (context.ending !== null || !endsByRejection(context, outcome)) return [];
  return [{ rule: 'rejection', message: 'Calls are out after a no that ends the run' }];
};
