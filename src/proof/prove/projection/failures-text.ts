import { hasGate } from '../../../guards/gates.js';
import type { OrchestratorContext } from '../../../machines/orchestrator/context.js';
import { failureLimit } from '../../../guards/time-budgets.js';
import type { Sight } from './orchestrator-text.js';
import { isPlanPossible, isReplanDue, replansLeft } from './plans-to-come.js';
import { flag } from './value-text.js';

/*
 * Failures are compared with a limit, which may grow with the number of planned steps. Most of the time that comparison
 * is settled: no further failure can exceed the limit. Then neither number is visible, and runs that differ in nothing
 * else are one. planned-rule.ts checks the omitted numbers at every state.
 */
export const failuresText = (context: OrchestratorContext, sight: Sight): string => {
  const { isPlanComing, areStepsCounted } = sight;
  const { progress, givenUp, settings } = context;
  const { failedSincePlan, unresolved } = progress.counts;
  const { onStepFailure, onDependencyFailure } = settings.policy.failure;
  return [
    areStepsCounted ? lastText(context, isPlanComing) : leftText(context, isPlanComing),
    plannedText(context, sight),
    flag(onStepFailure === 'stop' && failedSincePlan > 0),
    flag(unresolved > 0),
    flag(onDependencyFailure === 'stop' && unresolved > failedSincePlan),
    flag(givenUp.length > 0),
  ].join('.');
};

/**
 * How many more steps may fail, where so many can; and how many after each hand-off, which adds a planned step while as
 * many wait and run as before.
 */
const leftText = (context: OrchestratorContext, isPlanComing: boolean): string => {
  const most = mostToFail(context, isPlanComing);
  const handOffs = isLimitOpen(context, isPlanComing) ? handOffsLeft(context, isPlanComing) : 0;
  const left: number[] = [];
  for (let added = 0; added <= handOffs; added += 1) {
    const next = failuresLeft(context, added);
    if (next >= most) break;
    left.push(Math.max(-1, next));
  }
  return left.join('+');
};

/** Where steps are counted any failure except the first may be the last: see counted-steps.ts. */
const lastText = (context: OrchestratorContext, isPlanComing: boolean): string => {
  const left = failuresLeft(context);
  return left <= 0 && left < mostToFail(context, isPlanComing) ? String(Math.max(-1, left)) : '';
};

/** Before the last failure. When the execution time is over, a handed-off step does not hand off again. */
const handOffsLeft = (context: OrchestratorContext, isPlanComing: boolean): number => {
  const { isExecutionClosed, progress } = context;
  const left = replansLeft(context, isPlanComing);
  return isExecutionClosed ? Math.min(left, Math.max(0, progress.counts.running - 1)) : left;
};

/** The number of planned steps, as far as the limit or the summary depends on it. */
const plannedText = (
  context: OrchestratorContext,
  { isPlanComing, areStepsCounted }: Sight,
): string => {
  const { settings, depth, progress } = context;
  const forSummary = settings.team.hasSummarizer && depth === 0 ? 2 : 0;
  const isSeen = !areStepsCounted && isLimitOpen(context, isPlanComing);
  const forLimit = isSeen ? plannedSeen(context, isPlanComing) : 0;
  return String(Math.min(progress.steps.length, Math.max(forSummary, forLimit)));
};

export const failuresLeft = ({ progress, settings }: OrchestratorContext, added = 0): number =>
  failureLimit(settings.policy, progress.steps.length + added) - progress.counts.failedSincePlan;

/** A step that hands off is completed, so its hand-off adds no step that can fail. */
const mostToFail = (context: OrchestratorContext, isPlanComing: boolean): number => {
  const { pending, running } = context.progress.counts;
  if (!context.isExecutionClosed) {
    return pending + running - unseenFailures(context, replansLeft(context, isPlanComing));
  }
  // The end of a run that is out of time reports steps that never started; that of a failed run does not.
  return pending > 0 ? running : running - unseenFailures(context, 0);
};

/**
 * With one slot, where no failure causes a replan and the goal is not judged, a plan that ends with a failure ends the
 * run just as one failure too many does: so the last step may fail, too.
 */
const unseenFailures = ({ settings }: OrchestratorContext, replans: number): number => {
  const { limits, failure, approval } = settings.policy;
  // A rejected step has failed, too.
  const isAsking = failure.onStepFailure === 'replan' || approval.onReject === 'replan';
  const isAnswered = isAsking && replans > 0;
  return limits.maxParallel === 1 && !isAnswered && !hasGate(settings, 'goal') ? 1 : 0;
};

/** Whether steps may still be added, by a plan or by a hand-off, and whether the limit grows with them. */
const isLimitOpen = (context: OrchestratorContext, isPlanComing: boolean): boolean =>
  context.settings.policy.limits.maxFailures === null && isPlanPossible(context, isPlanComing);

/** The number of planned steps from which on the limit covers all failures that a later plan can reach. */
const plannedSeen = (context: OrchestratorContext, isPlanComing: boolean): number => {
  const { settings, isExecutionClosed } = context;
  // A plan after the execution time never runs, so its steps cannot fail.
  if (isExecutionClosed) return 0;
  const later = laterPlans(context, isPlanComing);
  const isTold = (planned: number): boolean =>
    later.some(({ added, most }) => failureLimit(settings.policy, planned + added) < most);
  let planned = 0;
  while (isTold(planned)) planned += 1;
  return planned;
};

interface LaterPlan {
  /** How many steps were added by then. */
  readonly added: number;
  /** How many can fail after it. */
  readonly most: number;
}

/** After each possible later plan. A longer plan adds more possible failures than it adds to the limit. */
const laterPlans = (context: OrchestratorContext, isPlanComing: boolean): LaterPlan[] => {
  const { settings, progress } = context;
  const { limits, replan } = settings.policy;
  const { maxSteps } = limits;
  const isDue = isPlanComing || isReplanDue(context, isPlanComing);
  const plans = replansLeft(context, isPlanComing) + (isDue ? 1 : 0);
  const isKeeping = replan.merge.startsWith('append');
  // A step has to end before another plan is requested, so each plan adds one less than its size, unless a step has
  // ended already.
  const live = progress.counts.pending + progress.counts.running;
  const first = isDue || context.requests.length > 0 ? live + 1 : Math.max(1, live);
  return Array.from({ length: plans }, (_, index) => {
    const unseen = unseenFailures(context, plans - index - 1);
    return isKeeping
      ? { added: (index + 1) * maxSteps, most: first + (index + 1) * (maxSteps - 1) - unseen }
      : { added: maxSteps, most: maxSteps - unseen };
  });
};
