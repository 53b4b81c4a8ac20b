import type { Settings } from '../../model/settings.js';
import { coverageOf } from '../paths/coverage.js';
import type { Bounds } from '../../policy/bounds.js';
import { boundsOf } from '../../policy/bounds.js';
import type { Analysis } from './analysis.js';
import { analyse } from './analysis.js';
import { counterexample } from './witness/counterexample.js';
import type { Maxima } from './maxima.js';
import { tooDear } from './maxima.js';
import { METRICS } from './metrics.js';
import type { Counterexample, Proof, ProveOptions } from './prove.types.js';
import { RULES } from './prove.types.js';
import type { Charts } from './whole-run.js';
import { wholeRun } from './whole-run.js';
import { witnessOf } from './witness/witness.js';

/** The proof of all charts together. */
export const proveWholeRun = (
  charts: Charts,
  settings: Settings,
  { onProgress }: ProveOptions,
): Proof => {
  const system = wholeRun(charts, settings, settings.policy.limits.maxSteps, 'all');
  return wholeRunProof(analyse(system, { onProgress }), charts, settings);
};

/** The proof that follows from an analysis of all charts together. */
export const wholeRunProof = (analysis: Analysis, charts: Charts, settings: Settings): Proof => {
  const bounds = boundsOf(settings.policy, settings.team);
  const maxima = analysis.refutation === undefined ? maximaOf(analysis, bounds) : null;
  const counterexample = counterexampleOf(analysis, settings, maxima);
  return {
    isProved: counterexample === null,
    method: 'wholeRun',
    planSteps: settings.policy.limits.maxSteps,
    maxima: counterexample === null ? maxima : null,
    bounds,
    explored: [analysis.explored],
    coverage: coverageOf(charts, analysis.system.kernel.sightings),
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
    return counterexample(settings, { rule, message, witness });
  }
  const dear = maxima === null ? undefined : tooDear(maxima);
  return dear === undefined ? null : counterexample(settings, dear);
};
