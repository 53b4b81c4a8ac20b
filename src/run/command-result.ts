import type { FactBody } from '../model/facts.js';
import type { CommandResult } from './run.types.js';

/** The result of a command, from the facts of its entry. */
export const commandResultOf = (facts: readonly FactBody[]): CommandResult => {
  const refusal = facts.find((fact) => fact.type === 'command.refused');
  return refusal === undefined ? { accepted: true } : { accepted: false, reason: refusal.reason };
};
