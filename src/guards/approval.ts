import type { OpenQuestion } from '../model/proposal.js';
import type { Settings } from '../model/settings.js';
import type { Ending } from '../model/statuses.js';
import type { StepOutcome } from '../model/step-outcome.js';
import type { PlannedStep } from '../model/progress.js';

interface Confidences {
  readonly settings: Settings;
  /** The last confidence of each agent that gave one. */
  readonly confidence: Readonly<Record<string, number>>;
}

interface EndingSoFar {
  readonly ending: Ending | null;
  readonly rejected: string | null;
}

interface PlanSoFar {
  readonly settings: Settings;
  /** Revisions adopted so far; -1 before the first. */
  readonly revision: number;
}

/** An answer with an empty route is for the chart that asked. */
export const isAnswerToOwnQuestion = (
  requestId: string | undefined,
  event: { readonly type: string },
): boolean => 'requestId' in event && event.requestId === requestId && !isForChild(event);

/** An answer with hops left on its route. */
export const isForChild = (event: { readonly type: string }): boolean =>
  'route' in event && Array.isArray(event.route) && event.route.length > 0;

/**
 * Why a person must approve a step before it starts; null when no question is asked. A trivial plan waives only the
 * question about `approval.agents`, and only where the policy says so.
 */
export const approvalQuestion = (
  step: Pick<PlannedStep, 'agent' | 'requiresApproval' | 'isTrivial'>,
  { settings, confidence }: Confidences,
): string | null => {
  const { agents, confidenceBelow, autoApproveTrivial } = settings.policy.approval;
  if (step.requiresApproval) return `The plan asks for approval before ${step.agent} starts`;
  if (agents.includes(step.agent) && !(autoApproveTrivial && step.isTrivial)) {
    return `The policy asks for approval before ${step.agent} starts`;
  }
  const last = Object.hasOwn(confidence, step.agent) ? confidence[step.agent] : undefined;
  if (confidenceBelow === null || last === undefined || last >= confidenceBelow) return null;
  return `The last answer of ${step.agent} had a confidence of ${last}, below ${confidenceBelow}`;
};

/** A child's question without an answer. */
export const isQuestionOpen = (
  { questions }: { readonly questions: readonly OpenQuestion[] },
  event: { readonly type: string },
): boolean =>
  'requestId' in event &&
  questions.some((question) => question.requestId === event.requestId && question.route.length > 0);

/** A person rejected it, or no approval came in time. */
export const isRejected = ({ code }: StepOutcome): boolean =>
  code === 'rejected' || code === 'approval-expired';

/** A rejection, here or in a sub-plan of the step, that ends the run under this policy. */
export const endsByRejection = (
  { settings }: { readonly settings: Settings },
  outcome: StepOutcome | undefined,
): boolean =>
  settings.policy.approval.onReject === 'fail' &&
  outcome?.status === 'failed' &&
  (isRejected(outcome) || outcome.code === 'subplan-rejected');

/** A run ended by a person, through an abort or a rejection, waits for no running step. */
export const endsAtOnce = ({ ending, rejected }: EndingSoFar): boolean =>
  ending?.status === 'aborted' || rejected !== null;

/** A rejected revision leaves the present plan in force. A rejected first plan leaves none. */
export const keepsPlanOnReject = ({ revision, settings }: PlanSoFar): boolean =>
  settings.policy.approval.onReject === 'skip' && revision >= 0;
