import {
  endsAtOnce,
  endsByRejection,
  isForChild,
  isQuestionOpen,
  keepsPlanOnReject,
} from '../../guards/approval.js';
import { canPlanAgain, canReplan, exhaustedLimit } from '../../guards/budget.js';
import type { Level, Ending } from '../../model/statuses.js';
import { nextLadder } from '../../guards/escalation.js';
import { areRecoveriesUsedUp } from '../../guards/recovery.js';
import { isGatePassed } from '../../guards/gates.js';
import * as proposal from '../../guards/proposal.js';
import * as schedule from '../../guards/schedule.js';
import { nextReady } from '../../plan/progress.js';
import { approvalOf, resultOf } from '../event-output.js';
import { breakerOf, isRepeatedPlan, outcomeIn, refusal } from './events.js';
import type { OrchestratorContext, OrchestratorEvent } from './context.js';

interface Judged {
  readonly context: OrchestratorContext;
  readonly event: OrchestratorEvent;
}

/** The guards named in the orchestrator's chart. Each is one line here and calls a function in src/guards. */
export const orchestratorGuards = {
  areRecoveriesUsedUp: ({ context, event }: Judged) =>
    event.type === 'run.recovered' && areRecoveriesUsedUp(context, event),
  asksOnLimit: ({ context }: Judged) => context.settings.policy.replan.onLimit === 'askHuman',
  canReplan: ({ context }: Judged) => canReplan(context),
  canReplanInTime: ({ context }: Judged) => canReplan(context) && !context.isExecutionClosed,
  canStartSteps: ({ context }: Judged) =>
    schedule.mayStartSteps(context) &&
    context.slots.includes(null) &&
    nextReady(context.progress) !== undefined,
  endsAtOnce: ({ context }: Judged) => endsAtOnce(context),
  endsByRejection: ({ context, event }: Judged) => endsByRejection(context, outcomeIn(event)),
  endsByVerdict: ({ context, event }: Judged) => {
    const verdict = outcomeIn(event)?.verdict;
    if (verdict == null || context.depth > 0) return false;
    return (
      nextLadder(context.ladder, verdict, context.settings.policy.escalation).level === 'abort'
    );
  },
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
  hasVerdictForRun: ({ context, event }: Judged) =>
    context.depth > 0 && outcomeIn(event)?.verdict != null,
  isAccepted: ({ context, event }: Judged) => refusal(context, event) === undefined,
  isAtLevel: ({ context }: Judged, params: { readonly level: Level }) =>
    context.ladder.level === params.level,
  isDrainedAndClosed: ({ context }: Judged) =>
    context.isExecutionClosed && schedule.isIdle(context),
  isEndingAs: ({ context }: Judged, params: { readonly status: Ending['status'] }) =>
    context.ending?.status === params.status,
  isExecutionClosed: ({ context }: Judged) => context.isExecutionClosed,
  // Only a parent knows the route to a child: a command to the root names a question, not a route.
  isForChild: ({ context, event }: Judged) => context.depth > 0 && isForChild(event),
  isGoalMissed: ({ context }: Judged) => schedule.isGoalMissed(context),
  isGoalAccepted: ({ context, event }: Judged) =>
    isGatePassed(context.settings, 'goal', resultOf(event)),
  isGoalRun: ({ context }: Judged) => context.depth === 0,
  isGranted: ({ event }: Judged) => approvalOf(event).isGranted,
  isIdle: ({ context }: Judged) => schedule.isIdle(context),
  isNested: ({ context }: Judged) => context.depth > 0,
  isOutOfBudget: ({ context }: Judged) => exhaustedLimit(context) !== undefined,
  isPaused: ({ context }: Judged) => context.isPaused,
  isPlanAccepted: ({ context, event }: Judged) =>
    isGatePassed(context.settings, 'plan', resultOf(event)),
  isPlanAnswered: ({ event }: Judged) => proposal.isPlanAnswered(resultOf(event)),
  isPlanGiven: ({ context }: Judged) => context.proposal !== null,
  isPlanSettled: ({ context }: Judged) => schedule.isPlanSettled(context),
  isProposalInvalid: ({ context }: Judged) => proposal.isProposalInvalid(context),
  isQuestionOpen: ({ context, event }: Judged) =>
    isQuestionOpen(context, event) && refusal(context, event) === undefined,
  isRepeatedPlan: ({ context }: Judged) => isRepeatedPlan(context),
  isReviewHeld: ({ context }: Judged) => context.isPaused && proposal.needsPlanReview(context),
  isRunOutOfBudget: ({ context }: Judged) =>
    context.depth === 0 && exhaustedLimit(context) !== undefined,
  isSubplanSettled: ({ context }: Judged) => schedule.isSubplanSettled(context),
  keepsPlanOnReject: ({ context }: Judged) => keepsPlanOnReject(context),
  mustStop: ({ context }: Judged) => schedule.mustStop(context),
  needsGoalReview: ({ context }: Judged) => proposal.needsGoalReview(context),
  needsPlanApproval: ({ context }: Judged) => proposal.needsPlanApproval(context),
  needsPlanReview: ({ context }: Judged) => proposal.needsPlanReview(context),
  needsSummary: ({ context }: Judged) => proposal.needsSummary(context),
  rejectionFails: ({ context }: Judged) => context.settings.policy.approval.onReject !== 'replan',
  startsOver: ({ context }: Judged) => schedule.startsOver(context),
  waitsOnPlannerFailure: ({ context }: Judged) =>
    context.settings.policy.failure.onPlannerFailure === 'interrupt' && canPlanAgain(context),
};
