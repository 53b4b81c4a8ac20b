import type { Settings } from '../../../model/settings.js';
import { boundsOf } from '../../../policy/bounds.js';
import type { Bounds } from '../../../policy/bounds.js';
import type { Policy } from '../../../model/policy.js';
import { coverageOf } from '../../paths/coverage.js';
import type { Analysis } from '../analysis.js';
import type { Metric } from '../metrics.js';
import { METRICS } from '../metrics.js';
import type { Maxima } from '../maxima.js';
import { tooDear } from '../maxima.js';
import { sightingsOf } from '../observed-kernel.js';
import type { Counterexample, Proof, ProveOptions } from '../prove.types.js';
import { RULES } from '../prove.types.js';
import type { Charts } from '../whole-run.js';
import { composedWitness } from '../witness/composed-witness.js';
import { counterexample } from '../witness/counterexample.js';
import { counterexampleInRun } from '../witness/counterexample-in-run.js';
import type { Composition } from './compose.js';
import { compose } from './compose.js';
import { budgetedMaximum, isBudgeted, isPassableWithin } from './budgeted-maxima.js';

/**
 * The proof by contracts. A counterexample is shown in a whole run where one is found, and otherwise at the chart that
 * breaks the rule.
 */
export const proveComposed = (
  chartsFor: (settings: Settings) => Charts,
  settings: Settings,
  { onProgress }: ProveOptions,
): Proof => {
  const bounds = boundsOf(settings.policy, settings.team);
  const findingsBy = (isCounting: boolean): Findings => {
    const composition = compose(chartsFor, settings, { onProgress, isCounting });
    const goal = composition.refuted === undefined ? composition.analyses.at(-1) : undefined;
    const maxima = goal === undefined ? null : maximaOf(composition, goal, settings.policy, bounds);
    return { composition, maxima };
  };
  const found = findingsBy(true);
  // Counting includes more than can happen: a refutation is checked again, state by state.
  const { composition, maxima } = isRefuted(found) && isCounted(found) ? findingsBy(false) : found;
  const counterexample = counterexampleOf(chartsFor, composition, settings, maxima);
  const { analyses } = composition;
  const kernels = analyses.map(({ system }) => system.kernel);
  return {
    isProved: counterexample === null,
    method: 'compositional',
    planSteps: settings.policy.limits.maxSteps,
    maxima: counterexample === null ? maxima : null,
    bounds,
    explored: analyses.map(({ explored }) => explored),
    coverage: coverageOf(exploredCharts(chartsFor, settings), sightingsOf(kernels)),
    rules: RULES,
    counterexample,
  };
};

interface Findings {
  readonly composition: Composition;
  /** Null where a rule is broken. */
  readonly maxima: Maxima | null;
}

const isRefuted = ({ maxima }: Findings): boolean =>
  maxima === null || tooDear(maxima) !== undefined;

const isCounted = ({ composition: { analyses } }: Findings): boolean =>
  analyses.some(({ system }) => system.standInsFor !== undefined);

/** A breaker's answer is a choice here, so its chart is not explored. */
const exploredCharts = (chartsFor: (settings: Settings) => Charts, settings: Settings): Charts => {
  const charts = Object.entries(chartsFor(settings));
  const { breaker } = settings.policy;
  return Object.fromEntries(charts.filter(([name]) => name !== 'breaker' || breaker === null));
};

const maximaOf = (
  composition: Composition,
  goal: Analysis,
  policy: Policy,
  bounds: Bounds,
): Maxima => {
  const ends = [...goal.exploration.outputs.keys()];
  const { callBudget } = composition;
  const maximumOf = (metric: Metric): Maxima[Metric] => {
    const bound = bounds[metric];
    if (callBudget !== undefined && isBudgeted(metric)) {
      return { bound, ...budgetedMaximum(composition, goal, metric, callBudget) };
    }
    const isTimeBudgeted = callBudget !== undefined && metric === 'wallTimeMs';
    const isPassable = isTimeBudgeted ? isPassableWithin(goal, callBudget) : undefined;
    const most = goal.paths.most(metric, ends, isPassable);
    const { value, edges } = most ?? { value: 0, edges: [] };
    const witness = composedWitness(composition.analyses, goal, edges, metric);
    // The root grants as many calls as the budget has: that is one of the bounds that no state exceeds.
    const limit = metric === 'agentCalls' ? (policy.limits.maxAgentCalls ?? value) : value;
    return { value: Math.min(value, limit), bound, witness };
  };
  return Object.fromEntries(
    METRICS.map((metric) => [metric, maximumOf(metric)]),
  ) as unknown as Maxima;
};

const counterexampleOf = (
  chartsFor: (settings: Settings) => Charts,
  { analyses, refuted }: Composition,
  settings: Settings,
  maxima: Maxima | null,
): Counterexample | null => {
  const dear = maxima === null ? undefined : tooDear(maxima);
  if (refuted?.refutation === undefined && dear === undefined) return null;
  const inRun = counterexampleInRun(chartsFor(settings), settings);
  if (inRun !== null) return inRun;
  if (refuted?.refutation === undefined) {
    return dear === undefined ? null : counterexample(settings, dear);
  }
  const { rule, message, edges } = refuted.refutation;
  const witness = composedWitness(analyses, refuted, edges, 'agentCalls');
  return counterexample(settings, {
    rule,
    message: `${message} (${refuted.system.name})`,
    witness,
  });
};
