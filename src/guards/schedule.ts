import type { ReplanRequest } from '../model/calls.js';
import type { Progress } from '../model/progress.js';
import type { Ending } from '../model/statuses.js';
import { failureLimit } from './time-budgets.js';
import type { ReplanBudget } from './budget.js';
import { canReplan } from './budget.js';

/** A run as far as the order of its steps is concerned. */
interface ScheduledRun extends ReplanBudget {
  readonly isPaused: boolean;
  /** True when only verification and summary may still happen. */
  readonly isExecutionClosed: boolean;
  readonly ending: Ending | null;
  readonly revision: number;
  readonly requests: readonly ReplanRequest[];
  readonly progress: Progress;
}

/** Nothing new starts once the run pauses, ends, waits for another plan, or is out of execution time. */
export const mayStartSteps = (context: ScheduledRun): boolean =>
  !isHalted(context) &&
  !context.isExecutionClosed &&
  context.ending === null &&
  (!hasRequests(context) || goesOnWithoutPlan(context));

/** A person paused the run, or there was a failure too many. */
const isHalted = (context: ScheduledRun): boolean =>
  context.isPaused || mustStop(context) || hasTooManyFailures(context);

/** A request that nothing can come of holds nothing up, unless the policy stops at the limit. */
const goesOnWithoutPlan = (context: ScheduledRun): boolean =>
  !canReplan(context) && context.settings.policy.replan.onLimit === 'continue';

/** Requests that nothing can come of. To finish means to come to an end first, so that the end tells all of it. */
export const hasRefusedRequests = (context: ScheduledRun): boolean =>
  hasRequests(context) &&
  !canReplan(context) &&
  (context.settings.policy.replan.onLimit !== 'finish' || isIdle(context));

/** A plan that is to replace everything waits for nothing that runs. */
export const startsOver = (context: ScheduledRun): boolean =>
  context.settings.policy.replan.merge === 'replaceAll' &&
  hasRequests(context) &&
  canReplan(context);

/** The goal was judged and there is no time left for another plan: it is not judged again. */
export const isGoalMissed = (context: ScheduledRun): boolean =>
  context.isExecutionClosed &&
  isIdle(context) &&
  context.requests.some(({ kind }) => kind === 'goalNotAchieved');

export const isIdle = ({ progress }: ScheduledRun): boolean => progress.counts.running === 0;

export const isPlanSettled = ({ progress }: ScheduledRun): boolean =>
  progress.counts.pending === 0 && progress.counts.running === 0;

/** A sub-plan that has nothing left to do comes to its end even while the run is paused: nothing new starts by that. */
export const isSubplanSettled = (context: ScheduledRun): boolean =>
  context.depth > 0 && context.revision >= 0 && !hasRequests(context) && isPlanSettled(context);

/** Seed 004's "too many failures": judged on what no later plan has answered. */
export const hasTooManyFailures = (context: ScheduledRun): boolean =>
  context.progress.counts.failedSincePlan >
  failureLimit(context.settings.policy, context.progress.steps.length);

/** A failure ends the run at once when the policy says so. */
export const mustStop = ({ progress, settings }: ScheduledRun): boolean => {
  const { onStepFailure, onDependencyFailure } = settings.policy.failure;
  if (onStepFailure === 'stop') return progress.counts.failedSincePlan > 0;
  return (
    onDependencyFailure === 'stop' && progress.counts.unresolved > progress.counts.failedSincePlan
  );
};

export const hasRequests = ({ requests }: ScheduledRun): boolean => requests.length > 0;
