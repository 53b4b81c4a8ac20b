import type { CallInput } from '../model/calls.js';
import type { Fact } from '../model/facts.js';
import type { Perform } from '../actors/team.types.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Kernel, KernelInput, KernelState } from '../kernel/kernel.types.js';
import type { Unfinished } from '../kernel/replay.js';
import type { Clock } from '../services/clock.js';
import type { StoreRetry } from '../services/store-retry.js';
import type { CommandPoller } from './command-poller.js';
import type { Inbox } from './inbox.js';
import type { JournalWriter } from './journal-writer.js';
import type { Lease } from './lease.js';

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

/** The journal and lease of a stored run. */
export interface Keeping {
  readonly writer: JournalWriter;
  readonly lease: Lease;
  readonly inbox: Inbox;
  readonly poller: CommandPoller;
  readonly retry: StoreRetry;
}
