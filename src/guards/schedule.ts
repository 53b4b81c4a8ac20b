import type { OrchestratorContext } from '../machines/orchestrator.types.js';
import { canReplan } from './budget.js';

/** Nothing new starts once the run pauses, waits for another plan, or is out of execution time. */
export const mayStartSteps = (context: OrchestratorContext): boolean =>
  !context.isPaused &&
  !context.isExecutionClosed &&
  context.ending === null &&
  (context.requests.length === 0 || !canReplan(context));

export const isIdle = ({ progress }: OrchestratorContext): boolean => progress.counts.running === 0;

export const isPlanSettled = ({ progress }: OrchestratorContext): boolean =>
  progress.counts.pending === 0 && progress.counts.running === 0;

/** Seed 004's "too many failures": judged on what no later plan has answered. */
export const hasTooManyFailures = (context: OrchestratorContext): boolean =>
  context.progress.counts.failedSincePlan > failureLimit(context);

const failureLimit = ({ settings, progress }: OrchestratorContext): number =>
  settings.policy.limits.maxFailures ?? Math.max(2, Math.ceil(progress.steps.length / 3));

/** A failure ends the run at once when the policy says so. */
export const mustStop = ({ progress, settings }: OrchestratorContext): boolean => {
  const { onStepFailure, onDependencyFailure } = settings.policy.failure;
  if (onStepFailure === 'stop') return progress.counts.failedSincePlan > 0;
  return (
    onDependencyFailure === 'stop' && progress.counts.unresolved > progress.counts.failedSincePlan
  );
};

export const hasRequests = ({ requests }: OrchestratorContext): boolean => requests.length > 0;
