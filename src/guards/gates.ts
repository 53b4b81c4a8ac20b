import type { CallResult, Subject } from '../model/calls.js';
import type { Settings } from '../model/settings.js';

/** A gate is there when the policy sets a score for it and there is a supervisor to give one. */
export const hasGate = ({ policy, team }: Settings, subject: Subject): boolean =>
  team.hasSupervisor && policy.gates[subject] !== null;

/** A gate passes on the policy's score and on nothing else; no verdict is no pass. */
export const isGatePassed = (settings: Settings, subject: Subject, result: CallResult): boolean => {
  const threshold = settings.policy.gates[subject];
  if (threshold === null) return true;
  return (
    result.kind === 'answered' &&
    result.answer.role === 'supervisor' &&
    result.answer.score >= threshold
  );
};
