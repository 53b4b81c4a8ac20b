import type { CallInput } from '../model/calls.js';
import { deepFrozen } from '../deep-frozen.js';
import type { JsonValue } from '../canonical-json.js';
import { toFailure } from '../failure.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Fact, FactBody } from '../model/facts.js';
import type { RecordBuilder, RunIdentity, RunRecord } from '../journal/record.js';
import { createRecordBuilder } from '../journal/record.js';
import type { Effect, KernelInput, KernelStep } from '../kernel/kernel.types.js';

/** A run in memory: its journal and the record made from it. */
export class RunMemory {
  readonly #entries: JournalEntry[] = [];
  readonly #run: RunIdentity;
  /** Created on first use: a waiting run does without. */
  #builder: RecordBuilder | undefined;
  readonly #outputs = new Map<string, JsonValue>();
  /** The keys of outputs that came with a request instead of `done`. */
  readonly #partial = new Set<string>();
  #factCount = 0;
  /** The number of entries in the record. */
  #recorded = 0;
  /** Set when this process no longer drives the run. */
  #detached: RunRecord | undefined;

  constructor(run: RunIdentity) {
    this.#run = run;
  }

  get length(): number {
    return this.#entries.length;
  }

  get entries(): readonly JournalEntry[] {
    return this.#entries;
  }

  /** A separate list of frozen entries. */
  frozenEntries(): readonly JournalEntry[] {
    return this.#entries.map((entry) => deepFrozen(entry));
  }

  output(key: string): JsonValue | undefined {
    return this.#outputs.get(key);
  }

  isPartial(key: string): boolean {
    return this.#partial.has(key);
  }

  /** The next entry, as it would be stored. */
  entryOf(input: KernelInput, step: KernelStep, now: number): JournalEntry {
    // Stores keep whole milliseconds.
    const at = Math.floor(now);
    return {
      sequence: this.#entries.length,
      at,
      event: input,
      facts: factsOf(step, at, this.#factCount),
      intents: intentsOf(step.effects),
    };
  }

  /** A last entry without any chart. */
  carriedOverTo(successor: string, now: number): JournalEntry {
    const at = Math.floor(now);
    return {
      sequence: this.#entries.length,
      at,
      event: { kind: 'carriedOver', successor },
      facts: [{ sequence: this.#factCount + 1, at, ...runFailed(`carried-over: ${successor}`) }],
      intents: NO_INTENTS,
    };
  }

  /** Calls that were decided on and not made, by their keys. */
  heldBack(keys: readonly string[], token: number, now: number): JournalEntry {
    const at = Math.floor(now);
    const event = { kind: 'heldBack', keys, token } as const;
    return { sequence: this.#entries.length, at, event, facts: [], intents: NO_INTENTS };
  }

  keep(entry: JournalEntry): void {
    this.#entries.push(entry);
    this.#factCount += entry.facts.length;
    for (const fact of entry.facts) {
      if (fact.type === 'agent.answered' && fact.output !== null) {
        this.#outputs.set(fact.key, fact.output);
        if (fact.report !== 'done') this.#partial.add(fact.key);
      }
    }
  }

  record(): RunRecord {
    return this.#detached ?? this.#upToDate().record();
  }

  /** The record of a run that goes on elsewhere: its steps keep their state. */
  detachedBy(reason: string, at: number): RunRecord {
    const record = this.record();
    this.#detached = Object.freeze({ ...record, status: 'detached', reason, endedAt: at });
    return this.#detached;
  }

  /** The record of a run that cannot go on, although its journal has no end. */
  recordEndedBy(reason: string, at: number): RunRecord {
    const builder = this.#upToDate();
    builder.add({ sequence: this.#factCount + 1, at, ...runFailed(reason) });
    return builder.record();
  }

  /** Adds the entries since the last call. */
  #upToDate(): RecordBuilder {
    const builder = (this.#builder ??= createRecordBuilder(this.#run));
    for (; this.#recorded < this.#entries.length; this.#recorded += 1) {
      for (const fact of this.#entries[this.#recorded]?.facts ?? []) builder.add(fact);
    }
    return builder;
  }
}

/** The facts of a step, numbered and dated. */
export const factsOf = (step: KernelStep, at: number, factCount: number): Fact[] => {
  const emitted = step.emitted as readonly FactBody[];
  // Allocated at its final length: a list that grows reserves more, and a journal has thousands of them.
  const facts = emitted.map((body, index): Fact => ({
    sequence: factCount + 1 + index,
    at,
    ...body,
  }));
  if (step.status === 'error') {
    // A chart that throws is a bug of ours; the run still ends with a report. The message may quote text that is
    // redacted elsewhere, and a fact must replay whatever `redact` does: only `onError` gets the error itself.
    const reason = `internal-error: ${toFailure(step.error).name}`;
    facts.push({ sequence: factCount + 1 + emitted.length, at, ...runFailed(reason) });
  }
  return facts;
};

const runFailed = (reason: string): FactBody<'run.ended'> => ({
  type: 'run.ended',
  status: 'failed',
  reason,
  summaryKey: null,
  message: null,
});

/** Keys of the calls that start. Most steps start one or none. */
const intentsOf = (effects: readonly Effect[]): readonly string[] => {
  let intents: string[] | undefined;
  for (const effect of effects) {
    if (effect.kind !== 'startCall') continue;
    intents ??= [];
    intents.push((effect.input as CallInput).key);
  }
  return intents ?? NO_INTENTS;
};

const NO_INTENTS: readonly string[] = Object.freeze([]);
