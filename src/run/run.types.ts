import type { JournalEntry } from '../journal/entry.js';
import type { Fact } from '../model/facts.js';
import type { RunRecord } from '../journal/record.js';
import type { RunReport } from '../journal/report.js';

/** The answer to a command. Accepted means written down; a refusal says why and changed nothing. */
export type CommandResult =
  | {
      readonly accepted: true;
      /** No process owns the run at present: the command waits in the store and is judged when the run is resumed. */
      readonly isPending?: true;
      /** The owner has not answered in time: the command is durable and is judged when the owner reads it. */
      readonly isUnanswered?: true;
    }
  | { readonly accepted: false; readonly reason: string };

/** What can be said to a run. Never throws. */
export type RunCommands = Pick<
  Run,
  'approve' | 'reject' | 'skip' | 'skipTo' | 'say' | 'pause' | 'unpause' | 'extendTime' | 'abort'
>;

/** A stored run, watched and commanded from any process. */
export interface ConnectedRun extends RunCommands {
  readonly runId: string;
  /** Where the run stands, as far as it is durable. */
  record(): Promise<RunRecord>;
  /** Everything that happened, as it is kept. */
  journal(): Promise<readonly JournalEntry[]>;
}

/** One run of one goal. */
export interface Run {
  readonly runId: string;
  /**
   * Calls back with every fact in order, those of the past first. A listener that returns a promise gets the next fact
   * when that settles; the run does not wait for it. Returns a function that stops it.
   */
  subscribe(listener: (fact: Fact) => unknown): () => void;
  /** The same facts as a stream that ends with the run. */
  facts(): AsyncIterable<Fact>;
  /** Where the run stands. */
  record(): RunRecord;
  /** Everything that happened, as it is kept. */
  journal(): readonly JournalEntry[];
  /** Agrees to a question; `answer` goes back to the agent that asked. */
  approve(requestId: string, answer?: string): Promise<CommandResult>;
  reject(requestId: string, reason?: string): Promise<CommandResult>;
  /** Takes steps off the plan. Steps that wait for them may run. */
  skip(stepIds: readonly string[], reason?: string): Promise<CommandResult>;
  /** Takes every open step before this one off the plan. */
  skipTo(stepId: string, reason?: string): Promise<CommandResult>;
  /** Says something that the planner and the agents are told from then on. By itself it changes nothing. */
  say(text: string): Promise<CommandResult>;
  /** Starts nothing new until `unpause`. The clock goes on. */
  pause(): Promise<CommandResult>;
  unpause(): Promise<CommandResult>;
  extendTime(extraMs: number): Promise<CommandResult>;
  abort(reason?: string): Promise<CommandResult>;
  /** Always resolves, with the report. A goal that was not met is a report, not an exception. */
  readonly done: Promise<RunReport>;
}
