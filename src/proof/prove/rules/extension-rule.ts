import type { Kernel } from '../../../kernel/kernel.types.js';
import { frameAfter } from '../explore.js';
import type { Frame, Violation } from '../model.types.js';
import { MORE_TIME } from '../moves/commands.js';
import { rootPlanOf } from '../root-plan.js';

/**
 * Granted time changes nothing else: when the clock reaches its deadline, the run continues as before. So a run with
 * granted time equals, except for the clock, the run without it, and is not explored again.
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
    const message = 'A person granted more time, and the run did not continue as before';
    violations.push({ rule: 'deadline', message });
  });
  return violations;
};
