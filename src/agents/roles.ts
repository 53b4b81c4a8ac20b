import type { StepReason, StepTask, ReplanRequest, Subject } from '../model/calls.js';
import type { Policy } from '../model/policy.js';
import type { Dependency, Agent, AgentCall } from './agent.js';
import type { Issue } from '../errors.js';
import type { Plan } from '../model/plan.js';
import type { TestResult, Verdict } from './verdict.js';
import type { JsonValue } from '../canonical-json.js';
import type { Usage } from '../model/usage.js';

/** A step that failed, as planners, supervisors and summarizers are told of it. */
export type FailedStep = StepReason;

export interface RequestBase {
  readonly goal: string;
  /** 0 for the goal's own plan, 1 and more for sub-plans. */
  readonly depth: number;
  /** Names this call for ever: the same after a crash. */
  readonly key: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** What a planner is asked. */
export interface PlanRequest extends RequestBase {
  /** 0 for the first plan. */
  readonly revision: number;
  /** The team: a plan may name no other agents. */
  readonly agents: readonly { readonly name: string; readonly description: string }[];
  readonly limits: {
    readonly maxSteps: number;
    /** The bound that is in force; 0 for a sub-plan. */
    readonly maxReplans: number;
    /** The most votes a step may ask for; 1 is no voting. */
    readonly maxVotes: number;
  };
  /** What becomes of the pending steps when the plan is adopted: `policy.replan.merge`. */
  readonly merge: Policy['replan']['merge'];
  /** The analysis of the plan that is in force, as its planner gave it; empty before the first. */
  readonly analysis: string;
  readonly completed: readonly Dependency[];
  readonly failed: readonly FailedStep[];
  readonly pending: readonly StepTask[];
  /** Why there is to be another plan. */
  readonly requests: readonly ReplanRequest[];
  /** What people said to the run, oldest first: the last `policy.context.maxMessages` texts. */
  readonly conversation: readonly string[];
  /** What was wrong with the last proposal. */
  readonly issues: readonly Issue[];
}

/** What a supervisor is asked. */
export interface ReviewRequest extends RequestBase {
  readonly subject: Subject;
  /** The score the policy asks for. */
  readonly threshold: number;
  readonly step: { readonly id: string; readonly task: string; readonly attempt: number } | null;
  readonly plan: Plan | null;
  readonly results: readonly Dependency[];
  /** What the tester said about the step, word for word; null when it was not tested, or something else is judged. */
  readonly tests: TestResult | null;
  readonly failed: readonly FailedStep[];
}

/** What a tester is asked. */
export interface TestRequest extends RequestBase {
  readonly step: { readonly id: string; readonly task: string; readonly attempt: number };
  readonly output: JsonValue;
  /** 0 for the first run, then one more after each fix. */
  readonly cycle: number;
}

/** What a summarizer is asked, once, about a run of more than one task. */
export interface SummaryRequest extends RequestBase {
  /** The planner's, of the plan that was adopted last. */
  readonly analysis: string;
  /** Every task there was, in the order of the plans; one that is in no list below was left undone. */
  readonly tasks: readonly StepTask[];
  readonly results: readonly Dependency[];
  readonly failed: readonly FailedStep[];
  /** Taken off the plan by a person or a later plan, or behind a step that failed. */
  readonly skipped: readonly StepReason[];
}

/** A summary, and what it has cost. A text alone will do. */
export interface Summary {
  readonly text: string;
  readonly usage?: Usage;
}

export type Awaitable<Value> = Value | Promise<Value>;

export type Planner<AgentName extends string = string> = (
  request: PlanRequest,
) => Awaitable<Plan<AgentName>>;

export type Supervisor = (request: ReviewRequest) => Awaitable<Verdict>;

export type Tester = (request: TestRequest) => Awaitable<TestResult>;

export type Summarizer = (request: SummaryRequest) => Awaitable<string | Summary>;

/** Where an agent's work is done; by default right here. Replace it to send calls elsewhere. */
export type Dispatcher = (agent: Agent, call: AgentCall) => unknown;
