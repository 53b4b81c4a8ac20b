import type { RunRecovered } from '../../model/run-recovered.js';
import type { RunUpgraded } from '../../model/run-upgraded.js';
import type { Bound, Ending, Level } from '../../model/statuses.js';
import type { JsonValue } from '../../canonical-json.js';
import type { Labels } from '../../model/called-run.js';
import type { Proposal, OpenQuestion } from '../../model/proposal.js';
import type { ApprovalAnswer, Command, Route } from '../../model/commands.js';
import type { FactBody } from '../../model/facts.js';
import type { CallResult, FailureCode, ReplanRequest } from '../../model/calls.js';
import type { Usage } from '../../model/usage.js';
import type { Progress } from '../../model/progress.js';
import type { Settings } from '../../model/settings.js';
import type { VerdictSummary } from '../../model/verdict-summary.js';
import type { StepOutcome } from '../../model/step-outcome.js';

export interface OrchestratorInput {
  readonly goal: string;
  /** Part of every call's key; 'run' when the machine runs on its own. */
  readonly runId?: string;
  /** Handed to every agent and role. Any JSON; not checked here. */
  readonly input?: JsonValue | undefined;
  /** Handed to every agent and role. */
  readonly labels?: Labels;
  /** A plan to execute without asking the planner first. Checked like any other plan. */
  readonly plan?: unknown;
  /**
   * The same plan, validated before the run started. The journal keeps it, so that another team replays it unchanged.
   */
  readonly proposal?: Proposal;
  /** Given by the kernel, for which one chart serves every orchestrator. A standalone machine has its own settings. */
  readonly settings?: Settings;
  /** Set by the step chart when a sub-plan is made. */
  readonly nested?: {
    readonly parentStepId: string;
    readonly depth: number;
    readonly limitMs: number;
    /** True when the run above was paused before the sub-plan was made. */
    readonly isPaused: boolean;
    readonly conversation: readonly string[];
  };
}

/** What the chart ends with. The full report is a reduction of the facts. */
export interface RunOutcome extends Ending {
  /** The rejected `step (agent)`, when a rejection ended the run. */
  readonly rejected: string | null;
  /** The keys of the completed steps' outputs. */
  readonly outputKeys: readonly string[];
}

export interface OrchestratorContext {
  readonly settings: Settings;
  readonly runId: string;
  readonly goal: string;
  /** The input of the run. Null without one, and in a sub-plan: calls get it from the root. */
  readonly input: JsonValue;
  readonly labels: Labels;
  /** Null for the goal's own plan; the parent step for a sub-plan. */
  readonly parentStepId: string | null;
  readonly depth: number;
  readonly limitMs: number;
  /** The duration of the clock's present state. */
  readonly clockMs: number;
  /** Time granted by people that the clock has not used yet. */
  readonly extensionMs: number;
  /** True when only verification and summary are still allowed. */
  readonly isExecutionClosed: boolean;
  readonly isPaused: boolean;
  /** What people said last, oldest first: at most `policy.context.maxMessages` texts. */
  readonly conversation: readonly string[];
  readonly proposal: Proposal | null;
  /** Revisions adopted so far; -1 before the first. */
  readonly revision: number;
  readonly analysis: string;
  readonly progress: Progress;
  /** Step index by slot; null is a free slot. */
  readonly slots: readonly (number | null)[];
  /** Spent when the planner is called again or a hand-off adds a step, even if that call fails. */
  readonly replans: number;
  /** The replan bound: the policy's limit until a first plan is adopted, then what that plan allows. */
  readonly maxReplans: number;
  readonly plannerCalls: number;
  /** Steps that were given up for a new plan that is still to come. They have neither completed nor failed. */
  readonly givenUp: readonly number[];
  readonly requests: readonly ReplanRequest[];
  /** Fingerprints of the plans adopted so far, to detect a planner that repeats itself. */
  readonly fingerprints: readonly string[];
  readonly ladder: {
    readonly level: Level;
    readonly consecutiveIssues: number;
    readonly feedback: string;
  };
  /** The supervisor's last answer about the plan or the goal. */
  readonly review: CallResult | null;
  /** Open questions to people, and the route to the chart that asked. */
  readonly questions: readonly OpenQuestion[];
  readonly answeredQuestions: readonly string[];
  /** The number of questions that this chart itself asked. */
  readonly questionCount: number;
  /** The last confidence of each agent that gave one. */
  readonly confidence: Readonly<Record<string, number>>;
  readonly spent: {
    /** Calls that were requested and not refused by a budget; a breaker may have refused them. */
    readonly agentCalls: number;
    readonly tokens: number;
    readonly costUsd: number;
  };
  /** How often the run was taken over from a process that died: the last count, and the count at its last progress. */
  readonly takeovers: { readonly seen: number; readonly atProgress: number };
  readonly summaryKey: string | null;
  readonly ending: Ending | null;
  /** The rejected `step (agent)`, when the rejection ends the run. */
  readonly rejected: string | null;
  /** The first bound at which a request was refused; null without one. */
  readonly refused: Bound | null;
  /** A step that is not resolved used up the execution time. */
  readonly isTimeUsedUp: boolean;
}

/** Events that children send to their parent, all the way up to the root. */
export type Report =
  | ({ readonly type: 'verdict.given' } & VerdictSummary)
  | ({ readonly type: 'approval.requested' } & OpenQuestion)
  /** A request was refused at this bound. */
  | { readonly type: 'bound.reached'; readonly bound: Bound }
  | { readonly type: 'approval.closed'; readonly requestId: string }
  | { readonly type: 'permit.requested'; readonly agent: string; readonly route: Route }
  | {
      readonly type: 'call.settled';
      readonly agent: string;
      readonly hasSucceeded: boolean;
      readonly usage: Usage | null;
    };

export type PermitAnswer =
  | { readonly type: 'permit.granted'; readonly route: Route }
  | { readonly type: 'permit.refused'; readonly route: Route; readonly code: FailureCode };

export type OrchestratorEvent =
  | Command
  | ApprovalAnswer
  | RunRecovered
  | RunUpgraded
  | Report
  | PermitAnswer
  /** From the chart to itself: what the last transition requested is done. */
  | { readonly type: 'turn.taken' }
  /** From the run above, when it winds down; only sub-plans receive it. */
  | { readonly type: 'run.windDown' }
  /** A pause or unpause, here and in every sub-plan; the root tells the fact once. */
  | { readonly type: 'run.hold' }
  | { readonly type: 'run.release' }
  | { readonly type: 'time.isUp' }
  /** A verdict was applied to the escalation ladder; the level may be unchanged. */
  | { readonly type: 'ladder.moved' }
  | {
      readonly type: `xstate.done.actor.slot-${number}`;
      readonly actorId: string;
      readonly output: StepOutcome;
    }
  | {
      readonly type: `xstate.error.actor.slot-${number}`;
      readonly actorId: string;
      readonly error: unknown;
    };

/** The result of one event: the next context, and the facts to emit. */
export interface Update {
  readonly context: OrchestratorContext;
  readonly facts: readonly FactBody[];
}
