import type { OrchestratorContext } from '../../../machines/orchestrator.types.js';
import { failureLimit } from '../../../policy/time.js';
import { flag } from './value-text.js';

/*
 * Failures are compared with a limit, which may grow with the steps that were planned so far. Most of the time that
 * comparison is settled: whatever fails from here on is not too much. Then neither number is seen any more, and runs
 * that differ in nothing else are one. What is left out here is held to its bound at every arrival: see planned-rule.ts.
 */
export const failuresText = (context: OrchestratorContext, isPlanComing: boolean): string => {
  const { progress, givenUp, settings } = context;
  const { failedSincePlan, unresolved } = progress.counts;
  const { onStepFailure, onDependencyFailure } = settings.policy.failure;
  return [
    leftText(context, isPlanComing),
    plannedText(context, isPlanComing),
    flag(onStepFailure === 'stop' && failedSincePlan > 0),
    flag(unresolved > 0),
    flag(onDependencyFailure === 'stop' && unresolved > failedSincePlan),
    flag(givenUp.length > 0),
  ].join('.');
};

/** How many more may fail, where so many more can. */
const leftText = (context: OrchestratorContext, isPlanComing: boolean): string => {
  const { failedSincePlan } = context.progress.counts;
  const left = failuresLeft(context);
  if (mostToFail(context) <= left) return '';
  // Where the limit can still grow, it does so with the steps, which are told then.
  return isLimitOpen(context, isPlanComing) ? `f${failedSincePlan}` : `${Math.max(-1, left)}`;
};

/** How many steps were planned, as far as it makes a difference to the limit or to whether there is a summary. */
const plannedText = (context: OrchestratorContext, isPlanComing: boolean): string => {
  const { settings, depth, progress } = context;
  const planned = progress.steps.length;
  const forSummary = settings.team.hasSummarizer && depth === 0 ? 2 : 0;
  const isOpen = isLimitOpen(context, isPlanComing);
  const isClose = isOpen && mostToFail(context) > failuresLeft(context);
  const forLimit = isOpen ? plannedSeen(context, isPlanComing) : 0;
  return String(isClose ? planned : Math.min(planned, Math.max(forSummary, forLimit)));
};

const failuresLeft = ({ progress, settings }: OrchestratorContext): number =>
  failureLimit(settings.policy, progress.steps.length) - progress.counts.failedSincePlan;

/** A step that hands on is completed, so what is handed on adds nothing that can fail. */
const mostToFail = ({ progress, isExecutionClosed }: OrchestratorContext): number =>
  progress.counts.running + (isExecutionClosed ? 0 : progress.counts.pending);

/** Whether steps may still be added, by a plan or by a hand-off, and whether the limit grows with them. */
const isLimitOpen = (context: OrchestratorContext, isPlanComing: boolean): boolean =>
  context.settings.policy.limits.maxFailures === null &&
  (isPlanComing || (context.depth === 0 && context.replans < context.maxReplans));

/** From how many steps on the limit is as high as the failures that a later plan can come to. */
const plannedSeen = (context: OrchestratorContext, isPlanComing: boolean): number => {
  const { settings, replans, maxReplans, progress, requests, isExecutionClosed } = context;
  const { policy } = settings;
  // What is planned after the time to execute is over never runs, so it cannot fail.
  if (isExecutionClosed) return 0;
  const { maxSteps } = policy.limits;
  const isKeeping = policy.replan.merge.startsWith('append');
  const plans = Math.max(0, maxReplans - replans) + (isPlanComing ? 1 : 0);
  // A step has to end before anything asks for another plan, so each adds one less than it has; unless one has ended.
  const live = progress.counts.pending + progress.counts.running;
  const first = isPlanComing || requests.length > 0 ? live + 1 : Math.max(1, live);
  const most = isKeeping ? first + plans * (maxSteps - 1) : maxSteps;
  // A plan of that many steps is counted with what it is compared with.
  const added = isKeeping ? 0 : maxSteps;
  let planned = 0;
  while (failureLimit(policy, planned + added) < most) planned += 1;
  return planned;
};
