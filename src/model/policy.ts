/**
 * The policy of a run: every bound and every choice that its charts follow.
 *
 * Limits are finite by type. Where null is allowed the option says what it means; undefined never means "no limit", it
 * means the default.
 */

/** How much a run may do. */
export interface LimitsPolicy {
  /** Calls of the planner after the first plan, for any reason. Minimum: 0. @default 3 */
  readonly maxReplans: number;
  /**
   * Nested levels of sub-plans below the plan of the goal; 0 means none. Range: 0 to 8.
   * @default 3
   */
  readonly maxDepth: number;
  /**
   * Times one step is attempted before it fails or gets a sub-plan. Minimum: 1.
   * @default 3
   */
  readonly maxAttempts: number;
  /** Rounds of fixing and testing within one attempt of a step. Minimum: 0. @default 3 */
  readonly maxFixCycles: number;
  /** Steps that run at the same time. Range: 1 to 1000. @default 5 */
  readonly maxParallel: number;
  /** Steps a plan may have. Range: 1 to 1,000,000. @default 15 */
  readonly maxSteps: number;
  /**
   * Votes a step may ask for: calls of the same task, of which one answer is chosen. 1 means no voting. Range: 1 to 9.
   * @default 1
   */
  readonly maxVotes: number;
  /**
   * Consecutive times a stored run may be taken over from a process that died, without a step completed or a plan
   * adopted in between. The next takeover ends the run. Range: 0 to 1,000,000.
   * @default 5
   */
  readonly maxRecoveries: number;
  /** Failed steps a run tolerates; null derives `max(2, ceil(steps / 3))`. Minimum: 0. @default null */
  readonly maxFailures: number | null;
  /**
   * Calls in the whole run, counted when they are requested: a call that a breaker refuses counts too. Null turns the
   * bound off. Minimum: 1.
   * @default null
   */
  readonly maxAgentCalls: number | null;
  /**
   * Tokens in the whole run, input and output; null turns the bound off. Minimum: 1.
   * @default null
   */
  readonly maxTokens: number | null;
  /** Cost of the whole run; null turns the bound off. Greater than 0. @default null */
  readonly maxCostUsd: number | null;
  /** Size of one agent output as canonical JSON. Minimum: 1024. @default 1_048_576 */
  readonly maxOutputBytes: number;
}

/** How long a run and its parts may take. */
export interface TimePolicy {
  /** The whole run. Minimum: 1. @default 3_600_000 (one hour) */
  readonly limitMs: number;
  /** One planning phase, and one review of its plan; null derives `min(10 % of limitMs, 15 minutes)`. @default null */
  readonly planningMs: number | null;
  /**
   * The verification of the goal; null derives `min(10 % of limitMs, 10 minutes)`.
   * @default null
   */
  readonly verificationMs: number | null;
  /**
   * One try of one call. Null: the time that its step or phase has left. Minimum: 1.
   * @default 60_000
   */
  readonly stepTimeoutMs: number | null;
  /**
   * True: a whole step gets the execution time divided by the number of steps, and a fix cycle 30 % of that. False: a
   * step may use all the execution time that is left. Waiting for people does not count; after their answer a step
   * continues with the rest of its share. @default false
   */
  readonly stepShare: boolean;
  /** How long work in flight may take to finish when the run winds down. Minimum: 0. @default 5_000 */
  readonly graceMs: number;
}

/** Replans by the most complex step of the first plan. */
export interface ReplansByComplexity {
  /** Minimum: 0, maximum: `limits.maxReplans`. */
  readonly simple: number;
  /** Minimum: 0, maximum: `limits.maxReplans`. */
  readonly medium: number;
  /** Minimum: 0, maximum: `limits.maxReplans`. */
  readonly complex: number;
}

/** How a new plan changes the old one, and when to stop replanning. */
export interface ReplanPolicy {
  /**
   * A tighter bound than `limits.maxReplans`, by the most complex step of the first adopted plan. Later plans do not
   * change it. Null: `limits.maxReplans` is the bound. @default null
   */
  readonly maxByComplexity: ReplansByComplexity | null;
  /**
   * `replacePending` lets running steps finish and replaces pending ones; `append` adds new steps at the end;
   * `appendNext` adds them in front of the pending ones; `replaceAll` starts over: running steps are given up before
   * the planner is called, pending ones are replaced, and only completed and failed steps stay, as history. @default
   * 'replacePending'
   */
  readonly merge: 'replacePending' | 'append' | 'appendNext' | 'replaceAll';
  /** Which of several requests made at once reach the planner. @default 'batch' */
  readonly coalesce: 'batch' | 'first' | 'highestConfidence';
  /**
   * At the replan bound: continue without replans, finish the running steps and end, fail, or ask a person.
   * @default 'continue'
   */
  readonly onLimit: 'continue' | 'finish' | 'fail' | 'askHuman';
  /** Treats a plan that was already adopted as a reached limit, because it would loop. @default true */
  readonly stopOnRepeatedPlan: boolean;
}

/** How a failure affects the rest of the run. */
export interface FailurePolicy {
  /** `replan` while the budget lasts, then as `continue`. @default 'replan' */
  readonly onStepFailure: 'replan' | 'continue' | 'stop';
  /** What happens to steps that depend on a failed one. @default 'skip' */
  readonly onDependencyFailure: 'skip' | 'run' | 'stop';
  /** `interrupt` waits for a person to unpause or abort the run. @default 'end' */
  readonly onPlannerFailure: 'end' | 'interrupt';
}

