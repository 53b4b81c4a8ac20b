import type { Fact } from '../../src/model/facts.js';
import type { RunRecord, StepRecord } from '../../src/journal/record.js';

/** The step with this id; in a sub-plan the id is a path: 's2/s1'. */
export const stepById = (record: RunRecord, id: string): StepRecord | undefined =>
  record.steps.find((step) => step.id === id);

/** One message of seed 004's protocol. */
export interface TranscriptLine {
  readonly at: number;
  /** Its type: 'PLAN_REQUEST', 'STEP_COMPLETE', 'ABORT', … */
  readonly message: string;
  /** The step it is about; null when it is about the whole run. */
  readonly about: string | null;
}

/**
 * The conversation of the team, read off the facts that stand for a message.
 *
 * @example
 * transcript(facts); // [{ at: 0, message: 'PLAN_REQUEST', about: null }, …]
 */
export const transcript = (facts: readonly Fact[]): TranscriptLine[] =>
  facts.flatMap((fact) => {
    if (!('message' in fact) || fact.message === null) return [];
    return [{ at: fact.at, message: fact.message, about: subjectOf(fact) }];
  });

const subjectOf = (fact: Fact): string | null => {
  if ('stepId' in fact) return fact.stepId;
  return 'parentStepId' in fact ? fact.parentStepId : null;
};
