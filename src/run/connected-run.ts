import { InboxFullError, RunConflictError, RunNotFoundError } from '../errors.js';
import { toFailure } from '../failure.js';
import type { JournalEntry } from '../journal/entry.js';
import { readJournal } from '../journal/read-journal.js';
import type { RunRecord } from '../journal/record.js';
import { createRecordBuilder } from '../journal/record.js';
import type { Clock } from '../services/clock.js';
import type { RunStore, StoredRun } from '../model/run-store.js';
import { CommandMethods } from './command-methods.js';
import { parseCommand } from '../model/commands.js';
import type { CommandResult, ConnectedRun } from './run.types.js';
import type { StoreRetry } from '../services/store-retry.js';

export interface ConnectionParts {
  readonly store: RunStore;
  readonly clock: Clock;
  /** A random command id, unique across processes. */
  readonly newCommandId: () => string;
  readonly pollMs: number;
  /** How long to wait for the owner's answer. */
  readonly answerMs: number;
  readonly retry: StoreRetry;
  /** Redacts a store's message, for example the address of a database. */
  readonly redactText: (text: string) => string;
}

/** A run that another process owns, or none at present: everything goes through the store. */
export class StoredRunConnection extends CommandMethods implements ConnectedRun {
  readonly runId: string;
  readonly #parts: ConnectionParts;

  constructor(runId: string, parts: ConnectionParts) {
    super();
    this.runId = runId;
    this.#parts = parts;
  }

  async journal(): Promise<readonly JournalEntry[]> {
    return readJournal(await this.#read(), this.runId).entries;
  }

  async record(): Promise<RunRecord> {
    const stored = await this.#read();
    const builder = createRecordBuilder(stored.header);
    for (const { facts } of readJournal(stored, this.runId).entries) {
      for (const fact of facts) builder.add(fact);
    }
    return builder.record();
  }

  protected async command(candidate: unknown): Promise<CommandResult> {
    const parsed = parseCommand(candidate);
    if (!parsed.ok) return { accepted: false, reason: parsed.reason };
    const { store, clock, newCommandId, answerMs, retry } = this.#parts;
    const posted = { id: newCommandId(), at: clock.now(), command: parsed.command };
    const deadlineMs = clock.now() + answerMs;
    try {
      for (;;) {
        // A command posted again under its id changes nothing. Posting again asks for the answer, and resends a command
        // that may not have arrived.
        const { answer, isOwned } = await retry.run(() => store.post(this.runId, posted));
        if (answer !== undefined) return answer as CommandResult;
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

  async #read(): Promise<StoredRun> {
    const stored = await this.#parts.store.read(this.runId);
    if (stored === undefined) throw new RunNotFoundError(`Run '${this.runId}' is not in the store`);
    return stored;
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
