import type { Fact } from '../model/facts.js';

/**
 * Counts the questions of a run that wait for a person, from its facts: for lists, without building a whole record. The
 * record counts the same, with their texts.
 */
export class OpenApprovals {
  /** The step that waits, by request; null stands for the goal's own plan. */
  readonly #steps = new Map<string, string | null>();

  get count(): number {
    return this.#steps.size;
  }

  add(fact: Fact): void {
    if (fact.type === 'approval.requested') this.#steps.set(fact.requestId, fact.stepId);
    else if (this.#steps.size > 0) this.#settle(fact);
  }

  #settle(fact: Fact): void {
    if (fact.type === 'run.ended') this.#steps.clear();
    else if (fact.type === 'phase.entered') {
      if (fact.phase === 'windingDown') this.#close((stepId) => stepId === fact.parentStepId);
    } else if ('requestId' in fact) this.#steps.delete(fact.requestId);
    else if (isEndOfStep(fact)) {
      this.#close((stepId) => stepId === fact.stepId || isBelow(stepId, fact.stepId));
    }
  }

  /** A step or plan that ends takes no more answers. */
  #close(isClosed: (stepId: string | null) => boolean): void {
    for (const [requestId, stepId] of this.#steps) {
      if (isClosed(stepId)) this.#steps.delete(requestId);
    }
  }
}

const isEndOfStep = (fact: Fact): fact is Fact<(typeof ENDS)[number]> =>
  (ENDS as readonly string[]).includes(fact.type);

const ENDS = [
  'step.completed',
  'step.failed',
  'step.skipped',
  'step.cancelled',
  'subplan.ended',
] as const;

/** Steps of a sub-plan have the path of their step in front. */
const isBelow = (stepId: string | null, above: string): boolean =>
  stepId?.startsWith(`${above}/`) === true;
