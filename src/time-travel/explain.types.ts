import type { RunRecord, StepStatus } from '../journal/record.js';

/** The kind of a cause. */
export type CauseKind =
  /* how the step ended */
  | 'completed'
  | 'failed'
  | 'skipped'
  | 'cancelled'
  /* why a step failed or was repeated */
  | 'call-failed'
  | 'agent-blocked'
  | 'verdict'
  | 'tests-failed'
  | 'no-majority'
  | 'subplan-ended'
  | 'breaker-open'
  | 'repeated'
  | 'fixed'
  /* what removed it from the plan */
  | 'rejected-by-person'
  | 'approval-expired'
  | 'skipped-by-command'
  | 'dropped-by-plan'
  | 'replan-requested'
  | 'dependency'
  | 'parent-ended'
  /* what ended the run */
  | 'run-ended'
  | 'time-expired'
  | 'budget-exhausted'
  | 'escalated'
  | 'plan-rejected'
  | 'request-refused'
  /* what it waits for */
  | 'waiting-for-answer'
  | 'waiting-for-retry'
  | 'waiting-for-approval'
  | 'waiting-for-subplan'
  | 'waiting-for-dependency'
  | 'waiting-for-slot'
  | 'waiting-for-plan'
  | 'paused'
  | 'execution-closed';

/** One fact that explains something, and how. */
export interface Cause {
  readonly kind: CauseKind;
  /** The number of the fact: `replay.goTo(sequence)` shows the run at this point. */
  readonly sequence: number;
  /** The step it is about, which may be another one; null when it is about the whole run. */
  readonly stepId: string | null;
  /** One sentence. */
  readonly text: string;
}

/** Why a step is in its present state. */
export interface Explanation {
  readonly runId: string;
  readonly stepId: string;
  readonly status: StepStatus;
  /** From the step itself to the root cause; each entry is the reason of the one before. */
  readonly causes: readonly Cause[];
  /** Why it was repeated, oldest first; empty when it was not. */
  readonly repeats: readonly Cause[];
  /** The explanation as one paragraph. */
  readonly text: string;
}

/** Why a run is in its present state: how it ended, which plans failed, which requests were refused, which steps failed. */
export interface RunExplanation {
  readonly runId: string;
  readonly status: RunRecord['status'];
  /** From the end of the run to what led to it. */
  readonly causes: readonly Cause[];
  /** The explanation as one paragraph. */
  readonly text: string;
}
