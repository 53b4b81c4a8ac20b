import type { JsonValue } from '../canonical-json.js';
import { NO_LABELS } from '../model/called-run.js';
import type {
  EscalationRecord,
  PlanningFailure,
  RefusedRequest,
  RunIdentity,
  RunMetrics,
  RunRecord,
  VerdictRecord,
} from './record.js';
import { ApprovalLedger } from './record-approvals.js';
import { CallLedger } from './record-metrics.js';
import { PlanLedger } from './record-plans.js';
import { StepLedger } from './record-steps.js';

type PlainFields = Pick<
  RunRecord,
  | 'runId'
  | 'goal'
  | 'labels'
  | 'status'
  | 'phase'
  | 'reason'
  | 'escalation'
  | 'pausedAt'
  | 'waitedMs'
  | 'workedMs'
  | 'replans'
  | 'maxReplans'
  | 'summary'
  | 'endedAt'
>;

/** Everything the reduction remembers. Written to by facts only. */
export type RunState = { -readonly [Name in keyof PlainFields]: PlainFields[Name] } & {
  /** Null before the first fact. */
  startedAt: number | null;
  /** The time of the last fact. */
  lastAt: number | null;
  readonly counts: { replanCount: number; fixCycles: number; passed: number; failed: number };
  readonly steps: StepLedger;
  readonly plans: PlanLedger;
  readonly approvals: ApprovalLedger;
  readonly calls: CallLedger;
  readonly verdicts: VerdictRecord[];
  readonly escalations: EscalationRecord[];
  readonly planningFailures: PlanningFailure[];
  readonly refused: RefusedRequest[];
  readonly conversation: string[];
  /** Every answer that holds something, by its key: steps and the summary refer to them. */
  readonly outputs: Map<string, JsonValue>;
  /** The step of every finished answer, by its key. */
  readonly wholeOutputs: Map<string, string | null>;
};

export const initialState = ({ runId, goal, labels = NO_LABELS }: RunIdentity): RunState => ({
  runId,
  goal,
  labels,
  status: 'running',
  phase: null,
  reason: null,
  pausedAt: null,
  waitedMs: 0,
  workedMs: 0,
  escalation: 'none',
  replans: 0,
  maxReplans: null,
  summary: null,
  startedAt: null,
  lastAt: null,
  endedAt: null,
  counts: { replanCount: 0, fixCycles: 0, passed: 0, failed: 0 },
  steps: new StepLedger(),
  plans: new PlanLedger(),
  approvals: new ApprovalLedger(),
  calls: new CallLedger(),
  verdicts: [],
  escalations: [],
  planningFailures: [],
  refused: [],
  conversation: [],
  outputs: new Map(),
  wholeOutputs: new Map(),
});

/** Lists are copied; their items are shared, because they never change. */
export const recordOf = (state: RunState): RunRecord =>
  Object.freeze({
    runId: state.runId,
    goal: state.goal,
    labels: state.labels,
    status: state.status,
    phase: state.phase,
    reason: state.reason,
    pausedAt: state.pausedAt,
    waitedMs: state.waitedMs,
    workedMs: state.workedMs,
    escalation: state.escalation,
    replans: state.replans,
    maxReplans: state.maxReplans,
    steps: state.steps.records(),
    plans: state.plans.records(),
    openApprovals: state.approvals.open(),
    approvals: state.approvals.records(),
    verdicts: state.verdicts.slice(),
    escalations: state.escalations.slice(),
    planningFailures: state.planningFailures.slice(),
    refused: state.refused.slice(),
    conversation: state.conversation.slice(),
    metrics: metricsOf(state),
    usage: state.calls.usage,
    summary: state.summary,
    startedAt: state.startedAt ?? 0,
    endedAt: state.endedAt,
  });

const metricsOf = ({ steps, counts, calls }: RunState): RunMetrics => ({
  totalSteps: steps.counts.total,
  completedSteps: steps.counts.completed,
  failedSteps: steps.counts.failed,
  replanCount: counts.replanCount,
  fixCycles: counts.fixCycles,
  verificationsPassed: counts.passed,
  verificationsFailed: counts.failed,
  agents: calls.agents(),
});
