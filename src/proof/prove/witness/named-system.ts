import type { Settings } from '../../../model/settings.js';
import { callSystem } from '../compositional/call-system.js';
import { repertoireFor } from '../compositional/compose.js';
import type { Contracts } from '../compositional/contracts.js';
import { goalSystem, subplanSystem } from '../compositional/plan-system.js';
import { stepSystem } from '../compositional/step-system.js';
import type { System } from '../model.types.js';
import type { Charts } from '../whole-run.js';
import { wholeRun } from '../whole-run.js';

/** A replayed path needs charts and rules, not the contracts for other moves. */
const NO_CONTRACTS: Contracts = { calls: new Map() };

type MakeSystem = () => System;

/** The system of that name, for this policy and team; undefined when there is none. */
export const namedSystem = (
  chartsFor: (settings: Settings) => Charts,
  settings: Settings,
  name: string,
): System | undefined => {
  for (const make of systems(chartsFor, settings)) {
    const system = make();
    if (system.name === name) return system;
  }
  return undefined;
};

/** Every system of a proof of this policy, the whole run first. */
function* systems(
  chartsFor: (settings: Settings) => Charts,
  settings: Settings,
): Generator<MakeSystem> {
  yield () => wholeRun(chartsFor(settings), settings, 0, 'one');
  const repertoire = repertoireFor(settings);
  const charts = chartsFor(repertoire.settings);
  for (const hasFallback of [false, true]) {
    for (const isWindingDown of [false, true]) {
      yield () => callSystem(charts, repertoire.settings, { hasFallback, isWindingDown }, false);
    }
  }
  for (let level = 0; level <= settings.policy.limits.maxDepth; level += 1) {
    yield () => stepSystem(charts, repertoire, NO_CONTRACTS, level, 'planned');
    yield () => stepSystem(charts, repertoire, NO_CONTRACTS, level, 'handed on');
    yield () => subplanSystem(charts, repertoire, NO_CONTRACTS, level);
  }
  yield () => goalSystem(charts, repertoire, NO_CONTRACTS);
}
