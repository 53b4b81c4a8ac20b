import type { OrchestratorContext } from '../machines/orchestrator.types.js';

/** An answer with an empty route is for the chart that holds the question itself. */
export const isAnswerToOwnQuestion = (
  requestId: string | undefined,
  event: { readonly type: string },
): boolean => 'requestId' in event && event.requestId === requestId && !isForChild(event);

/** An answer that still has a way to go. */
export const isForChild = (event: { readonly type: string }): boolean =>
  'route' in event && Array.isArray(event.route) && event.route.length > 0;

/** Why a person must agree before a step starts; null when nobody must. */
export const approvalQuestion = (
  step: { readonly agent: string; readonly requiresApproval: boolean },
  { settings, confidence, scope }: OrchestratorContext,
): string | null => {
  const { agents, confidenceBelow, autoApproveTrivial } = settings.policy.approval;
  if (step.requiresApproval) return `The plan asks for approval before ${step.agent} starts`;
  if (agents.includes(step.agent) && !(autoApproveTrivial && scope === 'trivial')) {
    return `The policy asks for approval before ${step.agent} starts`;
  }
  const last = Object.hasOwn(confidence, step.agent) ? confidence[step.agent] : undefined;
  if (confidenceBelow === null || last === undefined || last >= confidenceBelow) return null;
  return `The last answer of ${step.agent} had a confidence of ${last}, below ${confidenceBelow}`;
};

/** A child's question that nobody has answered yet. */
export const isQuestionOpen = (
  { questions }: OrchestratorContext,
  event: { readonly type: string },
): boolean =>
  'requestId' in event &&
  questions.some((question) => question.requestId === event.requestId && question.route.length > 0);
