import { RunConflictError } from '../errors.js';
import type { JournalEntry } from '../journal/entry.js';
import type { JournalFormat } from '../journal/format/journal-format.js';
import { PackedFormat } from '../journal/format/packed-format.js';
import type { AppendOptions, MaybePromise, RunHeader, RunStore } from '../services/run-store.js';
import type { Lease } from './lease.js';
import { afterwards } from './maybe-promise.js';

/** Where a run stands after an entry. */
export interface Standing {
  readonly hasEnded: boolean;
  /** Its state as JSON; asked for now and then. Undefined where it is as it was. */
  readonly save: (() => unknown) | undefined;
}

/** Writes the journal of one run, as its owner. */
export class JournalWriter {
  readonly #store: RunStore;
  readonly #runId: string;
  readonly #lease: Lease;
  #format: JournalFormat | undefined;
  #isOpen = false;
  /** Commands that are none: they leave the store with the next entry. */
  #discarded: string[] = [];
  /** The making of a place for the journal, until the first entry waits for it. */
  #opening: MaybePromise<void> = undefined;

  constructor(store: RunStore, runId: string, lease: Lease) {
    this.#store = store;
    this.#runId = runId;
    this.#lease = lease;
  }

  /** True once there is a place for the journal: a conflict after that means that somebody else writes it. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Makes a place for a new journal and claims it; nothing is written before that is done. */
  open(header: RunHeader): void {
    this.#format = new PackedFormat(header);
    this.#opening = afterwards(this.#store.create(header), () =>
      afterwards(this.#lease.take(), (claim) => {
        if (claim !== undefined) return;
        throw new RunConflictError(`Run '${this.#runId}' was taken up by somebody else`);
      }),
    );
  }

  /** Writes on where a journal ends. */
  goOn(format: JournalFormat): void {
    this.#format = format;
  }

  /** Takes something out of the inbox that nobody can answer. */
  discard(commandId: string): void {
    this.#discarded.push(commandId);
  }

  /** Returns when the entries are durable: all of them, or none. */
  append(entries: readonly JournalEntry[], standing: Standing): MaybePromise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    return afterwards(opening, () => this.#append(entries, standing));
  }

  #append(entries: readonly JournalEntry[], standing: Standing): MaybePromise<void> {
    this.#isOpen = true;
    // An ended run cannot be claimed: a renewal that comes after the last write, and before word of it, is no loss.
    if (standing.hasEnded) this.#lease.stop();
    const stored = entries.map((entry) => this.#format?.encode(entry) ?? entry);
    const options = this.#optionsFor(entries, standing);
    return this.#store.append(this.#runId, entries[0]?.sequence ?? 0, stored, options);
  }

  #optionsFor(entries: readonly JournalEntry[], { hasEnded, save }: Standing): AppendOptions {
    const { token } = this.#lease;
    const taken = entries.flatMap(({ event }) =>
      event.kind === 'commanded' ? (event.commandId ?? []) : [],
    );
    taken.push(...this.#discarded);
    this.#discarded = [];
    const state = hasEnded || save === undefined ? undefined : this.#format?.encodeState(save);
    return {
      ended: hasEnded,
      ...(token === undefined ? {} : { token }),
      ...(taken.length === 0 ? {} : { taken }),
      ...(state === undefined ? {} : { state }),
    };
  }
}
