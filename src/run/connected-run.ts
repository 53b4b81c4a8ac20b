import {
  InboxFullError,
  JournalCorruptError,
  RunConflictError,
  RunNotFoundError,
  StoreUnavailableError,
} from '../errors.js';
import { cutMessage, toFailure } from '../failure.js';
import type { JournalEntry } from '../journal/entry.js';
import type { JournalFormat } from '../journal/format/journal-format.js';
import { readJournal } from '../journal/read-journal.js';
import type { RunRecord } from '../journal/record.js';
import type { RunReport } from '../journal/report.js';
import { isEnded, reportOf } from '../journal/report.js';
import { parseCommand } from '../model/commands.js';
import type { Fact } from '../model/facts.js';
import type { RunStore, StoredRun } from '../model/run-store.js';
import type { Clock } from '../services/clock.js';
import type { StoreRetry } from '../services/store-retry.js';
import { CommandMethods } from './command-methods.js';
import { SLOWER_WHERE_WATCHED } from './command-poller.js';
import { FactStream } from './fact-stream.js';
import { RunMemory } from './run-memory.js';
import type { CommandResult, FactsOptions, Run } from './run.types.js';

export interface ConnectionParts {
  readonly store: RunStore;
  readonly clock: Clock;
  /** A random command id, unique across processes. */
  readonly newCommandId: () => string;
  readonly pollMs: number;
  /** How long to wait for the owner's answer. */
  readonly answerMs: number;
  readonly retry: StoreRetry;
  readonly onError: (error: unknown) => void;
  /** Redacts a store's message, for example the address of a database. */
  readonly redactText: (text: string) => string;
  /** Called when the connection begins and ends to follow the run. */
  readonly onFollowing: (connection: StoredRunConnection, isFollowing: boolean) => void;
}

/**
 * A run that another process owns, or none at present: everything goes through the store. Entries that were read once
 * are kept, and later reads begin behind them. The run is followed only while there is a subscriber, a reader of its
 * facts or a caller of `done`.
 */
export class StoredRunConnection extends CommandMethods implements Run {
  readonly runId: string;
  /** A run in the store is durable. */
  readonly started: Promise<void> = Promise.resolve();
  readonly #parts: ConnectionParts;
  readonly #memory: RunMemory;
  readonly #facts: FactStream;
  readonly #format: JournalFormat;
  readonly #done: Promise<RunReport>;
  #resolveDone: (report: RunReport) => void = () => undefined;
  /** Subscribers, readers of facts, and callers of `done`. */
  #followers = 0;
  #isFollowing = false;
  #isOver = false;
  /** There may be entries that were not read. */
  #isBehind = false;
  #wake: () => void = () => undefined;
  #reading: Promise<void> | undefined;

