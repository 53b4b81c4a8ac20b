import type { OrchestratorContext } from '../../../machines/orchestrator/context.js';
import { closingMs } from '../../../machines/orchestrator/updates.js';
import { NOTHING } from '../metrics.js';
import type { Frame, Move } from '../model.types.js';
import { rootPlanOf } from '../root-plan.js';

/*
 * The duration of a run follows from its own deadlines: at any time it has one, armed when its state was entered, and
 * everything before it elapses takes no longer. So a run takes at most the sum of its deadlines. Time granted by people
 * is not counted: each part of the clock counts as what the policy gives it, when it is over.
 */

/** Adds the deadline of the run to the move by which it elapses. */
export const withWallTime = (frame: Frame, move: Move): Move => {
  const wallTimeMs = move.input.kind === 'elapsed' ? deadlineMs(frame, move.input.timer) : 0;
  return wallTimeMs === 0 ? move : { ...move, cost: { ...NOTHING, wallTimeMs } };
};

export const isGracePeriod = (timer: string): boolean =>
  timer.endsWith('.orchestrator.windingDown');

const deadlineMs = (frame: Frame, timer: string): number => {
  const context = rootPlanOf(frame);
  // The waiting time of a sub-plan is part of that of the run.
  if (!timer.startsWith('#')) return 0;
  if (isGracePeriod(timer)) return context.settings.policy.time.graceMs;
  const isClock = timer.includes('.orchestrator.active.clock.');
  return isClock && context.extensionMs === 0 ? partMs(context) : 0;
};

const partMs = ({ settings, limitMs, isExecutionClosed }: OrchestratorContext): number => {
  const atTheEndMs = closingMs(settings, limitMs);
  return isExecutionClosed ? atTheEndMs : Math.max(0, limitMs - atTheEndMs);
};
