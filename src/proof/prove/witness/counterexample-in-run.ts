import type { Settings } from '../../../model/settings.js';
import { analyse } from '../analysis.js';
import type { System } from '../model.types.js';
import { wholeRunProof } from '../prove-whole-run.js';
import type { Counterexample } from '../prove.types.js';
import type { Charts } from '../whole-run.js';
import { wholeRun } from '../whole-run.js';

/** A run is easier to understand than a chart on its own, but there are too many states to explore all. */
const STATES_MAX = 1_000;
/** The first states of a run with larger plans contain nothing new, but are many more. */
const PLAN_STEPS_MAX = 3;

/** A whole run that breaks a rule, where one is among the first states of all charts together. */
export const counterexampleInRun = (charts: Charts, settings: Settings): Counterexample | null => {
  const planSteps = Math.min(PLAN_STEPS_MAX, settings.policy.limits.maxSteps);
  const system = wholeRun(charts, settings, planSteps, 'one');
  const analysis = { ...analyse(withoutFar(system)), system };
  return wholeRunProof(analysis, charts, settings).counterexample;
};

/** Stops expanding after so many states; violations found before that still count. */
const withoutFar = (system: System): System => {
  let looked = 0;
  return {
    ...system,
    moves: (frame) => {
      looked += 1;
      return looked > STATES_MAX ? [] : system.moves(frame);
    },
  };
};