  constructor(stored: StoredRun, runId: string, parts: ConnectionParts) {
    super();
    const { entries, format } = readJournal(stored, runId);
    this.runId = runId;
    this.#parts = parts;
    this.#format = format;
    this.#memory = new RunMemory(stored.header);
    this.#facts = new FactStream(parts);
    this.#done = new Promise((resolve) => {
      this.#resolveDone = resolve;
    });
    for (const entry of entries) {
      this.#memory.keep(entry);
      this.#facts.restore(entry.facts);
    }
    if (stored.ended) this.#end(this.record());
  }

  get done(): Promise<RunReport> {
    this.#followers += 1;
    this.#follow();
    return this.#done;
  }

  record(): RunRecord {
    return this.#memory.record();
  }

  journal(): readonly JournalEntry[] {
    return this.#memory.frozenEntries();
  }

  subscribe(listener: (fact: Fact) => unknown): () => void {
    const unsubscribe = this.#facts.subscribe(listener);
    const leave = this.#join();
    return () => {
      unsubscribe();
      leave();
    };
  }

  facts(options?: FactsOptions): AsyncIterable<Fact> {
    return {
      [Symbol.asyncIterator]: () => {
        const stream = this.#facts.stream(options);
        const leave = this.#join();
        const leaving = async (step: Promise<IteratorResult<Fact>>) => {
          const result = await step;
          if (result.done === true) leave();
          return result;
        };
        return {
          next: () => leaving(stream.next()),
          return: () => leaving(stream.return?.() ?? stream.next()),
        };
      },
    };
  }

  /** Reads the entries since the last read. */
  async readOn(): Promise<void> {
    // A read in progress may have missed entries that were written since it began.
    await this.#reading;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  /** Stops following; `done` resolves although the run goes on. */
  detach(reason: string): void {
    if (!this.#isOver) this.#end(this.#memory.detachedBy(reason, this.#parts.clock.now()));
  }

  protected async command(candidate: unknown): Promise<CommandResult> {
    const parsed = parseCommand(candidate);
    if (!parsed.ok) return { accepted: false, reason: parsed.reason };
    const { store, clock, newCommandId, answerMs, retry, onError } = this.#parts;
    const posted = { id: newCommandId(), at: clock.now(), command: parsed.command };
    const deadlineMs = clock.now() + answerMs;
    try {
      for (;;) {
        // A command posted again under its id changes nothing. Posting again asks for the answer, and resends a command
        // that may not have arrived.
        const { answer, isOwned } = await retry.run(() => store.post(this.runId, posted));
        if (answer !== undefined) {
          await this.readOn().catch(onError);
          return answer as CommandResult;
        }
        const leftMs = deadlineMs - clock.now();
        if (leftMs <= 0) return { accepted: true, ...(isOwned ? UNANSWERED : PENDING) };
        await this.#somethingNew(leftMs);
      }
    } catch (error) {
      return { accepted: false, reason: this.#parts.redactText(refusalOf(error)) };
    }
  }

  /** Resolves when the store reports a change, or after a maximum wait: a notification may be lost. */
  #somethingNew(atMostMs: number): Promise<void> {
    const { store, clock, pollMs } = this.#parts;
    return new Promise((resolve) => {
      let stopWatching: (() => void) | undefined = undefined;
      const finish = (): void => {
        clock.clearTimeout(timer);
        stopWatching?.();
        resolve();
      };
      const timer = clock.setTimeout(finish, Math.min(pollMs, atMostMs));
      stopWatching = store.watch?.(this.runId, finish);
    });
  }

  /** Follows the run for one more reader. Returns a function that stops it. */
  #join(): () => void {
    this.#followers += 1;
    this.#follow();
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#followers -= 1;
      this.#wake();
    };
  }

  #follow(): void {
    if (this.#isFollowing || this.#isOver) return;
    this.#isFollowing = true;
    this.#isBehind = true;
    this.#parts.onFollowing(this, true);
    void this.#followWhileAsked().finally(() => {
      this.#isFollowing = false;
      this.#parts.onFollowing(this, false);
    });
  }

  async #followWhileAsked(): Promise<void> {
    const stopWatching = this.#parts.store.watch?.(this.runId, () => {
      this.#isBehind = true;
      this.#wake();
    });
    while (this.#isFollowed) await (this.#isBehind ? this.#catchUp() : this.#pause());
    stopWatching?.();
  }

  get #isFollowed(): boolean {
    return this.#followers > 0 && !this.#isOver;
  }

  async #catchUp(): Promise<void> {
    this.#isBehind = false;
    try {
      await this.readOn();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Waits for a notification, at most until the next poll. */
  #pause(): Promise<void> {
    const { store, clock, pollMs } = this.#parts;
    const delayMs = store.watch === undefined ? pollMs : pollMs * SLOWER_WHERE_WATCHED;
    return new Promise((resolve) => {
      this.#wake = () => {
        clock.clearTimeout(timer);
        resolve();
      };
      const timer = clock.setTimeout(() => {
        this.#isBehind = true;
        resolve();
      }, delayMs);
    });
  }

  async #read(): Promise<void> {
    const { store, retry } = this.#parts;
    const stored = await retry.run(() => store.read(this.runId, this.#memory.length));
    if (this.#isOver) return;
    if (stored === undefined) throw new RunNotFoundError(`Run '${this.runId}' is not in the store`);
    for (const kept of stored.entries) {
      if (kept.sequence !== this.#memory.length) {
        const message = `Entry ${this.#memory.length} of run '${this.runId}' is missing`;
        throw new JournalCorruptError('torn', message);
      }
      const entry = this.#format.decode(kept);
      this.#memory.keep(entry);
      this.#facts.add(entry.facts);
    }
    if (stored.ended) this.#end(this.record());
  }

  /** The run cannot be followed. A store that is away is tried again at the next poll. */
  #failed(error: unknown): void {
    this.#parts.onError(error);
    if (StoreUnavailableError.isInstance(error)) return;
    const { name, message } = toFailure(error, Infinity);
    this.detach(`unreadable: ${name}: ${cutMessage(this.#parts.redactText(message))}`);
  }

  #end(record: RunRecord): void {
    this.#isOver = true;
    this.#facts.end();
    this.#wake();
    if (!isEnded(record)) return;
    const report = reportOf(record);
    void this.#facts.told().then(() => this.#resolveDone(report));
  }
}

const UNANSWERED = { isUnanswered: true } as const;
const PENDING = { isPending: true } as const;

const refusalOf = (error: unknown): string => {
  if (RunConflictError.isInstance(error)) return 'run-ended';
  if (RunNotFoundError.isInstance(error)) return 'unknown-run';
  if (InboxFullError.isInstance(error)) return 'inbox-full';
  const { name, message } = toFailure(error);
  return `store-unavailable: ${name}: ${message} Whether the command was stored is unknown.`;
};
