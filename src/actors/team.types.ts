import type { Agent, AgentCall, Dependency } from '../agents/agent.js';
import type { Usage } from '../agents/report.js';
import type { TestResult, Verdict } from '../agents/verdict.js';
import type { JsonValue } from '../canonical-json.js';
import type { Issue } from '../errors.js';
import type { AdoptionRules } from '../plan/adopt.js';
import type { Plan } from '../plan/plan.js';
import type {
  CallInput,
  CallOutcome,
  ReplanRequest,
  StepReason,
  StepTask,
  Subject,
} from './call.types.js';

/** A step that failed, as planners, supervisors and summarizers are told of it. */
export type FailedStep = StepReason;

interface RequestBase {
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
  readonly merge: AdoptionRules['merge'];
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

type Awaitable<Value> = Value | Promise<Value>;

export type Planner<AgentName extends string = string> = (
  request: PlanRequest,
) => Awaitable<Plan<AgentName>>;
export type Supervisor = (request: ReviewRequest) => Awaitable<Verdict>;
export type Tester = (request: TestRequest) => Awaitable<TestResult>;
export type Summarizer = (request: SummaryRequest) => Awaitable<string | Summary>;

/** Where an agent's work is done; by default right here. Replace it to send calls elsewhere. */
export type Dispatcher = (agent: Agent, call: AgentCall) => unknown;

/** Everybody who can be called, and the bounds their answers are held to. */
export interface Callable {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly planner: Planner | undefined;
  readonly supervisor: Supervisor | undefined;
  readonly tester: Tester | undefined;
  readonly summarizer: Summarizer | undefined;
  readonly dispatcher: Dispatcher;
  readonly maxOutputBytes: number;
  readonly maxSteps: number;
  readonly maxVotes: number;
  readonly thresholds: Readonly<Record<Subject, number | null>>;
  /** Applied to what a plan says before it is quoted and cut. Leaves texts as they are unless given. */
  readonly redactText?: RedactText | undefined;
}

/** Takes out of a text what must not be written down. */
export type RedactText = (text: string) => string;

/** Finds an output by the key of the call that gave it. */
export type OutputLookup = (key: string) => JsonValue | undefined;

/** What a call is made with besides its input. */
export interface CallSurroundings {
  readonly signal: AbortSignal;
  readonly outputs: OutputLookup;
  /**
   * Asked right before an agent is called: a promise to wait for when this process may have lost its run to another one. The
   * signal is aborted when it has.
   */
  readonly confirm?: () => Promise<void> | undefined;
}

/** Makes one try of one call. Never rejects. */
export type Perform = (input: CallInput, surroundings: CallSurroundings) => Promise<CallOutcome>;
