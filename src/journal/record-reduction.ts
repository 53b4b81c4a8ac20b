import { NO_LABELS } from '../model/called-run.js';
import { outputBehind } from '../plan/output-behind.js';
import type { Fact, FactBody, FactType } from '../model/facts.js';
import type { Decision } from './record-approvals.js';
import type { RunState } from './record-state.js';
import type { StepEnd } from './record-steps.js';
import { REPLACED } from './record-steps.js';

/*
 * How each fact changes the record. The table names every fact type, so that a new one cannot be forgotten: it changes
 * the record or is ignored on purpose.
 */

/** Applies one fact. The type parameter ties it to the reducer of its own type. */
export const applyFact = <Type extends FactType>(state: RunState, fact: TypedFact<Type>): void => {
  state.startedAt ??= fact.at;
  countTime(state, fact.at);
  reducers[fact.type](state, fact);
};

type Reducers = { readonly [Type in FactType]: (state: RunState, fact: TypedFact<Type>) => void };
type TypedFact<Type extends FactType> = {
  [Each in Type]: { readonly type: Each } & Fact<Each>;
}[Type];

const ignored = (): void => undefined;

const reducers: Reducers = {
  'run.started': (state, { runId, goal, labels = NO_LABELS }) => {
    state.runId = runId;
    state.goal = goal;
    state.labels = labels;
  },
  'phase.entered': (state, { parentStepId, phase, at }) => {
    if (parentStepId === null) {
      state.phase = phase;
      // Every phase makes its own calls: those of the last one are over.
      state.calls.stop(null);
    }
    // From here on answers are refused.
    if (phase === 'windingDown') closeApprovals(state, parentStepId, 'winding-down', at);
  },
  'plan.proposed': (state, fact) => {
    if (state.steps.isOpen(fact.parentStepId)) state.plans.propose(fact);
  },
  'plan.adopted': (state, fact) => {
    if (!state.steps.isOpen(fact.parentStepId)) return;
    const origin = state.plans.adopt(fact);
    state.steps.adopt(fact);
    for (const stepId of fact.replaced) {
      settle(state, stepId, { status: 'skipped', reason: REPLACED }, fact.at);
    }
    // A hand-off spends a replan without a planner call, so no other fact says so.
    if (origin !== 'handOff') {
      state.calls.planAdopted(fact);
      return;
    }
    state.counts.replanCount += 1;
    if (fact.parentStepId === null) state.replans += 1;
  },
  'plan.rejected': (state, fact) => {
    const { parentStepId, revision, by, reason, issues, at } = fact;
    if (!state.steps.isOpen(parentStepId)) return;
    state.plans.reject(fact);
    state.planningFailures.push({ revision, parentStepId, try: null, by, reason, issues, at });
  },
  'plan.modified': ignored,
  'step.started': (state, { stepId, at }) => {
    state.steps.start(stepId, at);
  },
  'step.retried': (state, { stepId, attempt }) => {
    state.steps.retry(stepId, attempt);
  },
  'step.completed': (state, { stepId, attempts, outputKeys, at }) => {
    const output = outputBehind(outputKeys, (key) => state.outputs.get(key));
    const isWhole =
      outputKeys.length === 1 && state.wholeOutputs.get(outputKeys[0] ?? '') === stepId;
    const end = {
      status: 'completed',
      reason: null,
      attempts,
      output,
      isWhole,
      outputKeys,
    } as const;
    settle(state, stepId, end, at);
  },
  'step.failed': (state, { stepId, attempts, code, reason, at }) => {
    settle(state, stepId, { status: 'failed', reason, code, attempts }, at);
  },
  'step.skipped': (state, { stepId, reason, at }) => {
    settle(state, stepId, { status: 'skipped', reason }, at);
  },
  'step.cancelled': (state, { stepId, reason, at }) => {
    settle(state, stepId, { status: 'cancelled', reason }, at);
  },
  'fix.started': (state) => {
    state.counts.fixCycles += 1;
  },
  'tests.reported': ignored,
  'vote.cast': (state, fact) => {
    state.steps.castVote(fact);
  },
  'vote.decided': (state, fact) => {
    state.steps.decideVote(fact);
  },
  'subplan.started': (state, { stepId }) => {
    state.steps.startSubplan(stepId);
  },
  'subplan.ended': (state, { stepId, at }) => {
    if (!state.steps.isOpen(stepId)) return;
    closeApprovalsOfEnded(state, state.steps.endSubplan(stepId, at), at);
    // A step with a sub-plan asks nothing itself: an open question is the sub-plan's.
    closeApprovals(state, stepId, 'subplan-ended', at);
  },
  'replan.requested': (state, fact) => {
    state.calls.replanRequested(fact);
  },
  'replan.started': (state, fact) => {
    state.counts.replanCount += 1;
    state.calls.replanStarted(fact);
    keepReplans(state, fact);
  },
  'request.refused': (state, { what, stepId, agent, bound, limit, reason, parentStepId, at }) => {
    state.refused.push({ what, stepId, agent, bound, limit, reason, at });
    if (bound === 'replan-limit' && parentStepId === null) state.maxReplans = limit;
  },
  'approval.requested': (state, fact) => {
    if (!state.steps.isOpen(fact.stepId)) return;
    state.approvals.request(fact);
    const isWaiting = state.approvals.isWaiting(fact.stepId);
    state.steps.setWaitingForHuman(fact.stepId, isWaiting, fact.at);
  },
  'approval.granted': (state, { requestId, answer, by = null, at }) => {
    decide(state, requestId, { outcome: 'granted', answer, by }, at);
  },
  'approval.rejected': (state, { requestId, reason, by = null, at }) => {
    decide(state, requestId, { outcome: 'rejected', reason, by }, at);
  },
  'approval.expired': (state, { requestId, outcome, at }) => {
    decide(state, requestId, { outcome: 'expired', expiredAs: outcome }, at);
  },
  'verdict.given': (state, { subject, stepId, score, issues, feedback, passed, at }) => {
    state.verdicts.push({ subject, stepId, score, issues, feedback, passed, at });
    state.counts[passed ? 'passed' : 'failed'] += 1;
  },
  'escalation.changed': (state, { from, to, score, consecutiveIssues, at }) => {
    state.escalations.push({ from, to, score, consecutiveIssues, at });
    state.escalation = to;
  },
  'agent.called': (state, fact) => {
    state.calls.called(fact);
  },
  'agent.answered': (state, fact) => {
    const { stepId, role, key, confidence, usage } = fact;
    const isFallbackAnswer = role === 'worker' && state.calls.isFallback(key);
    state.calls.answered(fact);
    state.steps.callSettled(stepId, { isFallbackAnswer, confidence, usage });
    if (fact.output === null) return;
    state.outputs.set(fact.key, fact.output);
    if (fact.report === 'done') state.wholeOutputs.set(fact.key, fact.stepId);
  },
  'agent.failed': (state, fact) => {
    state.calls.failed(fact);
    const { stepId, role, usage, reason, at } = fact;
    state.steps.callSettled(stepId, { isFallbackAnswer: false, confidence: null, usage });
    if (role !== 'planner') return;
    const revision = state.plans.nextRevision(stepId);
    const failure = { revision, parentStepId: stepId, by: 'planner', reason, issues: [] } as const;
    state.planningFailures.push({ ...failure, try: fact.try, at });
  },
  'breaker.opened': ignored,
  'breaker.closed': ignored,
  'budget.exhausted': ignored,
  'time.extended': ignored,
  'time.executionClosed': ignored,
  'time.expired': ignored,
  'run.paused': (state, { at }) => {
    state.pausedAt = at;
  },
  'run.unpaused': (state) => {
    state.pausedAt = null;
  },
  'run.upgraded': ignored,
  'conversation.said': (state, { text }) => {
    state.conversation.push(text);
  },
  'command.refused': ignored,
  'run.ended': (state, { status, reason, summaryKey, at }) => {
    const summary = summaryKey === null ? undefined : state.outputs.get(summaryKey);
    state.steps.cancelAll('run-ended', at);
    state.approvals.closeAll('run-ended', at);
    state.status = status;
    state.phase = 'ended';
    state.pausedAt = null;
    state.reason = reason;
    state.summary = typeof summary === 'string' ? summary : null;
    state.endedAt = at;
  },
};

