import {
  endsAtOnce,
  endsByRejection,
  isAnswerToOwnQuestion,
  isForChild,
  isQuestionOpen,
  keepsPlanOnReject,
} from '../../guards/approval.js';
import { canPlanAgain, canReplan, exhaustedLimit } from '../../guards/budget.js';
import type { Level, Ending } from '../../model/statuses.js';
import { nextLadder } from '../../guards/escalation.js';
import { areRecoveriesUsedUp } from '../../guards/recovery.js';
import * as proposal from '../../guards/proposal.js';
import * as schedule from '../../guards/schedule.js';
import { checkedPlan, resultOf } from '../event-output.js';
import { asVerdict, breakerOf, isRepeatedPlan, outcomeIn, refusal } from './events.js';
import type { OrchestratorContext, OrchestratorEvent } from './context.js';
import * as updates from './updates.js';

interface Judged {
  readonly context: OrchestratorContext;
  readonly event: OrchestratorEvent;
}

/** Where a verdict takes the ladder. */
const nextLevel = ({ context, event }: Judged): Level =>
  nextLadder(context.ladder, asVerdict(event), context.settings.policy.escalation).level;

/** The guards that the orchestrator's chart names. Each is one line here; what it judges by is in src/guards. */
export const orchestratorGuards = {
  areRecoveriesUsedUp: ({ context, event }: Judged) =>
    event.type === 'run.recovered' && areRecoveriesUsedUp(context, event),
  asksOnLimit: ({ context }: Judged) => context.settings.policy.replan.onLimit === 'askHuman',
  canReplan: ({ context }: Judged) => canReplan(context),
  canReplanInTime: ({ context }: Judged) => canReplan(context) && !context.isExecutionClosed,
  endsAtOnce: ({ context }: Judged) => endsAtOnce(context) && context.lastWord.length === 0,
  endsByRejection: ({ context, event }: Judged) => endsByRejection(context, outcomeIn(event)),
  failsOnLimit: ({ context }: Judged) => context.settings.policy.replan.onLimit === 'fail',
  finishesOnLimit: ({ context }: Judged) => context.settings.policy.replan.onLimit === 'finish',
  hasBreaker: ({ context, event }: Judged) => breakerOf(context, event) !== undefined,
  hasExtension: ({ context }: Judged) => context.extensionMs > 0,
  hasNoPlan: ({ context }: Judged) => !proposal.hasPlan(context),
  hasNoPlanner: ({ context }: Judged) => !context.settings.team.hasPlanner,
  hasPlan: ({ context }: Judged) => proposal.hasPlan(context),
  hasRefusedRequests: ({ context }: Judged) => schedule.hasRefusedRequests(context),
  hasRequests: ({ context }: Judged) => schedule.hasRequests(context),
  hasTooManyFailures: ({ context }: Judged) => schedule.hasTooManyFailures(context),
  isAbortNext: (judged: Judged) => nextLevel(judged) === 'abort',
  isAccepted: ({ context, event }: Judged) => refusal(context, event) === undefined,
  isAnswerToOwnQuestion: ({ context, event }: Judged) =>
    isAnswerToOwnQuestion(updates.ownQuestionId(context), event) &&
    refusal(context, event) === undefined,
  isCorrectNext: (judged: Judged) => nextLevel(judged) === 'correct',
  isCriticalNext: (judged: Judged) => nextLevel(judged) === 'critical',
  isDrainedAndClosed: ({ context }: Judged) =>
    context.isExecutionClosed && schedule.isIdle(context),
  isEndingAs: ({ context }: Judged, params: { readonly status: Ending['status'] }) =>
    context.ending?.status === params.status,
  isExecutionClosed: ({ context }: Judged) => context.isExecutionClosed,
  // Only a parent knows the way to a child: whoever speaks to the root names a question, not a route.
  isForChild: ({ context, event }: Judged) => context.depth > 0 && isForChild(event),
  isGoingOn: ({ context, event }: Judged) => !endsByRejection(context, outcomeIn(event)),
  isHalted: ({ context }: Judged) => schedule.isHalted(context),
  isGoalMissed: ({ context }: Judged) => schedule.isGoalMissed(context),
  isGoalAccepted: ({ context }: Judged) => proposal.isGoalAccepted(context),
  isIdle: ({ context }: Judged) => schedule.isIdle(context),
  isNested: ({ context }: Judged) => context.depth > 0,
  isOutOfBudget: ({ context }: Judged) => exhaustedLimit(context) !== undefined,
  isPaused: ({ context }: Judged) => context.isPaused,
  isPlanAccepted: ({ context }: Judged) => proposal.isPlanAccepted(context),
  isPlanAnswered: ({ event }: Judged) => proposal.isPlanAnswered(resultOf(event)),
  isPlanGiven: ({ event }: Judged) => checkedPlan(event) !== null,
  isPlanSettled: ({ context }: Judged) => schedule.isPlanSettled(context),
  isProposalInvalid: ({ context }: Judged) => proposal.isProposalInvalid(context),
  isQuestionOpen: ({ context, event }: Judged) =>
    isQuestionOpen(context, event) && refusal(context, event) === undefined,
  isRefocusNext: (judged: Judged) => nextLevel(judged) === 'refocus',
  isRemindNext: (judged: Judged) => nextLevel(judged) === 'remind',
  isRepeatedPlan: ({ context }: Judged) => isRepeatedPlan(context),
  isReviewHeld: ({ context }: Judged) => context.isPaused && proposal.needsPlanReview(context),
  isSubplanSettled: ({ context }: Judged) => schedule.isSubplanSettled(context),
  keepsPlanOnReject: ({ context }: Judged) => keepsPlanOnReject(context),
  mustStop: ({ context }: Judged) => schedule.mustStop(context),
  needsGoalReview: ({ context }: Judged) => proposal.needsGoalReview(context),
  needsPlanApproval: ({ context }: Judged) => proposal.needsPlanApproval(context),
  needsPlanReview: ({ context }: Judged) => proposal.needsPlanReview(context),
  needsSummary: ({ context }: Judged) => proposal.needsSummary(context),
  rejectionFails: ({ context }: Judged) => context.settings.policy.approval.onReject !== 'replan',
  startsOver: ({ context }: Judged) => schedule.startsOver(context),
  timeoutApproves: ({ context }: Judged) =>
    context.settings.policy.approval.onTimeout === 'approve',
  waitsOnPlannerFailure: ({ context }: Judged) =>
    context.settings.policy.failure.onPlannerFailure === 'interrupt' && canPlanAgain(context),
};
