import type { Answer, CallRequest, FailureCode } from '../../../model/calls.js';
import type { Usage } from '../../../model/usage.js';

/** An answer of an agent or role that some guard distinguishes from every other. */
export type Reply =
  | {
      readonly label: string;
      readonly answer: Answer;
      readonly hasOutput: boolean;
      readonly usage: Usage | null;
    }
  | { readonly label: string; readonly code: FailureCode };

/** What is known about a call when it is answered. */
export interface Asked {
  readonly request: CallRequest;
  /** The distinct digests of the ballots so far. */
  readonly digests: readonly string[];
  /** Fingerprints of the plans that were adopted. */
  readonly fingerprints: readonly string[];
  /** Waiting steps that a new plan may depend on. */
  readonly waiting: readonly string[];
  /** A completed step, if there is one. */
  readonly done: string | undefined;
  /** Plans adopted so far. */
  readonly revision: number;
}
