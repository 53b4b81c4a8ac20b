import type { CallResult } from '../model/calls.js';
import type { Progress } from '../model/progress.js';
import type { Proposal } from '../model/proposal.js';
import type { Settings } from '../model/settings.js';
import { hasGate } from './gates.js';

/** The part of a run that concerns its plans. */
interface PlannedRun {
  readonly settings: Settings;
  readonly depth: number;
  /** Revisions adopted so far; -1 before the first. */
  readonly revision: number;
  readonly progress: Progress;
  readonly proposal: Proposal | null;
}

export const isPlanAnswered = (result: CallResult): boolean =>
  result.kind === 'answered' && result.answer.role === 'planner';

export const isProposalInvalid = ({ proposal }: PlannedRun): boolean =>
  proposal?.plan == null || proposal.issues.length > 0;

export const needsPlanReview = ({ settings }: PlannedRun): boolean => hasGate(settings, 'plan');

/**
 * Only the goal's own plan needs approval: a sub-plan belongs to a step that was approved. The plan's own statements,
 * such as a trivial scope, never waive it.
 */
export const needsPlanApproval = ({ settings, depth }: PlannedRun): boolean =>
  depth === 0 && settings.policy.approval.plan;

export const hasPlan = ({ revision }: PlannedRun): boolean => revision >= 0;

export const needsGoalReview = ({ settings, depth }: PlannedRun): boolean =>
  depth === 0 && hasGate(settings, 'goal');

/** A run of one task needs no summary; its output speaks for itself. */
export const needsSummary = ({ settings, depth, progress }: PlannedRun): boolean =>
  depth === 0 && settings.team.hasSummarizer && progress.steps.length > 1;
