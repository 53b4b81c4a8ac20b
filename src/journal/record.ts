import type { JsonValue } from '../canonical-json.js';
import type { Labels } from '../model/called-run.js';
import type { AnyTeam } from '../model/outputs.js';
import type { Level, RunStatus } from '../model/statuses.js';
import type { Fact, FactBody } from '../model/facts.js';
import { applyFact } from './record-reduction.js';
import { initialState, recordOf } from './record-state.js';

/** The state of a run, reduced from its facts only. Times are milliseconds of the run's clock. */
export interface RunRecord<Team extends AnyTeam = AnyTeam> {
  readonly runId: string;
  readonly goal: string;
  /** The labels that the run was started with. */
  readonly labels: Labels;
  /** `detached`: the run goes on elsewhere, and this process no longer drives it. It is never stored. */
  readonly status: 'running' | 'detached' | RunStatus;
  /**
   * The phase the goal's own plan entered last; null before the first, `ended` after the run. Sub-plans have phases of
   * their own.
   */
  readonly phase: Phase | 'ended' | null;
  /** Since when a person has paused the run; null when it is not paused. */
  readonly pausedAt: number | null;
  /** How long the run could only wait for people: it was paused, or a question was open, and no call was in flight. */
  readonly waitedMs: number;
  /** The rest of its time so far. */
  readonly workedMs: number;
  /** Why the run ended, or why this process detached from it; null while it is running. */
  readonly reason: string | null;
  readonly escalation: Level;
  /** What the goal's own plan has spent of `maxReplans`; sub-plans count in `metrics.replanCount` only. */
  readonly replans: number;
  /** Null until the first replan, which states the bound. */
  readonly maxReplans: number | null;
  /** In order of adoption. Steps of a sub-plan have the path of their step in front: 's2/s1'. */
  readonly steps: readonly StepRecord<Team>[];
  readonly plans: readonly PlanRecord[];
  readonly openApprovals: readonly OpenApproval[];
  readonly approvals: readonly ApprovalRecord[];
  readonly verdicts: readonly VerdictRecord[];
  readonly escalations: readonly EscalationRecord[];
  /** Tries of the planner that failed and plans that were rejected, in order, those of sub-plans included. */
  readonly planningFailures: readonly PlanningFailure[];
  /** Requests that a bound refused, in order. */
  readonly refused: readonly RefusedRequest[];
  /** What people said, in order. */
  readonly conversation: readonly string[];
  readonly metrics: RunMetrics;
  readonly usage: RunUsage;
  /** The summarizer's text; null when there is none. */
  readonly summary: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

export type Phase = FactBody<'phase.entered'>['phase'];

export type StepStatus =
  | 'pending'
  | 'running'
  | 'awaitingApproval'
  /** A sub-plan works on it. */
  | 'blocked'
  | 'completed'
  | 'failed'
  | 'skipped'
  | 'cancelled';

/** A step as a plan names it. */
export type PlannedStepRecord = Readonly<
  Omit<FactBody<'plan.adopted'>['steps'][number], 'dependsOn'>
> & { readonly dependsOn: readonly string[] };

/**
 * One step, from its adoption to its end. `output` is the agent's output; a list of values when a sub-plan of several
 * steps did the work; null without an output. `isWhole` says that it is the finished answer of the step's own agent:
 * then it has the type of that agent's schema. Partial work and outputs of sub-plans are not checked by it.
 */
export type StepRecord<Team extends AnyTeam = AnyTeam> = StepState & Team;

/** One step without its output. */
export interface StepState extends Omit<PlannedStepRecord, 'agent'> {
  readonly status: StepStatus;
  /** 0 before it started. */
  readonly attempts: number;
  /** Keys of the `agent.answered` facts that hold the output. */
  readonly outputKeys: readonly string[];
  /** Why it failed, was skipped or was cancelled; null otherwise. */
  readonly reason: string | null;
  /** The kind of failure; null when it did not fail. */
  readonly code: string | null;
  /** An answer came from the agent's fallback. */
  readonly usedFallback: boolean;
  /** The agent's confidence in the last answer; null when it gave none. */
  readonly confidence: number | null;
  /** What its calls reported, those of reviews and tests included; without its sub-plan. */
  readonly usage: RunUsage;
  /** How long it waited for people. */
  readonly waitedMs: number;
  /** The last vote on it; null without votes. */
  readonly votes: VotesRecord | null;
  /** The plan revision that added it. */
  readonly revision: number;
  /** 0 in the goal's own plan, one more in every sub-plan. */
  readonly depth: number;
  /** The step whose sub-plan it belongs to; null in the goal's own plan. */
  readonly parentStepId: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly durationMs: number | null;
}

/** A vote on one step: the same task, asked several times. */
export interface VotesRecord {
  readonly choose: FactBody<'vote.cast'>['choose'];
  /** The maximum number of votes. */
  readonly of: number;
  readonly cast: readonly VoteRecord[];
  /** False while it is open, and when something else ended it, such as a question. */
  readonly isDecided: boolean;
  /** The number of the vote whose output the step took; null when there is none. */
  readonly winner: number | null;
}

/** One vote. Equal answers have equal digests; the answer itself is in the fact `agent.answered` with this key. */
export type VoteRecord = Readonly<
  Pick<FactBody<'vote.cast'>, 'number' | 'key' | 'digest' | 'confidence'>
>;

/** One proposed plan and its outcome. */
export interface PlanRecord {
  readonly revision: number;
  /** The step whose sub-plan it is; null for the goal's own plan. */
  readonly parentStepId: string | null;
  readonly origin: FactBody<'plan.proposed'>['origin'];
  readonly status: 'proposed' | 'adopted' | 'rejected';
  /** Under their final ids when it was adopted, as proposed otherwise; empty when the planner gave no plan. */
  readonly steps: readonly PlannedStepRecord[];
  /** Who rejected it. */
  readonly by?: FactBody<'plan.rejected'>['by'] | undefined;
  /** Why it was rejected. */
  readonly reason?: string | undefined;
  /** What validation or the supervisor found in it. */
  readonly issues?: readonly PlanIssue[] | undefined;
}

/** A question that waits for a person. */
export interface OpenApproval {
  readonly requestId: string;
  /** The step that waits; null when the goal's own plan does. */
  readonly stepId: string | null;
  readonly question: string;
  readonly payload: JsonValue;
  readonly requestedAt: number;
}

/** A question to a person and its outcome. */
export interface ApprovalRecord extends OpenApproval {
  /** 'closed': the step or plan that asked ended before there was an answer. */
  readonly outcome: 'open' | 'granted' | 'rejected' | 'expired' | 'closed';
  /** What the person said when it was granted. */
  readonly answer: string | null;
  /** Why it was rejected or closed. */
  readonly reason: string | null;
  /** Who answered, as the sender of the answer named that person; null when it was not said. */
  readonly by: string | null;
  /** How the policy counted the missing answer when the question expired. */
  readonly expiredAs: 'approve' | 'reject' | null;
  readonly decidedAt: number | null;
}

/** One problem of a plan. */
export type PlanIssue = Readonly<FactBody<'plan.rejected'>['issues'][number]>;

/** Why there was no plan at one point: a try of the planner failed, or a plan was rejected. */
export interface PlanningFailure {
  /** The revision that was not adopted. */
  readonly revision: number;
  /** The step whose sub-plan it was; null for the goal's own plan. */
  readonly parentStepId: string | null;
  /** The number of the planner's try that failed; null when a plan was rejected. */
  readonly try: number | null;
  /** Who rejected the plan; `planner` when a try failed. */
  readonly by: FactBody<'plan.rejected'>['by'];
  readonly reason: string;
  /** What validation or the supervisor found in the plan. */
  readonly issues: readonly PlanIssue[];
  readonly at: number;
}

/** A request that was refused: its bound was reached, or it names an agent that does not exist. */
export type RefusedRequest = Readonly<
  Pick<FactBody<'request.refused'>, 'what' | 'stepId' | 'agent' | 'bound' | 'limit' | 'reason'>
> & { readonly at: number };

/** One judgement of the supervisor. */
export interface VerdictRecord {
  readonly subject: FactBody<'verdict.given'>['subject'];
  readonly stepId: string | null;
  readonly score: number;
  readonly issues: readonly string[];
  readonly feedback: string;
  /** Whether the score passed the policy's gate. */
  readonly passed: boolean;
  readonly at: number;
}

/** One move on the escalation ladder. */
export interface EscalationRecord {
  readonly from: Level;
  readonly to: Level;
  readonly score: number;
  readonly consecutiveIssues: number;
  readonly at: number;
}

/** Counts over the whole run, sub-plans included. */
export interface RunMetrics {
  readonly totalSteps: number;
  readonly completedSteps: number;
  readonly failedSteps: number;
  /** Replans and hand-offs, those of sub-plans included. */
  readonly replanCount: number;
  readonly fixCycles: number;
  readonly verificationsPassed: number;
  readonly verificationsFailed: number;
  /** By the name of the agent; the planner, supervisor, tester and summarizer are named by their role. */
  readonly agents: Readonly<Record<string, AgentMetrics>>;
}

export interface AgentMetrics {
  /** Tries that went out, retries and fallbacks included. */
  readonly calls: number;
  /** Tries without an answer, including those that were refused before they were made. */
  readonly errors: number;
  readonly answers: number;
  /** How often the agent itself asked for another plan. A hand-off that adds its step is not counted. */
  readonly replanRequests: number;
  /** How many of these requests the planner was called with. */
  readonly replansGranted: number;
  /** Steps of the plans made for these requests. A plan that several agents asked for counts once for each of them. */
  readonly stepsAdded: number;
  /** From call to answer or failure, all tries together. */
  readonly totalLatencyMs: number;
}

/** Usage as the agents reported it. */
export interface RunUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
}

/** Reduces facts to a record, one at a time. */
export interface RecordBuilder {
  /**
   * Applies one fact. The cost does not depend on the length of the run; a fact that is impossible at this point is
   * ignored.
   */
  add(fact: Fact): void;
  /** The record so far: never changed afterwards, and the same object until a fact is added. */
  record(): RunRecord;
}

/** What is known of a run before its first fact. */
export interface RunIdentity {
  readonly runId: string;
  readonly goal: string;
  readonly labels?: Labels;
}

/**
 * A builder for the record of one run. The same facts always give the same record. Facts after `run.ended` change
 * nothing.
 *
 * @example
 * const builder = createRecordBuilder();
 * for (const fact of facts) builder.add(fact);
 * builder.record().status; // 'completed'
 */
export const createRecordBuilder = (
  identity: RunIdentity = { runId: '', goal: '' },
): RecordBuilder => {
  const state = initialState(identity);
  let record: RunRecord | undefined;
  return {
    add: (fact) => {
      if (state.endedAt !== null) return;
      applyFact(state, fact);
      record = undefined;
    },
    record: () => (record ??= recordOf(state)),
  };
};
