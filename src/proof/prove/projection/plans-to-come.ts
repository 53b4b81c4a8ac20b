import { hasGate } from '../../../guards/gates.js';
import { hasTooManyFailures } from '../../../guards/schedule.js';
import type { OrchestratorContext } from '../../../machines/orchestrator/context.js';

/*
 * Whether there may be another plan. Where there is none to come, nobody sees how many are left, nor whether one was asked
 * for.
 */

/** Whether steps may still be added, by a plan or by a hand-off. */
export const isPlanPossible = (context: OrchestratorContext, isPlanComing: boolean): boolean =>
  isPlanComing ||
  (context.depth === 0 && context.replans < context.maxReplans && canAskForPlan(context));

/** Steps ask for plans, and so does whoever judges the goal. */
export const canAskForPlan = (context: OrchestratorContext): boolean => {
  const { pending, running } = context.progress.counts;
  if (isLost(context)) return false;
  return pending + running > 0 || isPlanAskedFor(context) || hasGate(context.settings, 'goal');
};

/** Whether something may come of what was asked for: not where no replans are left and the run goes on without. */
export const isPlanAskedFor = (context: OrchestratorContext): boolean => {
  const { requests, settings, revision, replans, maxReplans } = context;
  const isRefused =
    revision >= 0 && replans >= maxReplans && settings.policy.replan.onLimit === 'continue';
  return requests.length > 0 && !isRefused && !isLost(context);
};

/** Another plan is all that can come next, and is not paid for yet. */
export const isReplanDue = (context: OrchestratorContext, isPlanComing: boolean): boolean =>
  !isPlanComing &&
  isPlanAskedFor(context) &&
  context.progress.counts.running === 0 &&
  context.replans < context.maxReplans;

/** After the replan that is due, if one is. */
export const replansLeft = (context: OrchestratorContext, isPlanComing: boolean): number => {
  if (!isPlanPossible(context, isPlanComing)) return 0;
  const due = isReplanDue(context, isPlanComing) ? 1 : 0;
  return Math.max(0, context.maxReplans - context.replans - due);
};

/** A failure too many, while the run is paused: as soon as it goes on, it ends. */
export const isLost = (context: OrchestratorContext): boolean =>
  context.progress.counts.running === 0 && hasTooManyFailures(context);
