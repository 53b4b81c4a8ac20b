import type { CallInput } from '../model/calls.js';
import type { Fact } from '../model/facts.js';
import type { Perform } from '../actors/team.types.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Kernel, KernelInput, KernelState } from '../kernel/kernel.types.js';
import type { Unfinished } from '../kernel/replay.js';
import type { Clock } from '../services/clock.js';
import type { MaybePromise } from '../model/run-store.js';
import type { Standing } from './journal-writer.js';

/** The call that failed. */
export interface ErrorContext {
  readonly runId: string;
  /** Null for a call about the plan or the goal. */
  readonly stepId: string | null;
  readonly agent: string;
  readonly role: Fact<'agent.failed'>['role'];
  /** The key of the try, as in `call.key`. */
  readonly key: string;
  /** Why the try failed, such as `threw`, `timeout` or `invalid-output`. */
  readonly code: string;
}

/** Receives errors. The context is there when a call failed. */
export type OnError = (error: unknown, context?: ErrorContext) => void;

/** The parts that all runs of one orchestrator share. */
export interface RunParts {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly perform: Perform;
  /** Whether a call that was in flight when its process died is made again; otherwise its try fails. */
  readonly mayRepeat: (input: CallInput) => boolean;
  readonly onError: OnError;
  /** Redacts a store's message for a report, for example the address of a database. */
  readonly redactText: (text: string) => string;
  /** For tests: the state after every entry, rebuilt from the journal. */
  readonly rebuilt: ((kernel: Kernel, entries: readonly JournalEntry[]) => KernelState) | undefined;
}

/** The open work of a run that is resumed. */
export interface UnfinishedWork extends Unfinished {
  /** Events that are handled before any call is made. */
  readonly missed: readonly KernelInput[];
  /** A call was in flight at a takeover. */
  readonly isSuspect: boolean;
}

/** What a live run needs of its store. */
export interface Keeping {
  /** The journal exists: a conflict after that means that another process writes to it. */
  readonly hasJournal: boolean;
  /** The store cannot be reached at present. */
  readonly isStalled: boolean;
  /** Another process may have claimed the run. */
  readonly mayBeLost: boolean;
  /** The token of the claim. */
  readonly token: number | undefined;
  /** Calls the listener when another process has claimed the run. */
  onLost(listener: (error: unknown) => void): void;
  /** Returns when the entries are durable: all of them, or none. */
  append(entries: readonly JournalEntry[], standing: Standing): MaybePromise<void>;
  /** Asks the store whether this process still owns the run, and retries while the store is unreachable. */
  confirm(): MaybePromise<void>;
  /** Delivers all commands that are in the store by now. Fails when the store stays unreachable. */
  look(): MaybePromise<void>;
  /** Delivers commands of other processes from now on. */
  listen(take: (input: KernelInput) => void): void;
  /** Releases the run, so that another process need not wait for the end of the lease. */
  release(): Promise<void>;
  /** Stops listening, retrying and holding the run. */
  stop(): void;
}
