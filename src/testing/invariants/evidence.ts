import type { JournalEntry } from '../../journal/entry.js';
import type { Fact, FactType } from '../../model/facts.js';
import type { Bounds } from '../../policy/bounds.js';
import type { Policy } from '../../model/policy.js';
import type { InvariantName } from './invariants.js';
import { INVARIANTS } from './invariants.js';

/** The data of a run, and what it is checked against. */
export interface Evidence {
  readonly facts: readonly Fact[];
  /** Empty when only facts are known. */
  readonly entries: readonly JournalEntry[];
  readonly policy: Policy;
  /** The bounds, when the run is checked against them. */
  readonly bounds: Bounds | undefined;
  /** How long the run had no owner: limits cannot hold during that time. */
  readonly downtimeMs: number;
}

/** A promise that was broken. */
export interface Violation {
  readonly name: InvariantName;
  /** Its number in section 6 of the reliability reference. */
  readonly invariant: number;
  /** The fact that broke it; null when the run as a whole breaks it. */
  readonly sequence: number | null;
  /** How, in one sentence. */
  readonly message: string;
}

export type Check = (evidence: Evidence) => readonly Violation[];

/** Collects violations. */
export class Findings {
  readonly violations: Violation[] = [];
  #sequence: number | null = null;

  /** Later findings belong to this fact; null for the run as a whole. */
  lookAt(fact: Fact | null): void {
    this.#sequence = fact?.sequence ?? null;
  }

  expect(isKept: boolean, name: InvariantName, message: string): void {
    if (isKept) return;
    const { number: invariant } = INVARIANTS[name];
    this.violations.push({ name, invariant, sequence: this.#sequence, message });
  }
}

/** Handlers of facts, by type. */
export type Handlers = { readonly [Type in FactType]?: (fact: Fact<Type>) => void };

/** Passes every fact, in order, to the handler of its type; facts without one are skipped. */
export const follow = (facts: readonly Fact[], findings: Findings, handlers: Handlers): void => {
  for (const fact of facts) {
    const handle = handlers[fact.type] as ((fact: Fact) => void) | undefined;
    if (handle === undefined) continue;
    findings.lookAt(fact);
    handle(fact);
  }
  findings.lookAt(null);
};

/** The step whose sub-plan a step belongs to; null for the plan of the goal. */
export const parentOf = (stepId: string): string | null => {
  const end = stepId.lastIndexOf('/');
  return end < 0 ? null : stepId.slice(0, end);
};

/** Whether steps that depend on a step with this ending may run. */
export const isSatisfying = (type: FactType, reason: string): boolean =>
  type === 'step.completed' || (type === 'step.skipped' && /^human(?:: |$)/.test(reason));

/** Groups of facts: those of one entry, or, without a journal, of one point in time. */
export const moments = ({ entries, facts }: Evidence): readonly (readonly Fact[])[] => {
  if (entries.length > 0) return entries.map((entry) => entry.facts);
  const groups: Fact[][] = [];
  for (const fact of facts) {
    const last = groups.at(-1);
    if (last?.[0]?.at === fact.at) last.push(fact);
    else groups.push([fact]);
  }
  return groups;
};
