import { isSameJson } from '../canonical-json.js';
import { RunConflictError } from '../errors.js';
import type { JournalEntry } from '../journal/entry.js';
import type { JournalFormat } from '../journal/format/journal-format.js';
import { PlainFormat } from '../journal/format/plain-format.js';
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

/** Where a run stands after an entry. */
export interface Standing {
  readonly hasEnded: boolean;
  /** Its state as JSON; asked for now and then. Undefined where it is as it was. */
  readonly save: (() => unknown) | undefined;
}

export interface WriterParts {
  readonly store: RunStore;
  readonly runId: string;
  readonly lease: Lease;
  readonly retry: StoreRetry;
}

/**
 * Writes the journal of one run, as its owner. A write whose answer was lost is asked about by reading it back: the
 * content and the owner's token decide whether it is durable.
 */
export class JournalWriter {
  readonly #parts: WriterParts;
  #format: JournalFormat | undefined;
  #isOpen = false;
  /** Invalid commands: they are removed from the inbox with the next append. */
  #discarded: TakenCommand[] = [];
  /** Creating the journal, until the first entry waits for it. */
  #opening: MaybePromise<void> = undefined;
  /** The run was taken over, and has not had an answer since. */
  #isSuspect = false;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /** True once the journal exists: a conflict after that means that another process writes it. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Creates a new journal, which belongs to this process; nothing is written before that is done. */
  open(header: RunHeader): void {
    const { lease, retry } = this.#parts;
    this.#format = new PlainFormat(header);
    this.#opening = retry.run(() => lease.begin((owner) => this.#create(header, owner)));
    // The first append tells of it; until then it is not unhandled.
    if (this.#opening instanceof Promise) this.#opening.catch(() => undefined);
  }

  /** Writes on where a journal ends. */
  continueFrom(format: JournalFormat, isTakeover: boolean): void {
    this.#format = format;
    this.#isSuspect = isTakeover;
  }

  /** Removes a command from the inbox that is not a valid command. */
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
    // An ended run is not among those an owner holds: a lease that is confirmed meanwhile must not take it for lost.
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

  /** What looks like a conflict may be what we wrote ourselves, when the answer to that was lost. */
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
      ...standingOf(entries),
      ...(state === undefined ? {} : { state }),
      ...(hasProgressed ? { hasProgressed } : {}),
    };
  }
}

const standingOf = (entries: readonly JournalEntry[]): Pick<AppendOptions, 'standing'> => {
  const standing = standingAfter(entries.flatMap(({ facts }) => facts));
  return standing === undefined ? {} : { standing };
};

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
