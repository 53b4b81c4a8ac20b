import type { ReplanRequest } from './calls.js';
import type { VerdictSummary } from './verdict-summary.js';

/** One call of a vote. */
export interface Ballot {
  readonly key: string;
  /** Equal digests mean equal answers. Null when the call failed, which is not a vote. */
  readonly digest: string | null;
  readonly hasOutput: boolean;
  readonly confidence: number | null;
  /** Why the call failed; null for a vote. */
  readonly failure: StepFailure | null;
}

export interface StepFailure {
  readonly code: string;
  readonly reason: string;
}

/** The outcome of the step chart; the orchestrator settles the step by it. */
export interface StepOutcome {
  readonly status: 'completed' | 'failed' | 'skipped';
  readonly code: string;
  readonly reason: string;
  readonly attempts: number;
  readonly outputKeys: readonly string[];
  readonly confidence: number | null;
  readonly request: ReplanRequest | null;
  readonly handOff: { readonly agent: string; readonly task: string } | null;
  /** The verdict that confirmed the step, for the escalation ladder; null without a supervisor's confirmation. */
  readonly verdict: VerdictSummary | null;
}
