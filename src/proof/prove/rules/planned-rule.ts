import type { KernelStep } from '../../../kernel/kernel.types.js';
import type { OrchestratorContext } from '../../../machines/orchestrator/context.js';
import { counted } from '../counted.js';
import type { Violation } from '../model.types.js';
import { STAND_IN } from '../projection/live-steps.js';

/**
 * No more steps are planned than plans may add. Where nothing depends on the number it is not part of a state, so it is
 * checked whenever a state is reached, not only the first time.
 */
export const plannedViolations = ({ state }: KernelStep): Violation[] => {
  const violations: Violation[] = [];
  state.nodes.forEach(({ chart, snapshot }, address) => {
    if (chart !== 'orchestrator') return;
    const { progress, replans, settings } = snapshot.context as OrchestratorContext;
    const most = settings.policy.limits.maxSteps * (1 + replans);
    const planned = progress.steps.filter(({ task }) => task !== STAND_IN).length;
    if (planned <= most) return;
    const message = `${address === '' ? 'The run' : address} has ${counted(planned, ['step', 'steps'])} planned, the policy allows ${most}`;
    violations.push({ rule: 'bound', message });
  });
  return violations;
};
