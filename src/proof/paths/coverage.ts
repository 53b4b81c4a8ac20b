import type { AnyStateMachine } from 'xstate';

import { chartElementsOf } from './chart-elements.js';
import type { Sightings } from './observe.js';
import type { ChartCoverage } from './paths.types.js';

/** The coverage of each chart, counted from the charts themselves. */
export const coverageOf = (
  charts: Readonly<Record<string, AnyStateMachine>>,
  seen: Pick<Sightings, 'states' | 'transitions'>,
): ChartCoverage[] =>
  Object.entries(charts).map(([chart, machine]) => {
    const { states, transitions } = chartElementsOf(machine);
    const missingStates = states.filter((state) => !seen.states.has(state));
    const missing = transitions.filter((transition) => !seen.transitions.has(transition));
    return {
      chart,
      states: states.length,
      coveredStates: states.length - missingStates.length,
      transitions: transitions.length,
      coveredTransitions: transitions.length - missing.length,
      missingStates,
      missing,
    };
  });
