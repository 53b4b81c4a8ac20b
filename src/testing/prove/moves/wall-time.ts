import type { OrchestratorContext } from '../../../machines/orchestrator.types.js';
import { NOTHING } from '../metrics.js';
import type { Frame, Move } from '../model.types.js';
import { EXTENSION_MS } from '../projection/orchestrator-text.js';

/*
 * How long a run can take follows from the deadlines of the run itself: at any time it has one, armed when its state
 * was entered, and whatever happens before it elapses takes no longer. So a run takes no longer than the deadlines
 * that it came to, one after the other. Time that people gave is not counted.
 */

/** Adds the deadline of the run to the move that it elapses by. */
export const withWallTime = (frame: Frame, move: Move): Move => {
  const wallTimeMs = move.input.kind === 'elapsed' ? deadlineMs(frame, move.input.timer) : 0;
  return wallTimeMs === 0 ? move : { ...move, cost: { ...NOTHING, wallTimeMs } };
};

const deadlineMs = ({ state }: Frame, timer: string): number => {
  const context = state.nodes.get('')?.snapshot.context as OrchestratorContext;
  if (timer.endsWith('.orchestrator.windingDown')) return context.settings.policy.time.graceMs;
  const isClock = timer.startsWith('#') && timer.includes('.orchestrator.active.clock.');
  return isClock && context.clockMs < EXTENSION_MS ? context.clockMs : 0;
};
