import type { KernelStep } from '../../../kernel/kernel.types.js';
import type { Move, Violation } from '../model.types.js';

/** A run with too many consecutive takeovers has ended: it makes no further call. */
export const recoveryViolations = ({ input }: Move, step: KernelStep): Violation[] => {
  // The only takeover that is ever reported is one too many.
  const isTold = input.kind === 'commanded' && input.event.type === 'run.recovered';
  if (!isTold || step.status !== 'active') return [];
  const message = 'The run continues after more takeovers than the policy allows';
  return [{ rule: 'bound', message }];
};
