import type { Complexity, Votes } from './plan.js';

/**
 * An immutable list with cheap single updates: a change copies one chunk and the spine, never the whole list. Plain
 * JSON, so that it may be part of a chart's context. At 10,000 items an update costs about as much as at 100.
 */
export type ChunkedList<Item> = readonly (readonly Item[])[];

/** A step that was adopted into a run. Its index never changes and is never reused. */
export interface PlannedStep {
  readonly id: string;
  readonly agent: string;
  readonly task: string;
  readonly complexity: Complexity;
  readonly requiresApproval: boolean;
  /** True when the plan that added it has the scope trivial; never for a handed-off step. */
  readonly isTrivial: boolean;
  /** Null: the agent is called once. */
  readonly votes: Votes | null;
  /** Indexes of the steps it waits for. */
  readonly dependsOn: readonly number[];
  /** Among ready steps the lowest rank runs first; 'appendNext' gives new steps a lower rank than the waiting ones. */
  readonly rank: number;
  /** The plan revision that added it. */
  readonly revision: number;
}

export type SettledStatus = 'completed' | 'failed' | 'skipped' | 'cancelled';

export interface StepState {
  readonly status: 'pending' | 'running' | SettledStatus;
  /** Dependencies that are not satisfied yet. */
  readonly unmet: number;
  /** Where the outputs are in the journal; one key, or several when a sub-plan did the work. */
  readonly outputKeys: readonly string[];
  /** Why it failed, was skipped or was cancelled; null otherwise. */
  readonly reason: string | null;
}

export interface ProgressCounts {
  readonly pending: number;
  readonly running: number;
  readonly completed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly cancelled: number;
  /** Failed, or skipped behind a failure, without a new plan since. */
  readonly unresolved: number;
  /** Failed without a new plan since: `limits.maxFailures` bounds this. */
  readonly failedSincePlan: number;
}

/** The charts' state of all steps of a run. Every function here costs O(dependents), not O(plan). */
export interface Progress {
  readonly steps: readonly PlannedStep[];
  /** For each step the indexes of the steps that wait for it. */
  readonly dependents: readonly (readonly number[])[];
  readonly states: ChunkedList<StepState>;
  /** Indexes of runnable steps by rank; those before `readyHead` were taken. */
  readonly ready: readonly number[];
  readonly readyHead: number;
  readonly counts: ProgressCounts;
}

/** How a step ended. */
export interface Settlement {
  readonly status: SettledStatus;
  readonly outputKeys: readonly string[];
  readonly reason: string | null;
}
