import type { CallResult } from '../model/calls.js';
import { isGatePassed } from '../guards/gates.js';
import type { FactBody } from '../model/facts.js';
import type { Settings } from '../model/settings.js';

/** What a supervisor has said, or undefined when it could not be asked. Said of a plan, a goal, a step or its code. */
export const verdictGiven = (
  settings: Settings,
  subject: FactBody<'verdict.given'>['subject'],
  stepId: string | null,
  result: CallResult,
): FactBody<'verdict.given'> | undefined => {
  if (result.kind !== 'answered' || result.answer.role !== 'supervisor') return undefined;
  const { score, issues, feedback } = result.answer;
  return {
    type: 'verdict.given',
    subject,
    stepId,
    score,
    issues: [...issues],
    feedback,
    passed: isGatePassed(settings, subject, result),
    message: 'VERIFY_RESPONSE',
  };
};
