import type { JsonValue } from '../../canonical-json.js';
import type { Policy } from '../../model/policy.js';

export interface ApprovalInput {
  /** Names the question; a person answers it by this id. */
  readonly requestId: string;
  /** The step it is about; null for the plan of the goal. */
  readonly stepId: string | null;
  readonly question: string;
  /** Exactly what an approval would allow. */
  readonly payload: JsonValue;
  readonly timeoutMs: number;
  readonly onTimeout: Policy['approval']['onTimeout'];
}

export interface ApprovalOutcome {
  readonly isGranted: boolean;
  /** Why it was not granted: `rejected` by a person, or `approval-expired`. */
  readonly code: string;
  /** The answer, or the reason of a rejection. */
  readonly text: string;
  /** Who answered; null when the sender did not say, or there was no answer. */
  readonly by: string | null;
}

export interface ApprovalContext extends ApprovalInput {
  readonly outcome: ApprovalOutcome | null;
}
