import type { Ballot, StepFailure } from '../../model/step-outcome.js';
import type {
  CallResult,
  FeedbackReference,
  OutputReference,
  ReplanRequest,
} from '../../model/calls.js';
import type { JsonValue } from '../../canonical-json.js';
import type { Votes } from '../../model/plan.js';
import type { PermitAnswer, Report, RunOutcome } from '../orchestrator/context.js';
import type { ApprovalAnswer } from '../../model/commands.js';
import type { Settings } from '../../model/settings.js';
import type { VerdictSummary } from '../../model/verdict-summary.js';
import type { ApprovalOutcome } from '../approval/context.js';

export interface StepInput {
  readonly runId: string;
  /** The path of step ids from the goal's plan down: 's2' or, in a sub-plan of it, 's2/s1'. */
  readonly stepId: string;
  readonly agent: string;
  readonly task: string;
  /** 'Step 2 of 3' */
  readonly position: string;
  readonly goal: string;
  readonly summary: string;
  readonly depth: number;
  readonly dependencies: readonly OutputReference[];
  /** The supervisor's guidance at the run's escalation level. */
  readonly feedback: readonly FeedbackReference[];
  /** What people had said when the step started. */
  readonly conversation: readonly string[];
  /** Why a person must approve the step before it starts; null without a question. */
  readonly approvalQuestion: string | null;
  /** How many votes its plan asks for and how the winner is chosen; null when the agent is called once. */
  readonly votes: Votes | null;
  /** How long the step may work, without the time spent waiting for people. */
  readonly budgetMs: number;
  readonly fixBudgetMs: number;
  readonly settings: Settings;
}

export interface StepContext extends StepInput {
  /** What is left of `budgetMs` for the work, as far as it is measured: see `tickMs` in src/guards/step.ts. */
  readonly remainingMs: number;
  /** True while the run is paused: a sub-plan that starts now waits. */
  readonly isPaused: boolean;
  /** True when the run winds down: calls in flight finish, and no new call is made. */
  readonly isWindingDown: boolean;
  /** Attempts at the step, the present one included. */
  readonly attempt: number;
  readonly fixCycles: number;
  /** Questions put to a person so far. */
  readonly questions: number;
  /** Questions asked by the agent; bounded by `approval.maxQuestions`. */
  readonly agentQuestions: number;
  /** The open question to a person; null without one. */
  readonly question: Question | null;
  /** Keys of the outputs the step will end with. */
  readonly outputKeys: readonly string[];
  readonly confidence: number | null;
  /** The finished calls of the present vote, in order; the output of each is in the journal. */
  readonly ballots: readonly Ballot[];
  /** The key of the last test result; null before the tests ran. */
  readonly testsKey: string | null;
  /** Set when the agent asked for another plan. */
  readonly request: ReplanRequest | null;
  readonly handOff: { readonly agent: string; readonly task: string } | null;
  /** The verdict that confirmed the step; null before that. */
  readonly verdict: VerdictSummary | null;
  /** Why the present attempt failed; null while it has not. */
  readonly failure: StepFailure | null;
}

export interface Question {
  readonly requestId: string;
  readonly text: string;
  readonly payload: JsonValue;
  /** True when the agent asked in the middle of its work; the answer is then feedback. */
  readonly isFromAgent: boolean;
}

export type StepEvent =
  | { readonly type: 'step.skip'; readonly reason: string }
  | { readonly type: 'run.windDown' }
  | { readonly type: 'run.hold' }
  | { readonly type: 'run.release' }
  /** A tenth of the step's budget was used. */
  | { readonly type: 'budget.tick' }
  /** The remaining budget is reserved for the sub-plan to end. */
  | { readonly type: 'time.isShort' }
  | ApprovalAnswer
  | PermitAnswer
  | Report
  | { readonly type: 'xstate.done.actor.agentCall'; readonly output: CallResult }
  | { readonly type: 'xstate.done.actor.approval'; readonly output: ApprovalOutcome }
  | { readonly type: 'xstate.done.actor.subplan'; readonly output: RunOutcome };
