import type { Frame, Violation } from '../model.types.js';

/** Nothing waits forever: every open call and every question has a deadline, and so has the run as a whole. */
export const waitingViolations = ({ state }: Frame): Violation[] => {
  const armed = new Set<string>();
  state.timers.forEach(({ address }) => armed.add(address));
  const violations: Violation[] = [];
  if (!armed.has('') && state.nodes.get('')?.chart === 'orchestrator') {
    violations.push({ rule: 'deadline', message: 'The run waits without a deadline' });
  }
  state.calls.forEach(({ parent }, address) => {
    if (armed.has(parent)) return;
    violations.push({ rule: 'deadline', message: `${address} has no deadline` });
  });
  state.nodes.forEach(({ snapshot }, address) => {
    if (!snapshot.hasTag('waiting-for-human') || armed.has(address)) return;
    violations.push({
      rule: 'deadline',
      message: `${address} waits for a person without a deadline`,
    });
  });
  return violations;
};
