import type { CalledRun } from '../model/called-run.js';
import type { StepReason, StepTask, ReplanRequest, Subject } from '../model/calls.js';
import type { Policy } from '../model/policy.js';
import type { Dependency, Agent, AgentCall } from './agent.js';
import type { Issue } from '../errors.js';
import type { Plan } from '../model/plan.js';
import type { TestResult, Verdict } from './verdict.js';
import type { JsonValue } from '../canonical-json.js';
import type { Usage } from '../model/usage.js';
import type * as z from 'zod/mini';

/** Checks the input of a run: any schema of zod 4. `Given` is what `start` takes, `Input` what calls receive. */
export type InputSchema<Input, Given> = z.core.$ZodType<Input, Given>;

/** A failed step, as planners, supervisors and summarizers see it. */
export type FailedStep = StepReason;

export interface RequestBase<Input = JsonValue> extends CalledRun<Input> {
  readonly goal: string;
  /** 0 for the goal's own plan, 1 and more for sub-plans. */
  readonly depth: number;
  /** The idempotency key of this call: the same after a crash. */
  readonly key: string;
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** The request a planner receives. */
export interface PlanRequest<Input = JsonValue> extends RequestBase<Input> {
  /** 0 for the first plan. */
  readonly revision: number;
  /** The team. A plan may name only these agents. */
  readonly agents: readonly { readonly name: string; readonly description: string }[];
  readonly limits: {
    readonly maxSteps: number;
    /** The replan bound in force; 0 for a sub-plan. */
    readonly maxReplans: number;
    /** The most votes a step may ask for; 1 means no voting. */
    readonly maxVotes: number;
  };
  /** What happens to the pending steps when the plan is adopted: `policy.replan.merge`. */
  readonly merge: Policy['replan']['merge'];
  /** The planner's analysis from the plan in force; empty before the first. */
  readonly analysis: string;
  readonly completed: readonly Dependency[];
  readonly failed: readonly FailedStep[];
  readonly pending: readonly StepTask[];
  /** The reasons for another plan. */
  readonly requests: readonly ReplanRequest[];
  /** What people said to the run, oldest first: the last `policy.context.maxMessages` texts. */
  readonly conversation: readonly string[];
  /** What was wrong with the last proposal. */
  readonly issues: readonly Issue[];
}

/** The request a supervisor receives. */
export interface ReviewRequest<Input = JsonValue> extends RequestBase<Input> {
  readonly subject: Subject;
  /** The score the policy asks for. */
  readonly threshold: number;
  readonly step: { readonly id: string; readonly task: string; readonly attempt: number } | null;
  readonly plan: Plan | null;
  readonly results: readonly Dependency[];
  /** The tester's result for the step; null when the step was not tested, or a plan or the goal is reviewed. */
  readonly tests: TestResult | null;
  readonly failed: readonly FailedStep[];
}

/** The request a tester receives. */
export interface TestRequest<Input = JsonValue> extends RequestBase<Input> {
  readonly step: { readonly id: string; readonly task: string; readonly attempt: number };
  readonly output: JsonValue;
  /** 0 for the first test run, then one more after each fix. */
  readonly cycle: number;
}

/** The request a summarizer receives, once, about a run of more than one task. */
export interface SummaryRequest<Input = JsonValue> extends RequestBase<Input> {
  /** The planner's analysis from the plan that was adopted last. */
  readonly analysis: string;
  /** Every task, in the order of the plans. A task that is in no list below was not done. */
  readonly tasks: readonly StepTask[];
  readonly results: readonly Dependency[];
  readonly failed: readonly FailedStep[];
  /** Skipped by a person or a later plan, or because a dependency failed. */
  readonly skipped: readonly StepReason[];
}

/** A summary and its usage. A plain text is accepted, too. */
export interface Summary {
  readonly text: string;
  readonly usage?: Usage;
}

export type Awaitable<Value> = Value | Promise<Value>;

export type Planner<AgentName extends string = string, Input = JsonValue> = (
  request: PlanRequest<Input>,
) => Awaitable<Plan<AgentName>>;

export type Supervisor<Input = JsonValue> = (request: ReviewRequest<Input>) => Awaitable<Verdict>;

export type Tester<Input = JsonValue> = (request: TestRequest<Input>) => Awaitable<TestResult>;

export type Summarizer<Input = JsonValue> = (
  request: SummaryRequest<Input>,
) => Awaitable<string | Summary>;

/** Runs an agent's work; by default in this process. Replace it to send calls elsewhere. */
export type Dispatcher = (agent: Agent, call: AgentCall) => unknown;