/** The time since the last fact was spent waiting for people, or working. */
const countTime = (state: RunState, at: number): void => {
  const passedMs = Math.max(0, at - (state.lastAt ?? at));
  const isWaiting =
    (state.pausedAt !== null || state.approvals.isAnyOpen) && !state.calls.isAnyInFlight;
  state[isWaiting ? 'waitedMs' : 'workedMs'] += passedMs;
  state.lastAt = at;
};

const settle = (state: RunState, stepId: string, end: StepEnd, at: number): void => {
  const ended = state.steps.settle(stepId, end, at);
  for (const id of ended) state.calls.stop(id);
  closeApprovalsOfEnded(state, ended, at);
};

const closeApprovalsOfEnded = (state: RunState, stepIds: readonly string[], at: number): void => {
  for (const stepId of stepIds) state.approvals.closeOf(stepId, 'step-ended', at);
};

const closeApprovals = (
  { approvals, steps }: RunState,
  stepId: string | null,
  reason: string,
  at: number,
): void => {
  approvals.closeOf(stepId, reason, at);
  steps.setWaitingForHuman(stepId, false, at);
};

const decide = (
  { approvals, steps }: RunState,
  requestId: string,
  decision: Decision,
  at: number,
): void => {
  const stepId = approvals.decide(requestId, decision, at);
  if (stepId !== undefined) steps.setWaitingForHuman(stepId, approvals.isWaiting(stepId), at);
};

const keepReplans = (
  state: RunState,
  { parentStepId, replans, maxReplans }: FactBody<'replan.started'>,
): void => {
  if (parentStepId !== null) return;
  state.replans = replans;
  state.maxReplans = maxReplans;
};
