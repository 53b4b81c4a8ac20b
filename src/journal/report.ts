import { plannedStep } from './record-plans.js';
import { GIVEN_UP, SKIPPED_BY_DEPENDENCY } from '../plan/progress.js';
import type { AnyTeam } from '../model/outputs.js';
import type { RunStatus } from '../model/statuses.js';
import type {
  ApprovalRecord,
  EscalationRecord,
  PlannedStepRecord,
  PlanningFailure,
  PlanRecord,
  RefusedRequest,
  RunMetrics,
  RunRecord,
  RunUsage,
  StepRecord,
  StepStatus,
  VerdictRecord,
} from './record.js';
import { REPLACED } from './record-steps.js';
import { summaryOf } from './record-summary.js';

/** The result of a run, or its state when this process detached from it. Times are milliseconds of the run's clock. */
export interface RunReport<Team extends AnyTeam = AnyTeam> {
  readonly runId: string;
  readonly goal: string;
  readonly labels: RunRecord['labels'];
  /**
   * How the run ended. `detached`: it goes on elsewhere, and this process no longer drives it, because it closed,
   * another process took over, or the store stayed away.
   */
  readonly status: RunStatus | 'detached';
  /** The run has ended. False for `detached`: a process that resumes the run gets its final report. */
  readonly isFinal: boolean;
  /**
   * Why it ended, as a short code or in words. When a request was refused, a run that completed or failed names the first
   * bound at the end: `all-steps-completed: replan-limit`.
   */
  readonly reason: string;
  /** The summarizer's text; without one, the output of the only step, or a short list of what was done. */
  readonly summary: string;
  /**
   * All steps, including replaced ones and those of sub-plans. In a final report each is in exactly one of the lists
   * below; when the run is `detached`, steps may be `running` or `pending`.
   */
  readonly steps: readonly StepRecord<Team>[];
  readonly successfulSteps: readonly string[];
  readonly failedSteps: readonly string[];
  readonly skippedSteps: readonly string[];
  readonly cancelledSteps: readonly string[];
  /**
   * The report is final, no step failed, was skipped behind a failure, or was cancelled, and no request was refused. Also
   * true without any steps: check `status` as well.
   */
  readonly allSucceeded: boolean;
  /** Requests that a bound refused, in order: what was requested, by which step and agent, and which bound. */
  readonly refused: readonly RefusedRequest[];
  /** What the goal's own plan spent of its replans. */
  readonly replans: number;
  /** The first plan of the goal that was adopted; null when there was none. */
  readonly originalPlan: ReportedPlan | null;
  /** The goal's steps at the end, without those that were replaced or given up; null when no plan was adopted. */
  readonly finalPlan: ReportedPlan | null;
  /** Every plan that was proposed, those of sub-plans included. */
  readonly plans: readonly PlanRecord[];
  readonly escalations: readonly EscalationRecord[];
  readonly approvals: readonly ApprovalRecord[];
  readonly verdicts: readonly VerdictRecord[];
  /** Tries of the planner that failed and plans that were rejected, in order: why planning failed, if it did. */
  readonly planningFailures: readonly PlanningFailure[];
  readonly metrics: RunMetrics;
  readonly usage: RunUsage;
  readonly startedAt: number;
  /** When the run ended, or when this process detached from it. */
  readonly endedAt: number;
  readonly durationMs: number;
  /** How much of it the run could only wait for people. */
  readonly waitedMs: number;
  readonly workedMs: number;
}

export interface ReportedPlan {
  /** The revision that was adopted last when this plan was in force. */
  readonly revision: number;
  readonly steps: readonly PlannedStepRecord[];
}

/** The record of a run that has ended, or that this process has detached from. */
export interface EndedRunRecord extends RunRecord {
  readonly status: RunReport['status'];
  readonly reason: string;
  readonly endedAt: number;
}

/** Whether the run has a report. */
export const isEnded = (record: RunRecord): record is EndedRunRecord =>
  record.status !== 'running' && record.reason !== null && record.endedAt !== null;

/**
 * The report of a run: the record, ordered by what readers need first.
 *
 * @example
 * const record = run.record();
 * if (isEnded(record)) reportOf(record).failedSteps; // ['s2']
 */
export const reportOf = (record: EndedRunRecord): RunReport => ({
  runId: record.runId,
  goal: record.goal,
  labels: record.labels,
  status: record.status,
  isFinal: record.status !== 'detached',
  reason: record.reason,
  summary: record.summary ?? summaryOf(record),
  steps: record.steps,
  successfulSteps: idsOf(record, 'completed'),
  failedSteps: idsOf(record, 'failed'),
  skippedSteps: idsOf(record, 'skipped'),
  cancelledSteps: idsOf(record, 'cancelled'),
  allSucceeded:
    record.status !== 'detached' &&
    record.refused.length === 0 &&
    !record.steps.some(isUnsuccessful),
  refused: record.refused,
  replans: record.replans,
  originalPlan: originalPlanOf(record),
  finalPlan: finalPlanOf(record),
  plans: record.plans,
  escalations: record.escalations,
  approvals: record.approvals,
  verdicts: record.verdicts,
  planningFailures: record.planningFailures,
  metrics: record.metrics,
  usage: record.usage,
  startedAt: record.startedAt,
  endedAt: record.endedAt,
  durationMs: Math.max(0, record.endedAt - record.startedAt),
  waitedMs: record.waitedMs,
  workedMs: record.workedMs,
});

const idsOf = ({ steps }: RunRecord, status: StepStatus): string[] =>
  steps.flatMap((step) => (step.status === status ? [step.id] : []));

const isUnsuccessful = ({ status, reason }: StepRecord): boolean =>
  status === 'failed' ||
  status === 'cancelled' ||
  (status === 'skipped' && reason === SKIPPED_BY_DEPENDENCY);

const isAdoptedForGoal = ({ status, parentStepId }: PlanRecord): boolean =>
  status === 'adopted' && parentStepId === null;

const originalPlanOf = ({ plans }: RunRecord): ReportedPlan | null => {
  const plan = plans.find(isAdoptedForGoal);
  return plan === undefined ? null : { revision: plan.revision, steps: plan.steps };
};

const finalPlanOf = ({ plans, steps }: RunRecord): ReportedPlan | null => {
  const plan = plans.findLast(isAdoptedForGoal);
  if (plan === undefined) return null;
  return { revision: plan.revision, steps: steps.filter(isOnFinalPlan).map(plannedStep) };
};

const isOnFinalPlan = ({ parentStepId, status, reason }: StepRecord): boolean =>
  parentStepId === null &&
  !(status === 'skipped' && reason === REPLACED) &&
  !((status === 'skipped' || status === 'cancelled') && reason === GIVEN_UP);
