import type { Answer, CallRequest, FailureCode } from '../../../model/calls.js';
import type { Usage } from '../../../model/usage.js';

/** What an agent, planner, supervisor, tester or summarizer can answer, told from every other by some guard. */
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
  /** The digests of the ballots that are in, each once. */
  readonly digests: readonly string[];
  /** Fingerprints of the plans that were adopted. */
  readonly fingerprints: readonly string[];
  /** Steps that wait and that a new plan may build on. */
  readonly waiting: readonly string[];
  /** One that is done, if there is one. */
  readonly done: string | undefined;
  /** Plans adopted so far. */
  readonly revision: number;
}
