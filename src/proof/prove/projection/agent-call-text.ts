import type { AgentCallContext } from '../../../machines/agent-call/chart.js';
import { flag } from './value-text.js';

/** How the last try failed is judged as soon as it is known, so it is not seen afterwards. */
export const agentCallText = (context: AgentCallContext): string => {
  const { tries, isFallback, isWindingDown, isPaused } = context;
  return `${tries}${flag(isFallback)}${flag(isWindingDown)}${flag(isPaused)}`;
};
