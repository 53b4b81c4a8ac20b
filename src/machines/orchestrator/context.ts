import type { RunRecovered } from '../../model/run-recovered.js';
import type { RunUpgraded } from '../../model/run-upgraded.js';
import type { Ending, Level } from '../../model/statuses.js';
import type { Proposal, OpenQuestion } from '../../model/proposal.js';
import type { Command, Route } from '../../model/commands.js';
import type { FactBody } from '../../model/facts.js';
import type { CallResult, FailureCode, ReplanRequest } from '../../model/calls.js';
import type { Usage } from '../../model/usage.js';
import type { Progress } from '../../model/progress.js';
import type { Settings } from '../../model/settings.js';
import type { VerdictSummary } from '../../model/verdict-summary.js';
import type { StepOutcome } from '../../model/step-outcome.js';

export interface OrchestratorInput {
  readonly goal: string;
  /** Part of every call's key; 'run' when the machine is run on its own. */
  readonly runId?: string;
  /** A plan to execute without asking the planner first. Checked like any other plan. */
  readonly plan?: unknown;
  /** The same, validated before the run started: the journal keeps it, so that another team replays it as it was. */
  readonly proposal?: Proposal;
  /** Handed in by the kernel, for which one chart serves every orchestrator. A machine of your own has its settings. */
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
  /** Who was rejected, as `step (agent)`, when a person's no ended it. */
  readonly rejected: string | null;
  /** Where the outputs of the completed steps are. */
  readonly outputKeys: readonly string[];
}

export interface OrchestratorContext {
  readonly settings: Settings;
  readonly runId: string;
  readonly goal: string;
  /** Null for the goal's own plan; the step it belongs to for a sub-plan. */
  readonly parentStepId: string | null;
  readonly depth: number;
  readonly limitMs: number;
  /** How long the clock's present state lasts. */
  readonly clockMs: number;
  /** Time granted by people that the clock has not used yet. */
  readonly extensionMs: number;
  /** True when only verification and summary may still happen. */
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
  /** Spent when the planner is called again or a hand-off adds a step, whether or not anything comes of it. */
  readonly replans: number;
  /** What bounds them: the policy's limit until a first plan is adopted, from then on what that plan allows. */
  readonly maxReplans: number;
  readonly plannerCalls: number;
  /** Steps that were given up for a new plan which has not come yet; they are not done, and nobody failed. */
  readonly givenUp: readonly number[];
  readonly requests: readonly ReplanRequest[];
  /** Fingerprints of the plans adopted so far, to see a planner that goes in circles. */
  readonly fingerprints: readonly string[];
  readonly ladder: {
    readonly level: Level;
    readonly consecutiveIssues: number;
    readonly feedback: string;
  };
  /** What the supervisor said last about the plan or the goal. */
  readonly review: CallResult | null;
  /** Questions waiting for a person, and the way to the chart that asked. */
  readonly questions: readonly OpenQuestion[];
  readonly answeredQuestions: readonly string[];
  /** Questions that this chart itself put to a person. */
  readonly questionCount: number;
  /** The last confidence of each agent that gave one. */
  readonly confidence: Readonly<Record<string, number>>;
  readonly spent: {
    /** Calls that were asked for and not refused by a budget; a breaker may have refused them. */
    readonly agentCalls: number;
    readonly tokens: number;
    readonly costUsd: number;
  };
  /** How often the run was taken over from a process that died: as it was told last, and when it last came on. */
  readonly takeovers: { readonly seen: number; readonly atProgress: number };
  readonly summaryKey: string | null;
  readonly ending: Ending | null;
  /** Who a person said no to, as `step (agent)`, when that ends the run. */
  readonly rejected: string | null;
}

/** What children tell their parent, all the way up to the root. */
export type Report =
  | ({ readonly type: 'verdict.given' } & VerdictSummary)
  | {
      readonly type: 'approval.requested';
      readonly requestId: string;
      readonly stepId: string | null;
      readonly route: Route;
    }
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
  | RunRecovered
  | RunUpgraded
  | Report
  | PermitAnswer
  /** From the chart to itself: what the last transition asked for is done. */
  | { readonly type: 'turn.taken' }
  /** From the run above, when it winds down; only sub-plans hear it. */
  | { readonly type: 'run.windDown' }
  /** What a pause and its end come down to, here and in every sub-plan: facts tell of them once, at the root. */
  | { readonly type: 'run.hold' }
  | { readonly type: 'run.release' }
  | { readonly type: 'time.isUp' }
  /** A verdict has moved the escalation ladder, perhaps to where it was. */
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

/** What becomes of a run at one event: the next context, and the facts to announce. */
export interface Update {
  readonly context: OrchestratorContext;
  readonly facts: readonly FactBody[];
}
