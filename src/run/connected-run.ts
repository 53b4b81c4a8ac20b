import { InboxFullError, RunConflictError, RunNotFoundError } from '../errors.js';
import { toFailure } from '../failure.js';
import type { JournalEntry } from '../journal/entry.js';
import { readJournal } from '../journal/read-journal.js';
import type { RunRecord } from '../journal/record.js';
import { createRecordBuilder } from '../journal/record.js';
import type { Clock } from '../services/clock.js';
import type { RunStore, StoredRun } from '../services/run-store.js';
import { CommandMethods } from './command-methods.js';
import { parseCommand } from './commands.js';
import type { CommandResult, ConnectedRun } from './run.types.js';

export interface ConnectionParts {
  readonly store: RunStore;
  readonly clock: Clock;
  /** A name for a command; never the same twice, in no process. */
  readonly newCommandId: () => string;
  readonly pollMs: number;
  /** How long an answer of the owner is waited for. */
  readonly answerMs: number;
}

/** A run that lives elsewhere, or nowhere at present: everything goes through the store. */
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
    const { store, clock, newCommandId } = this.#parts;
    const id = newCommandId();
    try {
      await store.post(this.runId, { id, at: clock.now(), command: parsed.command });
      return await this.#answerTo(id);
    } catch (error) {
      return { accepted: false, reason: refusalOf(error) };
    }
  }

  /** The command is durable. What becomes of it is for the owner of the run to say, if there is one. */
  async #answerTo(id: string): Promise<CommandResult> {
    const { clock, answerMs } = this.#parts;
    const deadlineMs = clock.now() + answerMs;
    while (await this.#isWaiting(id)) {
      if (clock.now() >= deadlineMs) return this.#unanswered();
      await this.#somethingNew(deadlineMs - clock.now());
    }
    return this.#answered(id);
  }

  async #isWaiting(id: string): Promise<boolean> {
    const waiting = await this.#parts.store.inbox(this.runId);
    return waiting.some((command) => command.id === id);
  }

  async #unanswered(): Promise<CommandResult> {
    const { ended } = await this.#read();
    return ended ? { accepted: false, reason: 'run-ended' } : { accepted: true, isPending: true };
  }

  async #answered(id: string): Promise<CommandResult> {
    const entry = (await this.journal()).find(
      ({ event }) => event.kind === 'commanded' && event.commandId === id,
    );
    if (entry === undefined) return { accepted: false, reason: 'run-ended' };
    const refusal = entry.facts.find((fact) => fact.type === 'command.refused');
    return refusal === undefined ? { accepted: true } : { accepted: false, reason: refusal.reason };
  }

  /** Returns when the store tells of something, and now and then where it cannot. */
  #somethingNew(atMostMs: number): Promise<void> {
    const { store, clock, pollMs } = this.#parts;
    return new Promise((resolve) => {
      let stopWatching: (() => void) | undefined = undefined;
      const finish = (): void => {
        clock.clearTimeout(timer);
        stopWatching?.();
        resolve();
      };
      const waitMs = store.watch === undefined ? Math.min(pollMs, atMostMs) : atMostMs;
      const timer = clock.setTimeout(finish, waitMs);
      stopWatching = store.watch?.(this.runId, finish);
    });
  }

  async #read(): Promise<StoredRun> {
    const stored = await this.#parts.store.read(this.runId);
    if (stored === undefined) throw new RunNotFoundError(`Run '${this.runId}' is not in the store`);
    return stored;
  }
}

const refusalOf = (error: unknown): string => {
  if (RunConflictError.isInstance(error)) return 'run-ended';
  if (RunNotFoundError.isInstance(error)) return 'unknown-run';
  if (InboxFullError.isInstance(error)) return 'inbox-full';
  const { name, message } = toFailure(error);
  return `store-unavailable: ${name}: ${message}`;
};
