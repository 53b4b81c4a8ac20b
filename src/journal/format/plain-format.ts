import type { JsonValue } from '../../canonical-json.js';
import { isSameJson, stableStringify } from '../../canonical-json.js';
import { JournalCorruptError } from '../../errors.js';
import type { Fact } from '../../model/facts.js';
import type { RunHeader, StoredEntry, StoredState } from '../../model/run-store.js';
import type { JournalEntry } from '../entry.js';
import { headerChecksum, nextChecksum } from './checksum.js';
import type { JournalFormat } from './journal-format.js';
import { StateSchedule } from './state-schedule.js';

/** An entry as it is stored: plain JSON, with each output or plan stored once. */
interface PlainEntry extends StoredEntry {
  /** The event without its kind. */
  readonly event: Readonly<Record<string, unknown>>;
  readonly facts: readonly PlainFact[];
  /** Left out where they equal the keys of the calls in the facts, as they nearly always do. */
  readonly intents?: readonly string[];
  readonly checksum: string;
}

/** A fact without its time, which is the entry's, and without members that the event has too. */
type PlainFact = Readonly<Record<string, unknown>>;

/** A state as it is stored. */
interface PlainState {
  readonly saved: JsonValue;
  readonly checksum: string;
}

/**
 * Format 3: entries as JSON that a person can read and query. Every checksum is of canonical JSON, because a store may
 * change the order of keys, and covers the checksum before it. Used for one journal, in order.
 */
export class PlainFormat implements JournalFormat {
  readonly #plan: unknown;
  readonly #schedule = new StateSchedule();
  #checksum: string;

  constructor(header: RunHeader) {
    this.#checksum = headerChecksum(header);
    if (header.checksum !== this.#checksum) refuse(`The header of run '${header.runId}'`);
    this.#plan = header.plan;
  }

  encode({ sequence, at, event, facts, intents }: JournalEntry): PlainEntry {
    const { kind, ...rest } = event;
    const stored = {
      sequence,
      at,
      kind,
      event: event.kind === 'started' ? this.#withoutPlan(rest) : rest,
      facts: facts.map((fact) => factWithout(fact, event)),
      ...(isSameJson(intents, callsIn(facts)) ? {} : { intents }),
    };
    return { ...stored, checksum: this.#takeIn(stored) };
  }

  decode(stored: StoredEntry): JournalEntry {
    const { checksum, ...content } = stored as PlainEntry;
    if (checksum !== this.#takeIn(content)) refuse(`Entry ${stored.sequence}`);
    const { sequence, at, kind, event: rest } = content;
    const whole = kind === 'started' ? this.#withPlan(rest) : rest;
    const event = { kind, ...whole } as JournalEntry['event'];
    const facts = content.facts.map((fact) => factWith(fact, at, event));
    return { sequence, at, event, facts, intents: content.intents ?? callsIn(facts) };
  }

  encodeState(save: () => unknown): PlainState | undefined {
    if (!this.#schedule.isDue) return undefined;
    const saved = save() as JsonValue;
    const text = stableStringify(saved);
    if (!this.#schedule.takes(text.length)) return undefined;
    return { saved, checksum: nextChecksum(this.#checksum, text) };
  }

  decodeState({ body }: StoredState): unknown {
    const { saved, checksum } = body as PlainState;
    const text = stableStringify(saved);
    if (checksum !== nextChecksum(this.#checksum, text)) refuse('The stored state');
    this.#schedule.found(text.length);
    return saved;
  }

  /** Adds an entry to the running checksum. */
  #takeIn(content: object): string {
    const text = stableStringify(content as JsonValue);
    this.#schedule.countEntry(text.length);
    this.#checksum = nextChecksum(this.#checksum, text);
    return this.#checksum;
  }

  /** The plan that a run starts with is stored in its header. */
  #withoutPlan(rest: object): Readonly<Record<string, unknown>> {
    const { input } = rest as { readonly input?: object };
    const proposal = memberOf(input, 'proposal');
    const plan = memberOf(proposal, 'plan');
    if (plan === undefined || !isSameJson(plan, this.#plan)) return { ...rest };
    return { input: { ...input, proposal: { ...(proposal as object), plan: IN_HEADER } } };
  }

  #withPlan(rest: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { input } = rest as { readonly input?: object };
    const proposal = memberOf(input, 'proposal');
    if (memberOf(proposal, 'plan') !== IN_HEADER) return rest;
    return { input: { ...input, proposal: { ...(proposal as object), plan: this.#plan } } };
  }
}

/** Stands for the plan of the header. A plan is an object, so no plan is this text. */
const IN_HEADER = 'in header';

const callsIn = (facts: readonly Fact[]): readonly string[] =>
  facts.flatMap((fact) => (fact.type === 'agent.called' ? [fact.key] : []));

/** Members that a fact shares with the event of its entry. */
const sharedMember = (
  type: unknown,
  event: JournalEntry['event'],
): { readonly name: string; readonly value: unknown } | undefined => {
  if (event.kind === 'started' && type === 'plan.proposed') {
    return { name: 'plan', value: memberOf(memberOf(event.input, 'proposal'), 'plan') };
  }
  if (event.kind !== 'answered') return undefined;
  const { output } = event;
  if (type === 'agent.answered') return { name: 'output', value: memberOf(output, 'output') };
  if (type !== 'plan.proposed') return undefined;
  return { name: 'plan', value: memberOf(memberOf(output, 'answer') ?? output, 'plan') };
};

const factWithout = (fact: Fact, event: JournalEntry['event']): PlainFact => {
  const shared = sharedMember(fact.type, event);
  const isShared = shared?.value !== undefined && memberOf(fact, shared.name) === shared.value;
  const left = (name: string): boolean => name === 'at' || (isShared && name === shared.name);
  return Object.fromEntries(Object.entries(fact).filter(([name]) => !left(name)));
};

const factWith = (told: PlainFact, at: number, event: JournalEntry['event']): Fact => {
  const { sequence, ...body } = told;
  const shared = sharedMember(body['type'], event);
  const isWhole = shared === undefined || Object.hasOwn(body, shared.name);
  const whole = isWhole ? body : { ...body, [shared.name]: shared.value };
  return { sequence, at, ...whole } as Fact;
};

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const refuse = (what: string): never => {
  throw new JournalCorruptError(
    'torn',
    `${what} was changed after it was written: its checksum differs`,
  );
};
