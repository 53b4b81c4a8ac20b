import type { OrchestratorContext } from '../machines/orchestrator.types.js';
import { failureLimit } from '../policy/time.js';
import { canReplan } from './budget.js';

/** Nothing new starts once the run pauses, ends, waits for another plan, or is out of execution time. */
export const mayStartSteps = (context: OrchestratorContext): boolean =>
  !isHalted(context) &&
  !context.isExecutionClosed &&
  context.ending === null &&
  (!hasRequests(context) || goesOnWithoutPlan(context));

/** A person paused the run, or there was a failure too many. */
export const isHalted = (context: OrchestratorContext): boolean =>
  context.isPaused || mustStop(context) || hasTooManyFailures(context);

/** A request that nothing can come of holds nothing up, unless the policy stops at the limit. */
const goesOnWithoutPlan = (context: OrchestratorContext): boolean =>
  !canReplan(context) && context.settings.policy.replan.onLimit === 'continue';

/** Requests that nothing can come of. To finish means to come to an end first, so that the end tells all of it. */
export const hasRefusedRequests = (context: OrchestratorContext): boolean =>
  hasRequests(context) &&
  !canReplan(context) &&
  (context.settings.policy.replan.onLimit !== 'finish' || isIdle(context));

/** A plan that is to replace everything waits for nothing that runs. */
export const startsOver = (context: OrchestratorContext): boolean =>
  context.settings.policy.replan.merge === 'replaceAll' &&
  hasRequests(context) &&
  canReplan(context);

/** The goal was judged and there is no time left for another plan: it is not judged again. */
export const isGoalMissed = (context: OrchestratorContext): boolean =>
  context.isExecutionClosed &&
  isIdle(context) &&
  context.requests.some(({ kind }) => kind === 'goalNotAchieved');

export const isIdle = ({ progress }: OrchestratorContext): boolean => progress.counts.running === 0;

export const isPlanSettled = ({ progress }: OrchestratorContext): boolean =>
  progress.counts.pending === 0 && progress.counts.running === 0;

/** A sub-plan that has nothing left to do comes to its end even while the run is paused: nothing new starts by that. */
export const isSubplanSettled = (context: OrchestratorContext): boolean =>
  context.depth > 0 && context.revision >= 0 && !hasRequests(context) && isPlanSettled(context);

/** Seed 004's "too many failures": judged on what no later plan has answered. */
export const hasTooManyFailures = (context: OrchestratorContext): boolean =>
  context.progress.counts.failedSincePlan >
  failureLimit(context.settings.policy, context.progress.steps.length);

/** A failure ends the run at once when the policy says so. */
export const mustStop = ({ progress, settings }: OrchestratorContext): boolean => {
  const { onStepFailure, onDependencyFailure } = settings.policy.failure;
  if (onStepFailure === 'stop') return progress.counts.failedSincePlan > 0;
  return (
    onDependencyFailure === 'stop' && progress.counts.unresolved > progress.counts.failedSincePlan
  );
};

export const hasRequests = ({ requests }: OrchestratorContext): boolean => requests.length > 0;
