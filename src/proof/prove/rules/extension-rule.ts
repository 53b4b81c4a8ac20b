import type { Kernel } from '../../../kernel/kernel.types.js';
import { frameAfter } from '../explore.js';
import type { Frame, Violation } from '../model.types.js';
import { MORE_TIME } from '../moves/commands.js';
import { rootPlanOf } from '../root-plan.js';

/**
 * Time that a person gives is time and nothing else: when the clock comes to its deadline, the run goes on as if nothing
 * had been. So a run with time to come is, for all but the clock, the run without it, and is not explored once more.
 */
export const extensionViolations = (
  kernel: Kernel,
  textOf: (frame: Frame) => string,
  frame: Frame,
): Violation[] => {
  const { state } = frame;
  if (rootPlanOf(frame).ending !== null) return [];
  const violations: Violation[] = [];
  state.timers.forEach(({ generation }, timer) => {
    if (!timer.startsWith('#') || !timer.includes('.orchestrator.active.clock.')) return;
    const given = kernel.step(state, MORE_TIME.input);
    const then = frameAfter(frame, given);
    const step = kernel.step(then.state, { kind: 'elapsed', timer, generation });
    const isAsBefore = step.status === 'active' && textOf(frameAfter(then, step)) === textOf(frame);
    if (isAsBefore) return;
    const message = 'A person gave more time, and the run did not go on as it was';
    violations.push({ rule: 'deadline', message });
  });
  return violations;
};
