import { itemsOf } from '../../plan/chunked-list.js';
import type { Ending } from '../../model/statuses.js';
import type { OrchestratorContext, RunOutcome } from './context.js';

/* How a run ends, and why. */

type Change = Partial<OrchestratorContext>;

/** The first ending stands: a later one is its consequence. */
export const endedWith = ({ ending }: OrchestratorContext, next: Ending): Change =>
  ending === null ? { ending: next } : {};

const TIME_USED_UP: Ending = { status: 'timeExpired', reason: 'execution-time-used' };

/** Steps failed, and the policy ends the run by that; by the clock where a step used up the time. */
export const failureEnding = ({ isTimeUsedUp }: OrchestratorContext, reason: string): Ending =>
  isTimeUsedUp ? TIME_USED_UP : { status: 'failed', reason };

/** The ending of a run that nothing else has ended. */
export const naturalEnding = ({
  progress,
  givenUp,
  isExecutionClosed,
  isTimeUsedUp,
}: OrchestratorContext): Ending => {
  const { pending, running, unresolved } = progress.counts;
  if (isExecutionClosed && pending + running > 0) return TIME_USED_UP;
  if (unresolved > 0 && isTimeUsedUp) return TIME_USED_UP;
  if (unresolved > 0) return { status: 'failed', reason: 'steps-failed' };
  if (pending + running + givenUp.length > 0) return { status: 'failed', reason: 'steps-left' };
  return {
    status: 'completed',
    reason: progress.steps.length === 0 ? 'empty-plan' : 'all-steps-completed',
  };
};

/** A rejection that ends the run at once. */
export const endedByRejection = (context: OrchestratorContext, rejected: string): Change => ({
  rejected,
  ...endedWith(context, { status: 'failed', reason: `step-rejected: ${rejected}` }),
});

/** Why the run ended. A goal that was met or missed after a refused request names the bound, too. */
export const endReason = ({ ending, refused }: OrchestratorContext): string => {
  if (ending === null) return '';
  const { status, reason } = ending;
  const isByWork = status === 'completed' || status === 'failed';
  return !isByWork || refused === null || reason.includes(refused)
    ? reason
    : `${reason}: ${refused}`;
};

export const runOutcome = (context: OrchestratorContext): RunOutcome => ({
  status: context.ending?.status ?? 'failed',
  reason: endReason(context),
  rejected: context.rejected,
  outputKeys: itemsOf(context.progress.states).flatMap((state) => state.outputKeys),
});
