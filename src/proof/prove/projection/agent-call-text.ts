import type { AgentCallContext } from '../../../machines/agent-call/chart.js';
import { flag } from './value-text.js';

/** The failure of the last try is handled at once, so no later guard sees it. */
export const agentCallText = (context: AgentCallContext): string => {
  const { tries, isFallback, isWindingDown, isPaused } = context;
  return `${tries}${flag(isFallback)}${flag(isWindingDown)}${flag(isPaused)}`;
};
