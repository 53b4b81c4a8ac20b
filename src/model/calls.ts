import type { JsonValue } from '../canonical-json.js';
import type { Issue } from '../errors.js';
import type { Usage } from './usage.js';
import type { Policy } from './policy.js';
import type { ProposedPlan } from './plan.js';

/** What a supervisor reviews. */
export type Subject = 'plan' | 'code' | 'step' | 'goal';

/** A reference to an output in the journal: charts carry the key, actors look the value up. */
export interface OutputReference {
  readonly stepId: string;
  readonly agent: string;
  readonly keys: readonly string[];
}

/** The task of a step. */
export interface StepTask {
  readonly stepId: string;
  readonly agent: string;
  readonly task: string;
}

/** Why a step has no result. */
export interface StepReason {
  readonly stepId: string;
  readonly agent: string;
  readonly reason: string;
}

/** Feedback as charts carry it: short texts inline, long results by key. */
export interface FeedbackReference {
  readonly from: 'supervisor' | 'tester' | 'human';
  readonly text: string;
  readonly key: string | null;
}

/** Why the planner is asked again. */
export interface ReplanRequest {
  readonly kind:
    | 'needsContext'
    | 'requestReplan'
    | 'handOff'
    | 'stepFailed'
    | 'planRejected'
    | 'stepRejected'
    | 'goalNotAchieved';
  /** The step that made the request, or null when the plan or the goal was judged. */
  readonly stepId: string | null;
  readonly agent: string | null;
  readonly reason: string;
  /** Agents that the request suggests; only a hint. */
  readonly agents: readonly string[];
  readonly confidence: number | null;
}

interface RequestBase {
  /** `runId/stepPath/attempt/role`: the idempotency key of the first try. */
  readonly key: string;
  readonly agent: string;
  readonly stepId: string | null;
  readonly goal: string;
  readonly depth: number;
}

export interface StepDescription {
  readonly id: string;
  readonly task: string;
  readonly position: string;
  readonly attempt: number;
}

/** The second of three votes: `{ number: 2, of: 3 }`. */
export interface VotePosition {
  readonly number: number;
  readonly of: number;
}

export interface WorkerRequest extends RequestBase {
  readonly role: 'worker';
  readonly mode: 'work' | 'fix';
  /** Which of several votes on the same task this is; null without voting. */
  readonly vote: VotePosition | null;
  readonly step: StepDescription;
  readonly dependencies: readonly OutputReference[];
  readonly feedback: readonly FeedbackReference[];
  readonly conversation: readonly string[];
  readonly summary: string;
}

export interface PlannerRequest extends RequestBase {
  readonly role: 'planner';
  readonly revision: number;
  /** The replan bound in force; 0 for a sub-plan, which has no replans. */
  readonly maxReplans: number;
  /** What the plan will do to the pending steps. */
  readonly merge: Policy['replan']['merge'];
  /** The analysis from the plan in force; empty before the first. */
  readonly analysis: string;
  readonly completed: readonly OutputReference[];
  readonly failed: readonly StepReason[];
  readonly pending: readonly StepTask[];
  readonly requests: readonly ReplanRequest[];
  readonly conversation: readonly string[];
  /** What was wrong with the last proposal. */
  readonly issues: readonly Issue[];
  /** Steps a new plan may depend on. */
  readonly existingStepIds: readonly string[];
}

export interface SupervisorRequest extends RequestBase {
  readonly role: 'supervisor';
  readonly subject: Subject;
  readonly step: StepDescription | null;
  readonly plan: ProposedPlan | null;
  readonly results: readonly OutputReference[];
  /** The key of the step's test result; null when the step was not tested, or a plan or the goal is reviewed. */
  readonly testsKey: string | null;
  readonly failed: readonly StepReason[];
}

export interface TesterRequest extends RequestBase {
  readonly role: 'tester';
  readonly step: StepDescription;
  readonly results: readonly OutputReference[];
  /** 0 for the first test run, then one more after each fix. */
  readonly cycle: number;
}

