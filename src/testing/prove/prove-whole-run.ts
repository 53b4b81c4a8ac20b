import type { Settings } from '../../machines/settings.types.js';
import type { Bounds } from '../../policy/bounds.js';
import { boundsOf } from '../../policy/bounds.js';
import type { Analysis } from './analysis.js';
import { analyse } from './analysis.js';
import { testSource } from './counterexample.js';
import type { Maxima } from './maxima.js';
import { tooDear } from './maxima.js';
import { METRICS } from './metrics.js';
import type { Counterexample, Proof, ProveOptions } from './prove.types.js';
import { RULES } from './prove.types.js';
import type { Charts } from './whole-run.js';
import { wholeRun } from './whole-run.js';
import { witnessOf } from './witness.js';

/** The proof of all charts together. */
export const proveWholeRun = (
  charts: Charts,
  settings: Settings,
  { onProgress }: ProveOptions,
): Proof => {
  const planSteps = settings.policy.limits.maxSteps;
  const analysis = analyse(wholeRun(charts, settings, planSteps), { onProgress });
  const bounds = boundsOf(settings.policy, settings.team);
  const maxima = analysis.refutation === undefined ? maximaOf(analysis, bounds) : null;
  const counterexample = counterexampleOf(analysis, settings, maxima);
  return {
    isProved: counterexample === null,
    method: 'wholeRun',
    planSteps,
    maxima: counterexample === null ? maxima : null,
    bounds,
    explored: [analysis.explored],
    rules: RULES,
    counterexample,
  };
};

const maximaOf = ({ system, exploration, paths }: Analysis, bounds: Bounds): Maxima => {
  const ends = [...exploration.outputs.keys()];
  const entries = METRICS.map((metric) => {
    const { value, edges } = paths.most(metric, ends) ?? { value: 0, edges: [] };
    const witness = witnessOf(system, exploration.graph, edges);
    return [metric, { value, bound: bounds[metric], witness }] as const;
  });
  return Object.fromEntries(entries) as unknown as Maxima;
};

const counterexampleOf = (
  { system, exploration, refutation }: Analysis,
  settings: Settings,
  maxima: Maxima | null,
): Counterexample | null => {
  if (refutation !== undefined) {
    const { rule, message, edges } = refutation;
    const witness = witnessOf(system, exploration.graph, edges);
    return { rule, message, witness, test: testSource(settings, refutation, witness.inputs) };
  }
  const dear = maxima === null ? undefined : tooDear(maxima);
  if (dear === undefined) return null;
  const { message, witness, expectation } = dear;
  const rule = 'price tag';
  const test = testSource(settings, { rule, message, expectation }, witness.inputs);
  return { rule, message, witness, test };
};
