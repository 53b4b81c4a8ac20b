import type { FactBody } from '../model/facts.js';
import type { CommandResult } from './run.types.js';

/** What became of a command, by the facts of its entry. */
export const commandResultOf = (facts: readonly FactBody[]): CommandResult => {
  const refusal = facts.find((fact) => fact.type === 'command.refused');
  return refusal === undefined ? { accepted: true } : { accepted: false, reason: refusal.reason };
};
