import type { StepRecord } from '../journal/record.js';
import type { Cause } from './explain.types.js';
import type { ToldFacts } from './told-facts.js';

/** A person rejected it, or the question expired. */
export const answerCauses = (told: ToldFacts, { id }: StepRecord): Cause[] => {
  const rejected = told.last('approval.rejected', ({ stepId }) => stepId === id);
  const expired = told.last('approval.expired', ({ stepId }) => stepId === id);
  if (rejected !== undefined && rejected.sequence > (expired?.sequence ?? 0)) {
    const text = `A person rejected step '${id}': ${rejected.reason}`;
    return [{ kind: 'rejected-by-person', sequence: rejected.sequence, stepId: id, text }];
  }
  if (expired === undefined) return [];
  const text = `The question of step '${id}' was not answered in time, which counts as ${expired.outcome}`;
  return [{ kind: 'approval-expired', sequence: expired.sequence, stepId: id, text }];
};
