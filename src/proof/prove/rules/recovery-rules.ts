import type { KernelStep } from '../../../kernel/kernel.types.js';
import type { Move, Violation } from '../model.types.js';

/** A run that has died with too many processes in a row is over: nobody is called for it again. */
export const recoveryViolations = ({ input }: Move, step: KernelStep): Violation[] => {
  // The only one that is ever told is one too many.
  const isTold = input.kind === 'commanded' && input.event.type === 'run.recovered';
  if (!isTold || step.status !== 'active') return [];
  const message = 'The run goes on although it has died with more processes than the policy allows';
  return [{ rule: 'bound', message }];
};
