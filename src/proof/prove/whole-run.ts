import type { AnyStateMachine } from 'xstate';

import type { Settings } from '../../model/settings.js';
import type { RunOutcome } from '../../machines/orchestrator/context.js';
import { NOTHING } from './metrics.js';
import type { System } from './model.types.js';
import { answerMoves } from './moves/call-answers.js';
import { commandMoves } from './moves/commands.js';
import type { WaitsFor } from './moves/plan-links.js';
import { PlanShapes } from './moves/plan-shapes.js';
import { timerMoves } from './moves/timers.js';
import { startMoves } from './moves/starts.js';
import { withWallTime } from './moves/wall-time.js';
import { observedKernel } from './observed-kernel.js';
import { runText } from './projection/run-text.js';
import { boundViolations, replanViolations } from './rules/bound-rules.js';
import { extensionViolations } from './rules/extension-rule.js';
import { plannedViolations } from './rules/planned-rule.js';
import { recoveryViolations } from './rules/recovery-rules.js';
import { rejectionViolations } from './rules/rejection-rules.js';
import { waitingViolations } from './rules/waiting-rules.js';

export type Charts = Readonly<Record<string, AnyStateMachine>>;

/** All charts of a run together, as they run in production. */
export const wholeRun = (
  charts: Charts,
  settings: Settings,
  planSteps: number,
  waitsFor: WaitsFor,
): System => {
  const shapes = new PlanShapes(settings, planSteps, { isBare: false, waitsFor });
  const repertoire = {
    settings,
    shapes,
    areListsEnough: false,
    areStepsCounted: false,
    isHandedOnAsked: true,
  };
  const kernel = observedKernel({ root: 'orchestrator', machines: charts });
  return {
    name: 'the whole run',
    kernel,
    starts: startMoves(repertoire),
    moves: (frame) => [
      ...answerMoves(repertoire, frame),
      ...timerMoves(frame).map((move) => withWallTime(frame, move)),
      ...commandMoves(frame),
    ],
    textOf: runText,
    endOf: ({ output, status }) => `${status} ${(output as RunOutcome | undefined)?.status ?? ''}`,
    costOfStopped: () => NOTHING,
    violations: (frame) => [
      ...boundViolations(frame),
      ...waitingViolations(frame),
      ...extensionViolations(kernel, runText, frame),
    ],
    violationsOfStep: (before, move, step) => [
      ...rejectionViolations(settings.policy, step),
      ...replanViolations(before, step),
      ...recoveryViolations(move, step),
      ...plannedViolations(step),
    ],
  };
};
