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
  readonly #header: RunHeader;
  readonly #schedule = new StateSchedule();
  #checksum: string;

  constructor(header: RunHeader) {
    this.#checksum = headerChecksum(header);
    if (header.checksum !== this.#checksum) refuse(`The header of run '${header.runId}'`);
    this.#header = header;
  }

  encode({ sequence, at, event, facts, intents }: JournalEntry): PlainEntry {
    const { kind, ...rest } = event;
    const stored = {
      sequence,
      at,
      kind,
      event: event.kind === 'started' ? this.#withoutHeader(rest) : rest,
      facts: facts.map((fact) => factWithout(fact, event)),
      ...(isSameJson(intents, callsIn(facts)) ? {} : { intents }),
    };
    return { ...stored, checksum: this.#takeIn(stored) };
  }

  decode(stored: StoredEntry): JournalEntry {
    const { checksum, ...content } = stored as PlainEntry;
    if (checksum !== this.#takeIn(content)) refuse(`Entry ${stored.sequence}`);
    const { sequence, at, kind, event: rest } = content;
    const whole = kind === 'started' ? this.#withHeader(rest) : rest;
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

  /** The plan, the input and the labels that a run starts with are stored in its header. */
  #withoutHeader(rest: object): Readonly<Record<string, unknown>> {
    const { input } = rest as { readonly input?: object };
    if (input === undefined) return { ...rest };
    const isOwn = ([name, value]: [string, unknown]): boolean =>
      !IN_HEADER_ONLY.includes(name) || !isSameJson(value, memberOf(this.#header, name));
    const own = Object.entries<unknown>(input as Record<string, unknown>).filter(isOwn);
    const { proposal, ...others }: Record<string, unknown> = Object.fromEntries(own);
    if (proposal === undefined) return { input: others };
    const plan = memberOf(proposal, 'plan');
    const isPlanOwn = plan === undefined || !isSameJson(plan, this.#header.plan);
    const kept = isPlanOwn ? proposal : { ...(proposal as object), plan: IN_HEADER };
    return { input: { ...others, proposal: kept } };
  }

  #withHeader(rest: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { input } = rest as { readonly input?: object };
    if (input === undefined) return rest;
    const shared = Object.entries(this.#header).filter(([name]) => IN_HEADER_ONLY.includes(name));
    const whole = { ...Object.fromEntries(shared), ...input };
    const proposal = memberOf(input, 'proposal');
    if (memberOf(proposal, 'plan') !== IN_HEADER) return { input: whole };
    return { input: { ...whole, proposal: { ...(proposal as object), plan: this.#header.plan } } };
  }
}

/** Members of a start that are left out of its entry when they equal those of the header. */
const IN_HEADER_ONLY: readonly string[] = ['input', 'labels'];

/** Stands for the plan of the header. A plan is an object, so no plan is this text. */
const IN_HEADER = 'in header';

const callsIn = (facts: readonly Fact[]): readonly string[] =>
  facts.flatMap((fact) => (fact.type === 'agent.called' ? [fact.key] : []));

/** Members that a fact shares with the event of its entry. */
const sharedMembers = (
  type: unknown,
  event: JournalEntry['event'],
): Readonly<Record<string, unknown>> => {
  if (event.kind === 'started') {
    const { input } = event;
    if (type === 'plan.proposed') return { plan: memberOf(memberOf(input, 'proposal'), 'plan') };
    if (type !== 'run.started') return {};
    return { input: memberOf(input, 'input'), labels: memberOf(input, 'labels') };
  }
  if (event.kind !== 'answered') return {};
  const { output } = event;
  if (type === 'agent.answered') return { output: memberOf(output, 'output') };
  if (type !== 'plan.proposed') return {};
  return { plan: memberOf(memberOf(output, 'answer') ?? output, 'plan') };
};

const factWithout = (fact: Fact, event: JournalEntry['event']): PlainFact => {
  const shared = sharedMembers(fact.type, event);
  const isLeftOut = ([name, value]: [string, unknown]): boolean =>
    name === 'at' || (value !== undefined && shared[name] === value);
  return Object.fromEntries(Object.entries(fact).filter((member) => !isLeftOut(member)));
};

const factWith = (told: PlainFact, at: number, event: JournalEntry['event']): Fact => {
  const { sequence, ...body } = told;
  const shared = Object.entries(sharedMembers(body['type'], event)).filter(
    ([name, value]) => value !== undefined && !Object.hasOwn(body, name),
  );
  return { sequence, at, ...body, ...Object.fromEntries(shared) } as Fact;
};

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const refuse = (what: string): never => {
  throw new JournalCorruptError(
    'torn',
    `${what} was changed after it was written: its checksum differs`,
  );
};
