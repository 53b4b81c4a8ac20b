import type { CallResult, Subject } from '../model/calls.js';
import type { Settings } from '../model/settings.js';

/** A gate exists when the policy sets a score for it and the team has a supervisor. */
export const hasGate = ({ policy, team }: Settings, subject: Subject): boolean =>
  team.hasSupervisor && policy.gates[subject] !== null;

/** A gate passes only when the policy's score is reached; without a verdict it does not pass. */
export const isGatePassed = (settings: Settings, subject: Subject, result: CallResult): boolean => {
  const threshold = settings.policy.gates[subject];
  if (threshold === null) return true;
  return (
    result.kind === 'answered' &&
    result.answer.role === 'supervisor' &&
    result.answer.score >= threshold
  );
};
