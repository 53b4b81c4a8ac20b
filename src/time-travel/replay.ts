import { TimeTravelError } from '../errors.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Fact } from '../model/facts.js';
import type { RecordBuilder, RunIdentity } from '../journal/record.js';
import { createRecordBuilder } from '../journal/record.js';
import type { Kernel } from '../kernel/kernel.types.js';
import { openByEntry } from './open-work.js';
import type { Moment, RunReplay } from './replay.types.js';

/** A journal that can be stepped through in both directions. */
export const createReplay = (
  identity: RunIdentity,
  entries: readonly JournalEntry[],
  kernel: Kernel,
): RunReplay => {
  const facts = entries.flatMap((entry) => entry.facts);
  const entryOfFact = entries.flatMap((entry, index) => entry.facts.map(() => index));
  const open = openByEntry(kernel, identity.runId, entries);
  const walk = new RecordWalk(identity, facts);

  const momentAt = (sequence: number): Moment => {
    const record = walk.recordAt(sequence);
    const out = open.after(entryOfFact[sequence - 1] ?? -1);
    const isKnown = open.mismatch === null;
    return {
      sequence,
      fact: facts[sequence - 1] ?? null,
      record,
      open: {
        calls: isKnown ? out.calls : null,
        timers: isKnown ? out.timers : null,
        questions: record.openApprovals,
      },
    };
  };

  let moment = momentAt(0);
  const moveTo = (sequence: number): Moment => (moment = momentAt(sequence));
  return {
    runId: identity.runId,
    facts,
    mismatch: open.mismatch,
    get moment() {
      return moment;
    },
    next: () => (moment.sequence < facts.length ? moveTo(moment.sequence + 1) : undefined),
    previous: () => (moment.sequence > 0 ? moveTo(moment.sequence - 1) : undefined),
    goTo: (sequence) => {
      checkSequence(sequence, facts.length);
      return moveTo(sequence);
    },
  };
};

const checkSequence = (sequence: unknown, factCount: number): void => {
  if (Number.isInteger(sequence) && Number(sequence) >= 0 && Number(sequence) <= factCount) return;
  const message = `Expected a whole number from 0 to ${factCount}, got ${String(sequence).slice(0, 80)}`;
  throw new TimeTravelError([{ code: 'invalid-sequence', path: 'sequence', message }]);
};

/** Records at any fact. Forwards it continues; backwards it starts again. */
class RecordWalk {
  readonly #identity: RunIdentity;
  readonly #facts: readonly Fact[];
  #builder: RecordBuilder;
  #position = 0;

  constructor(identity: RunIdentity, facts: readonly Fact[]) {
    this.#identity = identity;
    this.#facts = facts;
    this.#builder = createRecordBuilder(identity);
  }

  recordAt(sequence: number) {
    if (sequence < this.#position) {
      this.#builder = createRecordBuilder(this.#identity);
      this.#position = 0;
    }
    for (; this.#position < sequence; this.#position += 1) {
      const fact = this.#facts[this.#position];
      if (fact !== undefined) this.#builder.add(fact);
    }
    return this.#builder.record();
  }
}
