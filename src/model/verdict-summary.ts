import type { Subject } from './calls.js';

/** The part of a supervisor's verdict that the escalation ladder reads. */
export interface VerdictSummary {
  readonly subject: Subject;
  readonly score: number;
  /** True when the score reaches the gate of the policy. */
  readonly hasPassed: boolean;
  /** True when the supervisor named issues, or the gate was missed. */
  readonly hasIssues: boolean;
  readonly feedback: string;
}
