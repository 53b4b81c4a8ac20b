import { assign, emit, enqueueActions, fromPromise, sendTo, setup } from 'xstate';

import { isAnswerToOwnQuestion, isForChild } from '../../guards/approval.js';
import * as guards from '../../guards/step.js';
import { hasWinner, isBallot, isVoteLost, needsAnotherBallot } from '../../guards/votes.js';
import { agentCallMachine } from '../agent-call/chart.js';
import { outcomeOf, resultOf } from '../event-output.js';
import type { OrchestratorInput, RunOutcome } from '../orchestrator/context.js';
import { nextHop, parentOf, routedFrom } from '../send-up.js';
import * as facts from './facts.js';
import type { StepContext, StepEvent, StepInput } from './context.js';
import type { StepOutcome } from '../../model/step-outcome.js';
import * as updates from './updates.js';
import * as voting from './votes.js';
import { verdictGiven } from '../verdict-facts.js';

const TICK = { type: 'budget.tick' } as const;

const tickIn = (delay: number): { readonly id: string; readonly delay: number } => ({
  id: 'budgetTick',
  delay,
});

/** The names that the step chart uses. Each is one line here, or lives in a room of its own. */
export const stepSetup = setup({
  types: {
    input: {} as StepInput,
    context: {} as StepContext,
    events: {} as StepEvent,
    output: {} as StepOutcome,
    tags: {} as 'running' | 'waiting-for-human' | 'settled',
  },
  guards: {
    approvesOnTimeout: ({ context }) => context.settings.policy.approval.onTimeout === 'approve',
    areTestsPassing: ({ event }) => guards.areTestsPassing(resultOf(event)),
    areTestsPassingAndUnverified: ({ context, event }) =>
      guards.areTestsPassing(resultOf(event)) && guards.needsVerification(context),
    canAskHuman: ({ context, event }) => guards.canAskHuman(context, resultOf(event)),
    canAttemptAgain: ({ context }) => guards.canAttemptAgain(context),
    canFix: ({ context }) => guards.canFix(context),
    canSubplan: ({ context }) => guards.canSubplan(context),
    hasFailure: ({ context }) => context.failure !== null,
    hasNoWinner: ({ context }) => !hasWinner(context),
    isAnswerToOwnQuestion: ({ context, event }) =>
      isAnswerToOwnQuestion(context.question?.requestId, event),
    isBallot: ({ context, event }) => isBallot(context, resultOf(event)),
    isBlocked: ({ event }) => guards.isBlocked(resultOf(event)),
    isCallFailed: ({ event }) => guards.isCallFailed(resultOf(event)),
    isCodeAccepted: ({ context, event }) => guards.isCodeAccepted(context, resultOf(event)),
    isFixing: ({ context }) => context.fixCycles > 0,
    isForChild: ({ event }) => isForChild(event),
    isPartial: ({ event }) => guards.isPartial(resultOf(event)),
    isStepAccepted: ({ context, event }) => guards.isStepAccepted(context, resultOf(event)),
    isSubplanCompleted: ({ event }) => outcomeOf(event).status === 'completed',
    isVoteLost: ({ context, event }) => isVoteLost(context, resultOf(event)),
    needsAnotherBallot: ({ context }) => needsAnotherBallot(context),
    needsApproval: ({ context }) => context.approvalQuestion !== null,
    needsCodeReview: ({ context }) => guards.needsCodeReview(context),
    needsTests: ({ context }) => guards.needsTests(context),
    needsVerification: ({ context }) => guards.needsVerification(context),
    skipsOnReject: ({ context }) => context.settings.policy.approval.onReject === 'skip',
  },
  actions: {
    announceDecision: emit(({ context }) => facts.voteDecided(context)),
    announceExpiry: emit(({ context }) => facts.approvalExpired(context)),
    announceFix: emit(({ context }) => facts.fixStarted(context)),
    announceGrant: emit(({ context }, params: { readonly answer: string }) =>
      facts.approvalGranted(context, params.answer),
    ),
    announceQuestion: emit(({ context }) => facts.approvalRequested(context)),
    announceRejection: emit(({ context }, params: { readonly reason: string }) =>
      facts.approvalRejected(context, params.reason),
    ),
    announceRetry: emit(({ context }) => facts.stepRetried(context)),
    announceSubplan: emit(({ context }) => facts.subplanStarted(context)),
    announceSubplanEnd: emit(({ context, event }) => facts.subplanEnded(context, outcomeOf(event))),
    announceTests: emit(({ context, event }) => facts.testsReported(context, resultOf(event))),
    announceVote: enqueueActions(({ context, enqueue }) => {
      const fact = facts.voteCast(context);
      if (fact !== undefined) enqueue.emit(fact);
    }),
    askBeforehand: assign(({ context }) => updates.questionBefore(context)),
    askForAgent: assign(({ context, event }) =>
      updates.questionFromAgent(context, resultOf(event)),
    ),
    closeQuestion: sendTo(parentOf, ({ context }) => ({
      type: 'approval.closed',
      requestId: context.question?.requestId ?? '',
    })),
    countAttempt: assign(({ context }) => updates.nextAttempt(context)),
    countTime: assign({
      remainingMs: ({ context }) => context.remainingMs - guards.tickMs(context),
    }),
    countFix: assign({ fixCycles: ({ context }) => context.fixCycles + 1 }),
    endSubplan: sendTo('subplan', { type: 'time.isUp' }),
    fail: assign({
      failure: (_, params: { readonly code: string; readonly reason: string }) => params,
    }),
    forgetFailure: assign({ failure: null }),
    giveVerdict: enqueueActions(
      ({ context, event, enqueue, self }, params: { readonly subject: 'code' | 'step' }) => {
        const { settings, stepId } = context;
        const review = resultOf(event);
        const fact = verdictGiven(settings, params.subject, stepId, review);
        const report = updates.verdictReport(settings, params.subject, review);
        if (fact !== undefined) enqueue.emit(fact);
        if (report !== undefined) enqueue.sendTo(parentOf, routedFrom(report, self));
      },
    ),
    goOnMeasuring: enqueueActions(({ context, enqueue }) => {
      if (guards.isTimeMeasured(context)) enqueue.raise(TICK, tickIn(guards.tickMs(context)));
    }),
    keepAnswer: assign(({ context }, params: { readonly answer: string }) =>
      updates.questionAnswered(context, params.answer),
    ),
    keepBallot: assign(({ context, event }) => voting.ballotTaken(context, resultOf(event))),
    keepBlocker: assign(({ context, event }) => updates.blockedBy(context, resultOf(event))),
    keepCallFailure: assign(({ event }) => updates.callFailure(resultOf(event))),
    keepCrash: assign(({ event }) => updates.crashed(event)),
    keepNoMajority: assign(({ context }) => voting.majorityMissed(context)),
    keepReviewFailure: assign(({ context, event }) =>
      updates.reviewFailure(context, resultOf(event)),
    ),
    keepSubplan: assign(({ event }) => updates.subplanDone(outcomeOf(event))),
    keepTestFailure: assign(({ event }) => updates.testsUnavailable(resultOf(event))),
    keepTests: assign(({ context, event }) => updates.testsDone(context, resultOf(event))),
    keepVoteFailure: assign(({ context, event }) => updates.voteLost(context, resultOf(event))),
    keepWinner: assign(({ context }) => voting.winnerTaken(context)),
    keepWork: assign(({ context, event }) => updates.workDone(context, resultOf(event))),
    noteEnding: assign({ isWindingDown: true }),
    notePause: assign({ isPaused: (_, params: { readonly isPaused: boolean }) => params.isPaused }),
    passDown: enqueueActions(({ event, enqueue }) => {
      if (!('route' in event)) return;
      const hop = nextHop(event);
      if (hop.to !== undefined) enqueue.sendTo(hop.to, hop.event);
    }),
    passToSubplan: sendTo('subplan', ({ event }) => event),
    passUp: sendTo(parentOf, ({ event, self }) =>
      'route' in event ? routedFrom(event, self) : event,
    ),
    reportQuestion: sendTo(parentOf, ({ context, self }) => ({
      type: 'approval.requested',
      requestId: context.question?.requestId ?? '',
      stepId: context.stepId,
      route: [self.id],
    })),
    // One action for both, because every step of every run takes it, and most have nothing to measure.
    startMeasuring: enqueueActions(({ context, enqueue }) => {
      if (guards.isTimeMeasured(context)) enqueue.raise(TICK, tickIn(guards.tickMs(context)));
      if (!guards.hasDeadline(context)) return;
      const delay = updates.subplanMs(context);
      enqueue.raise({ type: 'time.isShort' }, { id: 'deadline', delay });
    }),
    stopMeasuring: enqueueActions(({ context, enqueue }) => {
      if (!context.settings.policy.time.stepShare) return;
      enqueue.cancel('budgetTick');
      enqueue.cancel('deadline');
    }),
    windDownCall: sendTo('agentCall', { type: 'run.windDown' }),
  },
  actors: {
    agentCall: agentCallMachine,
    orchestrator: fromPromise<RunOutcome, OrchestratorInput>(() =>
      Promise.reject(new Error('orchestrator is provided by createOrchestrator')),
    ),
  },
  delays: {
    approvalTimeout: ({ context }) => context.settings.policy.approval.timeoutMs,
    fixBudget: ({ context }) => context.fixBudgetMs,
    stepBudget: ({ context }) => context.remainingMs,
  },
});
