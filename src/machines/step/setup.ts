import { assign, emit, enqueueActions, fromPromise, sendTo, setup } from 'xstate';

import { isForChild } from '../../guards/approval.js';
import * as guards from '../../guards/step.js';
import { hasWinner, isBallot, isVoteLost, needsAnotherBallot } from '../../guards/votes.js';
import { agentCallMachine } from '../agent-call/chart.js';
import { approvalMachine } from '../approval/chart.js';
import { approvalOf, outcomeOf, resultOf } from '../event-output.js';
import type { OrchestratorInput, RunOutcome } from '../orchestrator/context.js';
import { nextHop, parentOf, routedFrom } from '../send-up.js';
import * as facts from './facts.js';
import { subplanMs } from './requests.js';
import type { StepContext, StepEvent, StepInput } from './context.js';
import type { StepOutcome } from '../../model/step-outcome.js';
import * as updates from './updates.js';
import { verdictIn } from '../verdict-text.js';
import * as voting from './votes.js';

const TICK = { type: 'budget.tick' } as const;

const tickIn = (delay: number): { readonly id: string; readonly delay: number } => ({
  id: 'budgetTick',
  delay,
});

/** The implementations of the names in the step chart. Each is one line here, or has its own file. */
export const stepSetup = setup({
  types: {
    input: {} as StepInput,
    context: {} as StepContext,
    events: {} as StepEvent,
    output: {} as StepOutcome,
    tags: {} as 'running' | 'waiting-for-human' | 'settled',
  },
  guards: {
    canAskHuman: ({ context, event }) => guards.canAskHuman(context, resultOf(event)),
    canAttemptAgain: ({ context }) => guards.canAttemptAgain(context),
    canFixTests: ({ context }) => context.failure !== null && guards.canFix(context),
    canSubplan: ({ context }) => guards.canSubplan(context),
    hasFailure: ({ context }) => context.failure !== null,
    hasNoWinner: ({ context }) => !hasWinner(context),
    isBallot: ({ context, event }) => isBallot(context, resultOf(event)),
    isBlocked: ({ event }) => guards.isBlocked(resultOf(event)),
    isCallFailed: ({ event }) => guards.isCallFailed(resultOf(event)),
    isCodeAccepted: ({ context, event }) => guards.isCodeAccepted(context, resultOf(event)),
    isFixing: ({ context }) => context.fixCycles > 0,
    isFixRefused: ({ context }) => guards.isFixRefused(context),
    isForChild: ({ event }) => isForChild(event),
    isGranted: ({ event }) => approvalOf(event).isGranted,
    isQuestionRefused: ({ context, event }) => guards.isQuestionRefused(context, resultOf(event)),
    isPartial: ({ context }) => guards.isPartial(context),
    isStepAccepted: ({ context, event }) => guards.isStepAccepted(context, resultOf(event)),
    isStepConfirmed: ({ event }) => event.type === 'verdict.given' && event.hasPassed,
    isSubplanCompleted: ({ event }) => outcomeOf(event).status === 'completed',
    isSubplanRefused: ({ context }) => guards.isSubplanRefused(context),
    isVoteLost: ({ context }) => isVoteLost(context),
    isVoteRefused: ({ context }) => guards.isVoteRefused(context),
    needsAnotherBallot: ({ context }) => needsAnotherBallot(context),
    needsApproval: ({ context }) => context.approvalQuestion !== null,
    needsCodeReview: ({ context }) => guards.needsCodeReview(context),
    needsTests: ({ context }) => guards.needsTests(context),
    needsVerification: ({ context }) => guards.needsVerification(context),
    skipsOnReject: ({ context }) => context.settings.policy.approval.onReject === 'skip',
  },
  actions: {
    announceDecision: emit(({ context }) => facts.voteDecided(context)),
    announceFix: emit(({ context }) => facts.fixStarted(context)),
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
    goOnMeasuring: enqueueActions(({ context, enqueue }) => {
      if (guards.isTimeMeasured(context)) enqueue.raise(TICK, tickIn(guards.tickMs(context)));
    }),
    keepAnswer: assign(({ context, event }) =>
      updates.questionAnswered(context, approvalOf(event).text),
    ),
    keepBallot: assign(({ context, event }) => voting.ballotTaken(context, resultOf(event))),
    keepBlocker: assign(({ context, event }) => updates.blockedBy(context, resultOf(event))),
    keepCallFailure: assign(({ event }) => updates.callFailure(resultOf(event))),
    keepCrash: assign(({ event }) => updates.crashed(event)),
    keepNoMajority: assign(({ context }) => voting.majorityMissed(context)),
    keepRejection: assign(({ event }) => updates.questionRejected(approvalOf(event))),
    keepReviewFailure: assign(({ context, event }) =>
      updates.reviewFailure(context, resultOf(event)),
    ),
    keepSubplan: assign(({ event }) => updates.subplanDone(outcomeOf(event))),
    keepTestFailure: assign(({ event }) => updates.testsUnavailable(resultOf(event))),
    keepTests: assign(({ context, event }) => updates.testsDone(context, resultOf(event))),
    keepVerdict: assign({
      verdict: ({ event }) => (event.type === 'verdict.given' ? verdictIn(event) : null),
    }),
    keepVoteFailure: assign(({ context }) => updates.voteLost(context)),
    keepWinner: assign(({ context }) => voting.winnerTaken(context)),
    keepWork: assign(({ context, event }) => updates.workDone(context, resultOf(event))),
    noteEnding: assign({ isWindingDown: true }),
    notePause: assign({ isPaused: (_, params: { readonly isPaused: boolean }) => params.isPaused }),
    passDown: enqueueActions(({ event, enqueue }) => {
      if (!('route' in event)) return;
      const hop = nextHop(event);
      if (hop.to !== undefined) enqueue.sendTo(hop.to, hop.event);
    }),
    refuse: enqueueActions(
      ({ context, event, enqueue }, { what }: { readonly what: facts.RefusedInStep }) => {
        const fact = facts.requestRefused(context, what, event);
        enqueue.emit(fact);
        enqueue.sendTo(parentOf, { type: 'bound.reached', bound: fact.bound });
      },
    ),
    passToSubplan: sendTo('subplan', ({ event }) => event),
    passUp: sendTo(parentOf, ({ event, self }) =>
      'route' in event ? routedFrom(event, self) : event,
    ),
    // One action for both, because every step of every run takes it, and most have nothing to measure.
    startMeasuring: enqueueActions(({ context, enqueue }) => {
      if (guards.isTimeMeasured(context)) enqueue.raise(TICK, tickIn(guards.tickMs(context)));
      if (!guards.hasDeadline(context)) return;
      const delay = subplanMs(context);
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
    approval: approvalMachine,
    orchestrator: fromPromise<RunOutcome, OrchestratorInput>(() =>
      Promise.reject(new Error('orchestrator is provided by createOrchestrator')),
    ),
  },
  delays: {
    fixBudget: ({ context }) => context.fixBudgetMs,
    stepBudget: ({ context }) => context.remainingMs,
  },
});
