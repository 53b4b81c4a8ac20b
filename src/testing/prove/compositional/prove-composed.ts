import type { Settings } from '../../../machines/settings.types.js';
import { boundsOf } from '../../../policy/bounds.js';
import type { Bounds } from '../../../policy/bounds.js';
import type { Analysis } from '../analysis.js';
import { testSource } from '../counterexample.js';
import type { Metric } from '../metrics.js';
import { METRICS } from '../metrics.js';
import type { Maxima } from '../maxima.js';
import { tooDear } from '../maxima.js';
import type { Counterexample, Proof, ProveOptions } from '../prove.types.js';
import { RULES } from '../prove.types.js';
import type { Charts } from '../whole-run.js';
import type { Composition } from './compose.js';
import { compose } from './compose.js';
import { composedWitness } from './composed-witness.js';

/** The proof by contracts. A way that breaks one is told at the chart that breaks it. */
export const proveComposed = (
  chartsFor: (settings: Settings) => Charts,
  settings: Settings,
  { onProgress }: ProveOptions,
): Proof => {
  const composition = compose(chartsFor, settings, { onProgress });
  const bounds = boundsOf(settings.policy, settings.team);
  const goal = composition.analyses.at(-1);
  const maxima =
    composition.refuted === undefined && goal !== undefined
      ? maximaOf(composition, goal, settings, bounds)
      : null;
  const counterexample = counterexampleOf(composition, settings, maxima);
  return {
    isProved: counterexample === null,
    method: 'compositional',
    planSteps: settings.policy.limits.maxSteps,
    maxima: counterexample === null ? maxima : null,
    bounds,
    explored: composition.analyses.map(({ explored }) => explored),
    rules: RULES,
    counterexample,
  };
};

const maximaOf = (
  composition: Composition,
  goal: Analysis,
  { policy }: Settings,
  bounds: Bounds,
): Maxima => {
  const ends = [...goal.exploration.outputs.keys()];
  const most = (metric: Metric): Maxima[Metric] => {
    const { value, edges } = goal.paths.most(metric, ends) ?? { value: 0, edges: [] };
    const witness = composedWitness(composition, goal, edges, metric);
    // The root grants as many calls as the budget has: that is one of the bounds that no state exceeds.
    const limit = metric === 'agentCalls' ? (policy.limits.maxAgentCalls ?? value) : value;
    return { value: Math.min(value, limit), bound: bounds[metric], witness };
  };
  return Object.fromEntries(METRICS.map((metric) => [metric, most(metric)])) as unknown as Maxima;
};

const counterexampleOf = (
  composition: Composition,
  settings: Settings,
  maxima: Maxima | null,
): Counterexample | null => {
  const { refuted } = composition;
  if (refuted?.refutation !== undefined) {
    const { rule, message, edges } = refuted.refutation;
    const witness = composedWitness(composition, refuted, edges, 'agentCalls');
    const told = `${message} (${refuted.system.name})`;
    return { rule, message: told, witness, test: proofTest(settings, told) };
  }
  const dear = maxima === null ? undefined : tooDear(maxima);
  if (dear === undefined) return null;
  const { witness, message } = dear;
  return { rule: 'price tag', message, witness, test: proofTest(settings, message) };
};

/** A way through one chart cannot be replayed as a run: the test makes the proof again. */
const proofTest = (settings: Settings, message: string): string =>
  testSource(settings, { rule: 'contract', message }, []);
