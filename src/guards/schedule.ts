import type { ReplanRequest } from '../model/calls.js';
import type { Progress } from '../model/progress.js';
import type { StepOutcome } from '../model/step-outcome.js';
import type { Ending } from '../model/statuses.js';
import { failureLimit } from './time-budgets.js';
import type { ReplanBudget } from './budget.js';
import { canReplan } from './budget.js';

/** The part of a run that concerns the order of its steps. */
interface ScheduledRun extends ReplanBudget {
  readonly isPaused: boolean;
  /** True when only verification and summary are still allowed. */
  readonly isExecutionClosed: boolean;
  readonly ending: Ending | null;
  readonly revision: number;
  readonly requests: readonly ReplanRequest[];
  readonly progress: Progress;
}

/** No step starts once the run pauses, ends, waits for another plan, or has no execution time left. */
export const mayStartSteps = (context: ScheduledRun): boolean =>
  !isHalted(context) &&
  !context.isExecutionClosed &&
  context.ending === null &&
  (!hasRequests(context) || goesOnWithoutPlan(context));

/** A person paused the run, or too many steps failed. */
const isHalted = (context: ScheduledRun): boolean =>
  context.isPaused || mustStop(context) || hasTooManyFailures(context);

/** A refused replan request holds nothing up, unless the policy stops at the limit. */
const goesOnWithoutPlan = (context: ScheduledRun): boolean =>
  !canReplan(context) && context.settings.policy.replan.onLimit === 'continue';

/**
 * Replan requests that are refused because no replan is left. With `onLimit: 'finish'` the running steps finish first.
 */
export const hasRefusedRequests = (context: ScheduledRun): boolean =>
  hasRequests(context) &&
  !canReplan(context) &&
  (context.settings.policy.replan.onLimit !== 'finish' || isIdle(context));

/** A plan that replaces everything does not wait for running steps. */
export const startsOver = (context: ScheduledRun): boolean =>
  context.settings.policy.replan.merge === 'replaceAll' &&
  hasRequests(context) &&
  canReplan(context);

/** The goal was judged and no time is left for another plan: it is not judged again. */
export const isGoalMissed = (context: ScheduledRun): boolean =>
  context.isExecutionClosed &&
  isIdle(context) &&
  context.requests.some(({ kind }) => kind === 'goalNotAchieved');

export const isIdle = ({ progress }: ScheduledRun): boolean => progress.counts.running === 0;

export const isPlanSettled = ({ progress }: ScheduledRun): boolean =>
  progress.counts.pending === 0 && progress.counts.running === 0;

/** A sub-plan with nothing left to do ends even while the run is paused: that starts nothing new. */
export const isSubplanSettled = (context: ScheduledRun): boolean =>
  context.depth > 0 && context.revision >= 0 && !hasRequests(context) && isPlanSettled(context);

/** Seed 004's "too many failures": counts the failures since the last plan. */
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

/** Failures by the time limit of a step. */
export const STEP_TIME_CODES: readonly string[] = ['step-timeout', 'subplan-timeout'];

/** A step failed because the time for executing the plan was over: a share of it, with other steps, does not count. */
export const hasUsedUpTime = (
  { depth, isExecutionClosed, settings, progress }: ScheduledRun,
  { status, code }: StepOutcome,
): boolean =>
  status === 'failed' &&
  STEP_TIME_CODES.includes(code) &&
  (isExecutionClosed ||
    depth > 0 ||
    !settings.policy.time.stepShare ||
    progress.steps.length === 1);
