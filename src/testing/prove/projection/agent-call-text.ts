import type { AgentCallContext } from '../../../machines/agent-call.js';
import { flag } from './value-text.js';

/** How the last try failed is judged as soon as it is known, so it is not seen afterwards. */
export const agentCallText = ({ tries, isFallback, isWindingDown }: AgentCallContext): string =>
  `${tries}${flag(isFallback)}${flag(isWindingDown)}`;
