import type { Subject } from './calls.js';

/** A supervisor's verdict, as far as the escalation ladder reads it. */
export interface VerdictSummary {
  readonly subject: Subject;
  readonly score: number;
  /** True when the score reaches the gate of the policy. */
  readonly hasPassed: boolean;
  /** True when the supervisor named issues, or the gate was missed. */
  readonly hasIssues: boolean;
  readonly feedback: string;
}
