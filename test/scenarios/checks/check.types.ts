import type { Fact, FactType } from '../../../src/journal/facts.js';
import type { Bounds } from '../../../src/policy/bounds.js';
import type { Policy } from '../../../src/policy/types.js';

/** What a run left behind, and what it was held to. */
export interface Evidence {
  readonly facts: readonly Fact[];
  readonly policy: Policy;
  /** The price tag, when the run is to be held to it as well. */
  readonly maxima: Bounds | undefined;
}

/** A promise that was broken: its number in section 6 of the reliability reference, and how. */
export interface Violation {
  readonly invariant: number;
  readonly message: string;
}

export type Check = (evidence: Evidence) => Violation[];

/** Collects violations; `expect` reads like the promise it holds. */
export class Findings {
  readonly violations: Violation[] = [];

  expect(isKept: boolean, invariant: number, message: string): void {
    if (!isKept) this.violations.push({ invariant, message });
  }
}

type Handlers = { readonly [Type in FactType]?: (fact: Fact<Type>) => void };

/** Shows every fact, in order, to the handler of its type; facts without one are not looked at. */
export const follow = (facts: readonly Fact[], handlers: Handlers): void => {
  for (const fact of facts) {
    const handle = handlers[fact.type] as ((fact: Fact) => void) | undefined;
    handle?.(fact);
  }
};

/** The step whose sub-plan a step belongs to; null for the plan of the goal. */
export const parentOf = (stepId: string): string | null => {
  const end = stepId.lastIndexOf('/');
  return end < 0 ? null : stepId.slice(0, end);
};