export interface SummarizerRequest extends RequestBase {
  readonly role: 'summarizer';
  readonly analysis: string;
  readonly tasks: readonly StepTask[];
  readonly results: readonly OutputReference[];
  readonly failed: readonly StepReason[];
  readonly skipped: readonly StepReason[];
}

/** One call as a chart requests it. Plain JSON. */
export type CallRequest =
  | WorkerRequest
  | PlannerRequest
  | SupervisorRequest
  | TesterRequest
  | SummarizerRequest;

/** Input of the `performCall` actor: one try of one request. */
export interface CallInput {
  readonly request: CallRequest;
  /** The request's key for the first try, `key#2` for the second. */
  readonly key: string;
  readonly isFallback: boolean;
}

/** The part of an answer that charts decide on; outputs stay outside. */
export type Answer =
  | {
      readonly role: 'worker';
      readonly report: 'done';
      readonly confidence: number | null;
      /**
       * Only in a vote: equal outputs have equal digests, whatever the order of their keys. For redacted outputs it is
       * `vote-N`: the first vote with the same output.
       */
      readonly digest?: string;
    }
  | {
      readonly role: 'worker';
      readonly report: 'needsContext';
      readonly suggestion: string;
      readonly confidence: number | null;
    }
  | {
      readonly role: 'worker';
      readonly report: 'handOff';
      readonly agent: string;
      readonly task: string;
      readonly confidence: number | null;
    }
  | {
      readonly role: 'worker';
      readonly report: 'requestReplan';
      readonly reason: string;
      readonly agents: readonly string[];
      readonly confidence: number | null;
    }
  | { readonly role: 'worker'; readonly report: 'blocked'; readonly reason: string }
  | {
      readonly role: 'worker';
      readonly report: 'askHuman';
      readonly question: string;
      readonly payload: JsonValue;
    }
  | {
      readonly role: 'planner';
      /** Null when the answer was not a plan. */
      readonly plan: ProposedPlan | null;
      readonly issues: readonly Issue[];
    }
  | {
      readonly role: 'supervisor';
      readonly score: number;
      readonly issues: readonly string[];
      readonly feedback: string;
    }
  | { readonly role: 'tester'; readonly passed: boolean; readonly failures: number }
  | { readonly role: 'summarizer' };

export type WorkerAnswer = Extract<Answer, { role: 'worker' }>;

/** The result of `performCall`. It never rejects: a failure is an outcome. */
export type CallOutcome =
  | {
      readonly kind: 'answered';
      readonly answer: Answer;
      /** Bounded, canonical JSON; null where the answer has no separate output. */
      readonly output: JsonValue;
      readonly usage: Usage | null;
    }
  | CallFailure;

/** A thrown value, for people: without its message, which is in the reason of the failure. */
export interface ErrorDetails {
  readonly name: string;
  readonly code?: string | undefined;
  /** The first lines of the stack. */
  readonly stack?: string | undefined;
}

export interface CallFailure {
  readonly kind: 'failed';
  readonly code: FailureCode;
  readonly reason: string;
  /** The usage of the failed try, when it was reported. */
  readonly usage?: Usage;
  /** What was thrown; absent when nothing was. */
  readonly error?: ErrorDetails;
}

/** A finished try. Its output is in the journal, under the key of the try. */
export type TryOutcome =
  | {
      readonly kind: 'answered';
      readonly answer: Answer;
      readonly hasOutput: boolean;
      readonly usage: Usage | null;
    }
  | CallFailure;

/** Why a try failed. */
export type FailureCode =
  | 'threw'
  | 'timeout'
  | 'invalid-output'
  | 'output-too-large'
  | 'not-serializable'
  | 'unknown-agent'
  | 'breaker-open'
  | 'budget-exhausted'
  | 'interrupted'
  | 'run-ended';

/** The result of the agentCall chart. */
export type CallResult =
  | {
      readonly kind: 'answered';
      readonly key: string;
      readonly answer: Answer;
      readonly hasOutput: boolean;
    }
  | {
      readonly kind: 'failed';
      readonly key: string;
      readonly code: FailureCode;
      readonly reason: string;
    };
