import { isSameJson } from '../canonical-json.js';
import { RunConflictError } from '../errors.js';
import type { JournalEntry } from '../journal/entry.js';
import type { JournalFormat } from '../journal/format/journal-format.js';
import { PlainFormat } from '../journal/format/plain-format.js';
import { OpenApprovals } from '../journal/open-approvals.js';
import { standingAfter } from '../journal/standing.js';
import type {
  AppendOptions,
  MaybePromise,
  RunHeader,
  RunStore,
  StoredRun,
  TakenCommand,
} from '../model/run-store.js';
import { commandResultOf } from './command-result.js';
import type { Lease } from './lease.js';
import { afterwards, recovered } from './maybe-promise.js';
import type { StoreRetry } from '../services/store-retry.js';

/** The status of a run after an entry. */
export interface Standing {
  readonly hasEnded: boolean;
  /** Returns its state as JSON; called occasionally. Undefined when the state is unchanged. */
  readonly save: (() => unknown) | undefined;
}

export interface WriterParts {
  readonly store: RunStore;
  readonly runId: string;
  readonly lease: Lease;
  readonly retry: StoreRetry;
}

/**
 * Writes the journal of one run, as its owner. A write whose answer was lost is checked by reading it back: the content
 * and the owner's token decide whether it is durable.
 */
export class JournalWriter {
  readonly #parts: WriterParts;
  #format: JournalFormat | undefined;
  #isOpen = false;
  /** Invalid commands: they are removed from the inbox with the next append. */
  #discarded: TakenCommand[] = [];
  /** The creation of the journal; the first entry waits for it. */
  #opening: MaybePromise<void> = undefined;
  /** The run was taken over, and no call was answered since. */
  #isSuspect = false;
  readonly #openApprovals = new OpenApprovals();

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /** True once the journal exists: a conflict after that means that another process writes to it. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Creates a new journal, owned by this process; nothing is appended before that is done. */
  open(header: RunHeader): void {
    const { lease, retry } = this.#parts;
    this.#format = new PlainFormat(header);
    this.#opening = recovered(
      () => retry.run(() => lease.begin((owner) => this.#create(header, owner))),
      (error) => Promise.reject(error as Error),
    );
    // The first append reports the error; until then it must not be unhandled.
    if (this.#opening instanceof Promise) this.#opening.catch(() => undefined);
  }

  /** Appends to an existing journal with these entries. */
  continueFrom(format: JournalFormat, isTakeover: boolean, entries: readonly JournalEntry[]): void {
    this.#format = format;
    this.#isSuspect = isTakeover;
    for (const { facts } of entries) for (const fact of facts) this.#openApprovals.add(fact);
  }

  /** Removes an invalid command from the inbox. */
  discard(id: string, reason: string): void {
    this.#discarded.push({ id, answer: { accepted: false, reason } });
  }

  /** Returns when the entries are durable: all of them, or none. */
  append(entries: readonly JournalEntry[], standing: Standing): MaybePromise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    return afterwards(opening, () => this.#append(entries, standing));
  }

  #append(entries: readonly JournalEntry[], standing: Standing): MaybePromise<void> {
    const { store, runId, lease, retry } = this.#parts;
    this.#isOpen = true;
    // An ended run has no owner: a lease that is confirmed at the same time must not report it as lost.
    if (standing.hasEnded) lease.stop();
    const first = entries[0]?.sequence ?? 0;
    const format = this.#format;
    if (format === undefined) throw new Error('The journal was neither opened nor resumed');
    const stored = entries.map((entry) => format.encode(entry));
    const options = this.#optionsFor(entries, standing);
    return retry.run(() =>
      recovered(
        () => store.append(runId, first, stored, options),
        (error) => this.#readBack(error, (run) => hasWritten(run, stored, options), first),
      ),
    );
  }

  #create(header: RunHeader, owner: string): MaybePromise<void> {
    return recovered(
      () => this.#parts.store.create(header, owner),
      (error) => this.#readBack(error, (run) => hasCreated(run, header)),
    );
  }

  /** An apparent conflict may be our own write whose answer was lost. */
  #readBack(
    error: unknown,
    isOurs: (run: StoredRun) => boolean,
    from?: number,
  ): MaybePromise<void> {
    if (!RunConflictError.isInstance(error)) throw error;
    const { store, runId } = this.#parts;
    return afterwards(store.read(runId, from), (run) => {
      if (run === undefined || !isOurs(run)) throw error;
    });
  }

  #standingOf(entries: readonly JournalEntry[]): Pick<AppendOptions, 'standing'> {
    const facts = entries.flatMap((entry) => entry.facts);
    const standing = standingAfter(facts, this.#openApprovals);
    return standing === undefined ? {} : { standing };
  }

  #optionsFor(entries: readonly JournalEntry[], { hasEnded, save }: Standing): AppendOptions {
    const { token } = this.#parts.lease;
    const taken = [...this.#discarded, ...entries.flatMap(takenBy)];
    this.#discarded = [];
    const state = hasEnded || save === undefined ? undefined : this.#format?.encodeState(save);
    const hasProgressed = this.#isSuspect && entries.some(({ event }) => event.kind === 'answered');
    if (hasProgressed) this.#isSuspect = false;
    return {
      ended: hasEnded,
      ...(token === undefined ? {} : { token }),
      ...(taken.length === 0 ? {} : { taken }),
      ...this.#standingOf(entries),
      ...(state === undefined ? {} : { state }),
      ...(hasProgressed ? { hasProgressed } : {}),
    };
  }
}

const takenBy = ({ event, facts }: JournalEntry): readonly TakenCommand[] =>
  event.kind === 'commanded' && event.commandId !== undefined
    ? [{ id: event.commandId, answer: commandResultOf(facts) }]
    : [];

const hasWritten = (
  { entries, token }: StoredRun,
  written: readonly object[],
  options: AppendOptions,
): boolean =>
  token === options.token && entries.length === written.length && isSameJson(entries, written);

const hasCreated = ({ header, entries, ended, token }: StoredRun, given: RunHeader): boolean =>
  !ended && token === 1 && entries.length === 0 && isSameJson(header, given);
