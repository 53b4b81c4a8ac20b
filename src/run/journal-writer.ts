import { RunConflictError } from '../errors.js';
import type { JournalEntry } from '../journal/entry.js';
import type { MaybePromise, RunHeader, RunStore } from '../services/run-store.js';
import type { Lease } from './lease.js';
import { afterwards } from './maybe-promise.js';

/** Writes the journal of one run, as its owner. */
export class JournalWriter {
  readonly #store: RunStore<JournalEntry>;
  readonly #runId: string;
  readonly #lease: Lease;
  #isOpen = false;
  /** The making of a place for the journal, until the first entry waits for it. */
  #opening: MaybePromise<void> = undefined;

  constructor(store: RunStore<JournalEntry>, runId: string, lease: Lease) {
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
    this.#opening = afterwards(this.#store.create(header), () =>
      afterwards(this.#lease.take(), (claim) => {
        if (claim !== undefined) return;
        throw new RunConflictError(`Run '${this.#runId}' was taken up by somebody else`);
      }),
    );
  }

  /** Returns when the entries are durable: all of them, or none. */
  append(entries: readonly JournalEntry[], ended: boolean): MaybePromise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    return afterwards(opening, () => this.#append(entries, ended));
  }

  #append(entries: readonly JournalEntry[], ended: boolean): MaybePromise<void> {
    this.#isOpen = true;
    const { token } = this.#lease;
    const taken = entries.flatMap(({ event }) =>
      event.kind === 'commanded' ? (event.commandId ?? []) : [],
    );
    return this.#store.append(this.#runId, entries[0]?.sequence ?? 0, entries, {
      ended,
      ...(token === undefined ? {} : { token }),
      ...(taken.length === 0 ? {} : { taken }),
    });
  }
}
