import type { JournalEntry } from '../journal/entry.js';
import type { Fact } from '../model/facts.js';
import type { AnyTeam } from '../model/outputs.js';
import type { RunRecord } from '../journal/record.js';
import type { RunReport } from '../journal/report.js';

/** The answer to a command. Accepted means durable; a refusal gives its reason and changed nothing. */
export type CommandResult =
  | {
      readonly accepted: true;
      /** No process owns the run at present: the command waits in the store and is handled when the run is resumed. */
      readonly isPending?: true;
      /** The owner has not answered in time: the command is durable and is handled when the owner reads it. */
      readonly isUnanswered?: true;
    }
  | { readonly accepted: false; readonly reason: string };

/** An approval: `answer` goes back to the agent that asked, `by` is in the record. */
export interface Approval {
  readonly answer?: string;
  /** Who approves, as you name that person. */
  readonly by?: string;
}

export interface Rejection {
  readonly reason?: string;
  /** Who rejects, as you name that person. */
  readonly by?: string;
}

/** The commands to a run. Never throws. */
export type RunCommands = Pick<
  Run,
  'approve' | 'reject' | 'skip' | 'skipTo' | 'say' | 'pause' | 'unpause' | 'extendTime' | 'abort'
>;

/** Which facts to read. */
export interface FactsOptions {
  /** Only facts after this one, by its `sequence`: the last one that the reader has. @default 0 */
  readonly after?: number;
}

/**
 * One run of one goal: started or resumed in this process, or connected to through the store. `Run<Team>` has the
 * outputs of the team's agents; a plain `Run` has JSON values.
 */
export interface Run<Team extends AnyTeam = AnyTeam> {
  readonly runId: string;
  /**
   * Resolves when the run is durable: its first entry is in the store. Without a store it resolves at once. Rejects
   * with RunConflictError when the id is in use, with StoreUnavailableError when the store stays unreachable, and with
   * OrchestratorClosedError when the orchestrator is closed before that. A caller may ignore it.
   */
  readonly started: Promise<void>;
  /**
   * Calls the listener with every fact in order, starting with the past ones. A listener that returns a promise gets
   * the next fact when that settles; the run does not wait for it. Returns a function that stops it.
   */
  subscribe(listener: (fact: Fact) => unknown): () => void;
  /** The same facts as a stream that ends with the run. With `after` it begins behind that fact. */
  facts(options?: FactsOptions): AsyncIterable<Fact>;
  /** The present state of the run; that of a connected run as far as it was read. */
  record(): RunRecord<Team>;
  /** All entries of the run, as they are stored; those of a connected run as far as they were read. */
  journal(): readonly JournalEntry[];
  /** Approves a question; `answer` goes back to the agent that asked. */
  approve(requestId: string, answer?: string | Approval): Promise<CommandResult>;
  reject(requestId: string, reason?: string | Rejection): Promise<CommandResult>;
  /** Skips steps. Steps that depend on them may run. */
  skip(stepIds: readonly string[], reason?: string): Promise<CommandResult>;
  /** Skips every open step before this one. */
  skipTo(stepId: string, reason?: string): Promise<CommandResult>;
  /** Adds a message that the planner and the agents receive from then on. It has no other effect. */
  say(text: string): Promise<CommandResult>;
  /** Starts nothing new until `unpause`. The clock keeps running. */
  pause(): Promise<CommandResult>;
  unpause(): Promise<CommandResult>;
  extendTime(extraMs: number): Promise<CommandResult>;
  abort(reason?: string): Promise<CommandResult>;
  /**
   * Always resolves, with the report. A goal that is not met gives a report, not an exception. When this process no
   * longer drives the run and it goes on elsewhere, the report has the status `detached` and `isFinal` is false.
   */
  readonly done: Promise<RunReport<Team>>;
}
