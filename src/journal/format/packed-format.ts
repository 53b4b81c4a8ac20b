import type { JsonValue } from '../../canonical-json.js';
import { JournalCorruptError } from '../../errors.js';
import type { RunHeader, StoredEntry, StoredState } from '../../model/run-store.js';
import type { JournalEntry } from '../entry.js';
import type { Fact } from '../../model/facts.js';
import { headerChecksum, nextChecksum } from './checksum.js';
import type { JournalFormat } from './journal-format.js';
import { pack } from './pack.js';
import { StateSchedule } from './state-schedule.js';
import { unpack } from './unpack.js';
import type { Extent } from './vocabulary.js';
import { Vocabulary } from './vocabulary.js';

/** An entry as it is stored. */
interface PackedEntry extends StoredEntry {
  /** The event, the intents (null: the keys of the calls it tells of) and the facts, without numbers and times. */
  readonly packed: JsonValue;
  readonly sum: string;
}

/** A state as it is stored: written in the words of the journal. */
interface PackedState {
  readonly extent: Extent;
  readonly packed: JsonValue;
  readonly sum: string;
}

/**
 * Format 2. Every entry has a checksum that takes in all before it; outputs, plans and names are written once. Used for one
 * journal, in order: what was read or written before is what the next entry refers to.
 */
export class PackedFormat implements JournalFormat {
  readonly #plan: object | undefined;
  readonly #planText: string | undefined;
  readonly #runId: string;
  readonly #vocabulary: Vocabulary;
  readonly #schedule = new StateSchedule();
  #checksum: string;
  #factCount = 0;

  constructor(header: RunHeader) {
    this.#checksum = headerChecksum(header);
    if (header.checksum !== this.#checksum) refuse(`The header of run '${header.runId}'`);
    this.#runId = header.runId;
    this.#vocabulary = new Vocabulary(header.runId);
    this.#plan = objectIn(header.plan);
    this.#planText = JSON.stringify(header.plan);
    pack([header.runId, header.goal, header.plan ?? null], this.#vocabulary);
  }

  encode(entry: JournalEntry): PackedEntry {
    const { sequence, at, event, facts, intents } = entry;
    const told = facts.map((fact) => ({ ...fact, sequence: undefined, at: undefined }));
    const packed: JsonValue = [
      pack(event, this.#vocabulary, this.#planIn(event)),
      isSame(intents, callsIn(facts)) ? null : pack(intents, this.#vocabulary),
      pack(told, this.#vocabulary, outputOf(event)),
    ];
    this.#factCount += facts.length;
    return { sequence, at, packed, sum: this.#takeIn([sequence, at, packed]) };
  }

  decode(stored: StoredEntry): JournalEntry {
    const { sequence, at, packed, sum } = stored as PackedEntry;
    if (sum !== this.#takeIn([sequence, at, packed]) || !Array.isArray(packed)) {
      refuse(`Entry ${sequence}`);
    }
    const [packedEvent, packedIntents, packedFacts] = packed as readonly JsonValue[];
    const event = unpack(packedEvent, this.#vocabulary, this.#plan) as JournalEntry['event'];
    const intents =
      packedIntents === null ? null : (unpack(packedIntents, this.#vocabulary) as string[]);
    const told = unpack(packedFacts, this.#vocabulary, outputOf(event)) as object[];
    const facts = told.map((body) => {
      this.#factCount += 1;
      return { sequence: this.#factCount, at, ...body } as Fact;
    });
    return { sequence, at, event, facts, intents: intents ?? callsIn(facts) };
  }

  encodeState(save: () => unknown): PackedState | undefined {
    if (!this.#schedule.isDue) return undefined;
    const { extent } = this.#vocabulary;
    const packed = pack(save(), new Vocabulary(this.#runId, this.#vocabulary));
    const text = JSON.stringify([extent, packed]);
    if (!this.#schedule.takes(text.length)) return undefined;
    return { extent, packed, sum: nextChecksum(this.#checksum, text) };
  }

  decodeState({ body }: StoredState): unknown {
    const { extent, packed, sum } = body as PackedState;
    const text = JSON.stringify([extent, packed]);
    if (sum !== nextChecksum(this.#checksum, text)) refuse('The stored state');
    this.#schedule.found(text.length);
    return unpack(packed, new Vocabulary(this.#runId, this.#vocabulary, extent));
  }

  /** The plan of the header where an event has it: the run was started with it, or it was checked and is as it was. */
  #planIn(event: JournalEntry['event']): object | undefined {
    const checked = event.kind === 'answered' ? planOf(event.output) : undefined;
    return checked !== undefined && JSON.stringify(checked) === this.#planText
      ? checked
      : this.#plan;
  }

  /** One more entry: the checksum of the journal with it. */
  #takeIn(content: JsonValue): string {
    const text = JSON.stringify(content);
    this.#schedule.countEntry(text.length);
    this.#checksum = nextChecksum(this.#checksum, text);
    return this.#checksum;
  }
}

/** The calls that facts tell of. These are nearly always the calls that were meant to be made. */
const callsIn = (facts: readonly Fact[]): readonly string[] =>
  facts.flatMap((fact) => (fact.type === 'agent.called' ? [fact.key] : []));

const isSame = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((item, index) => item === right[index]);

/** The output of an answer, or the plan that it is: it stands in the event, and facts refer to it. */
const outputOf = (event: JournalEntry['event']): object | undefined => {
  if (event.kind !== 'answered') return undefined;
  const { output } = event;
  return (
    objectIn(memberOf(output, 'output')) ?? planOf(output) ?? planOf(memberOf(output, 'answer'))
  );
};

const planOf = (value: unknown): object | undefined => objectIn(memberOf(value, 'plan'));

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const objectIn = (value: unknown): object | undefined =>
  typeof value === 'object' && value !== null ? value : undefined;

const refuse = (what: string): never => {
  throw new JournalCorruptError('torn', `${what} is not as it was written: its checksum differs`);
};
