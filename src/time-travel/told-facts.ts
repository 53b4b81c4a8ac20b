import type { Fact, FactType } from '../model/facts.js';
import type { RunRecord, StepRecord } from '../journal/record.js';
import { createRecordBuilder } from '../journal/record.js';

/** The facts of a run, searchable by subject, and the resulting record. */
export class ToldFacts {
  readonly facts: readonly Fact[];
  readonly record: RunRecord;
  readonly #steps: ReadonlyMap<string, StepRecord>;

  constructor(facts: readonly Fact[]) {
    this.facts = facts;
    const builder = createRecordBuilder();
    for (const fact of facts) builder.add(fact);
    this.record = builder.record();
    this.#steps = new Map(this.record.steps.map((step) => [step.id, step]));
  }

  step(stepId: string): StepRecord | undefined {
    return this.#steps.get(stepId);
  }

  /** The last matching fact of a type; `before` excludes facts from that number on. */
  last<Type extends FactType>(
    type: Type,
    fits: (fact: Fact<Type>) => boolean = () => true,
    before = Number.POSITIVE_INFINITY,
  ): Fact<Type> | undefined {
    return this.facts.findLast(
      (fact): fact is Fact<Type> & Fact =>
        fact.type === type && fact.sequence < before && fits(fact as Fact<Type>),
    );
  }

  all<Type extends FactType>(
    type: Type,
    fits: (fact: Fact<Type>) => boolean = () => true,
  ): Fact<Type>[] {
    return this.facts.filter(
      (fact) => fact.type === type && fits(fact as Fact<Type>),
    ) as Fact<Type>[];
  }

  /** The fact that ended a step; undefined while it is open, and when its end followed from another fact. */
  ending(stepId: string): Fact<StepEnding> | undefined {
    return this.facts.find(
      (fact): fact is Fact<StepEnding> =>
        (STEP_ENDINGS as readonly string[]).includes(fact.type) &&
        'stepId' in fact &&
        fact.stepId === stepId,
    );
  }
}

const STEP_ENDINGS = ['step.completed', 'step.failed', 'step.skipped', 'step.cancelled'] as const;

export type StepEnding = (typeof STEP_ENDINGS)[number];