/** When a person is asked for approval. */
export interface ApprovalPolicy<AgentName extends string = string> {
  /** Ask before a plan is executed. @default false */
  readonly plan: boolean;
  /** Ask before a step of these agents. @default [] */
  readonly agents: readonly AgentName[];
  /** Ask when the agent's last confidence was lower than this; null never asks. Range: 0 to 1. @default null */
  readonly confidenceBelow: number | null;
  /**
   * Do not ask about `agents` where the plan that brings the step has the scope `trivial`. Waives no other question: not
   * `plan`, not `confidenceBelow`, not a step's own `requiresApproval`, and none about a handed-off step. @default false
   */
  readonly autoApproveTrivial: boolean;
  /** How long to wait for an answer. Minimum: 1. @default 900_000 (15 minutes) */
  readonly timeoutMs: number;
  /** What a missing answer counts as. @default 'reject' */
  readonly onTimeout: 'reject' | 'approve';
  /** Questions the agent of one step may ask a person; with one more it is blocked. Range: 0 to 100. @default 5 */
  readonly maxQuestions: number;
  /**
   * What a rejection does; the rejected step never runs. `replan` asks the planner again. `skip` skips the step, and
   * keeps the present plan when a revision is rejected; a rejected first plan ends the run. `fail` ends the run at
   * once. @default 'replan'
   */
  readonly onReject: 'replan' | 'skip' | 'fail';
}

/**
 * The supervisor's score, 0 to 100, that passes each gate; null turns the gate off.
 * @default null
 */
export interface GatesPolicy {
  readonly plan: number | null;
  readonly code: number | null;
  readonly step: number | null;
  readonly goal: number | null;
}

/** Scores below which a level of the ladder is reached. Range: 0 to 100, strictly descending. */
export interface EscalationScores {
  /** @default 70 */
  readonly remind: number;
  /** @default 50 */
  readonly correct: number;
  /** @default 30 */
  readonly refocus: number;
}

/** Issues in a row from which a level of the ladder is reached. Minimum: 1, strictly ascending. */
export interface EscalationIssues {
  /** @default 2 */
  readonly correct: number;
  /** @default 3 */
  readonly refocus: number;
  /** @default 4 */
  readonly critical: number;
  /** Ends the run. @default 5 */
  readonly abort: number;
}

/** The escalation ladder. Score and issues both propose a level; the more severe one wins. */
export interface EscalationPolicy {
  readonly scores: EscalationScores;
  readonly issues: EscalationIssues;
}

/** What happens when a call throws or times out. */
export interface RetryPolicy {
  /** Tries of one call, the first included. Range: 1 to 10. @default 3 */
  readonly attempts: number;
  /** Wait before the second try; doubles from try to try. Minimum: 0. @default 1_000 */
  readonly backoffMs: number;
  /** The maximum of every wait, including the first. Minimum: 0. @default 30_000 */
  readonly maxBackoffMs: number;
  /** Use the agent's fallback, if it has one, when all tries have failed. @default true */
  readonly fallback: boolean;
}

/** When calls of an agent that keeps failing are refused without trying; `limits.maxAgentCalls` still counts them. */
export interface BreakerPolicy {
  /** Failures in a row that open the breaker. Minimum: 1. */
  readonly failures: number;
  /** How long it stays open before one probe is permitted. Minimum: 1. */
  readonly resetMs: number;
}

/** How much history an agent or a planner receives. */
export interface ContextPolicy {
  /** Messages of the conversation before it is trimmed. Minimum: 1. @default 20 */
  readonly maxMessages: number;
  /** Tokens of one agent output as shown to others. Minimum: 1. @default 2_000 */
  readonly maxOutputTokens: number;
  /** Characters of one result as shown to the planner. Minimum: 1. @default 200 */
  readonly summaryCharacters: number;
}

/** All bounds and choices of a run. Made by `definePolicy` or a preset; deeply frozen. */
export interface Policy<AgentName extends string = string> {
  readonly limits: LimitsPolicy;
  readonly time: TimePolicy;
  readonly replan: ReplanPolicy;
  readonly failure: FailurePolicy;
  readonly approval: ApprovalPolicy<AgentName>;
  readonly gates: GatesPolicy;
  readonly escalation: EscalationPolicy;
  readonly retry: RetryPolicy;
  /** Null: no breaker. @default null */
  readonly breaker: BreakerPolicy | null;
  readonly context: ContextPolicy;
}

/** Some options of a section; undefined means the default, as if the option were missing. */
type Overrides<Section> = { readonly [Name in keyof Section]?: Section[Name] | undefined };

/** Some options of a policy, at any depth. Lists are replaced as a whole. */
export interface PolicyOverrides<AgentName extends string = string> {
  readonly limits?: Overrides<LimitsPolicy> | undefined;
  readonly time?: Overrides<TimePolicy> | undefined;
  readonly replan?: Overrides<ReplanPolicy> | undefined;
  readonly failure?: Overrides<FailurePolicy> | undefined;
  readonly approval?: Overrides<ApprovalPolicy<AgentName>> | undefined;
  readonly gates?: Overrides<GatesPolicy> | undefined;
  readonly escalation?:
    | {
        readonly scores?: Overrides<EscalationScores> | undefined;
        readonly issues?: Overrides<EscalationIssues> | undefined;
      }
    | undefined;
  readonly retry?: Overrides<RetryPolicy> | undefined;
  readonly breaker?: Overrides<BreakerPolicy> | null | undefined;
  readonly context?: Overrides<ContextPolicy> | undefined;
}
