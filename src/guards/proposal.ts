import type { CallResult } from '../actors/call.types.js';
import type { OrchestratorContext } from '../machines/orchestrator.types.js';
import { hasGate, isGatePassed } from './gates.js';

export const isPlanAnswered = (result: CallResult): boolean =>
  result.kind === 'answered' && result.answer.role === 'planner';

export const isProposalInvalid = ({ proposal }: OrchestratorContext): boolean =>
  proposal?.plan == null || proposal.issues.length > 0;

export const needsPlanReview = ({ settings }: OrchestratorContext): boolean =>
  hasGate(settings, 'plan');

export const isPlanAccepted = ({ settings, review }: OrchestratorContext): boolean =>
  review !== null && isGatePassed(settings, 'plan', review);

export const isGoalAccepted = ({ settings, review }: OrchestratorContext): boolean =>
  review !== null && isGatePassed(settings, 'goal', review);

/**
 * Sub-plans are made on behalf of a step that was approved; only the goal's own plan is put to a person. What the plan
 * says about itself, such as a trivial scope, never waives that.
 */
export const needsPlanApproval = ({ settings, depth }: OrchestratorContext): boolean =>
  depth === 0 && settings.policy.approval.plan;

export const hasPlan = ({ revision }: OrchestratorContext): boolean => revision >= 0;

export const needsGoalReview = ({ settings, depth }: OrchestratorContext): boolean =>
  depth === 0 && hasGate(settings, 'goal');

/** One task speaks for itself; a summary is for several, whatever became of them. */
export const needsSummary = ({ settings, depth, progress }: OrchestratorContext): boolean =>
  depth === 0 && settings.team.hasSummarizer && progress.steps.length > 1;
