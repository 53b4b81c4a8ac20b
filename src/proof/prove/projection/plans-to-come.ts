import { hasGate } from '../../../guards/gates.js';
import { hasTooManyFailures } from '../../../guards/schedule.js';
import type { OrchestratorContext } from '../../../machines/orchestrator/context.js';

/* Whether another plan is possible. Where none is, neither the replans left nor the requests are visible. */

/** Whether steps may still be added, by a plan or by a hand-off. */
export const isPlanPossible = (context: OrchestratorContext, isPlanComing: boolean): boolean =>
  isPlanComing ||
  (context.depth === 0 && context.replans < context.maxReplans && canAskForPlan(context));

/** Steps request plans, and so does the goal review. */
export const canAskForPlan = (context: OrchestratorContext): boolean => {
  const { pending, running } = context.progress.counts;
  if (isLost(context)) return false;
  return pending + running > 0 || isPlanAskedFor(context) || hasGate(context.settings, 'goal');
};

/** Whether a request may lead to a plan: not where no replans are left and the run continues without. */
export const isPlanAskedFor = (context: OrchestratorContext): boolean => {
  const { requests, settings, revision, replans, maxReplans } = context;
  const isRefused =
    revision >= 0 && replans >= maxReplans && settings.policy.replan.onLimit === 'continue';
  return requests.length > 0 && !isRefused && !isLost(context);
};

/** Only a replan can come next, and it is not counted yet. */
export const isReplanDue = (context: OrchestratorContext, isPlanComing: boolean): boolean =>
  !isPlanComing &&
  isPlanAskedFor(context) &&
  context.progress.counts.running === 0 &&
  context.replans < context.maxReplans;

/** The replans left after the one that is due, if any. */
export const replansLeft = (context: OrchestratorContext, isPlanComing: boolean): number => {
  if (!isPlanPossible(context, isPlanComing)) return 0;
  const due = isReplanDue(context, isPlanComing) ? 1 : 0;
  return Math.max(0, context.maxReplans - context.replans - due);
};

/** One failure too many while the run is paused: it ends when it is unpaused. */
export const isLost = (context: OrchestratorContext): boolean =>
  context.progress.counts.running === 0 && hasTooManyFailures(context);
