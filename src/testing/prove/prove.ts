import { chartsOf } from '../../composition/charts.js';
import type { Settings } from '../../machines/settings.types.js';
import type { Bounds } from '../../policy/bounds.js';
import { boundsOf } from '../../policy/bounds.js';
import type { Policy } from '../../policy/types.js';
import type { Analysis, Refutation } from './analysis.js';
import { analyse } from './analysis.js';
import { testSource } from './counterexample.js';
import type { Metric } from './metrics.js';
import { METRICS } from './metrics.js';
import type { Counterexample, Maximum, Proof, ProveOptions, Rule } from './prove.types.js';
import { planStepsOf, settingsOf, withPlanSteps } from './settings.js';
import type { Charts } from './whole-run.js';
import { wholeRun } from './whole-run.js';
import { witnessOf } from './witness.js';

export const RULES: readonly Rule[] = [
  'bound',
  'deadline',
  'rejection',
  'crash',
  'termination',
  'finite cost',
  'price tag',
];

/**
 * Proves what a policy promises, or shows how it is broken. Every answer of every agent, planner, supervisor, tester and
 * person, and every timer, is a choice; all of them are followed to the end.
 *
 * @example
 * const proof = prove(presets.boundedReplan(), { agents: ['coder', 'reviewer'] });
 * proof.maxima?.agentCalls.value; // the most calls, whatever anybody answers
 */
export const prove = (policy: Policy, options: ProveOptions): Proof =>
  proveCharts(chartsOf, policy, options);

/** As `prove`, for other charts than ours: a proof that could not fail would prove nothing. */
export const proveCharts = (
  chartsFor: (settings: Settings) => Charts,
  policy: Policy,
  options: ProveOptions,
): Proof => {
  const planSteps = planStepsOf(policy, options.planSteps);
  const settings = settingsOf(withPlanSteps(policy, planSteps), options);
  return proveWholeRun(chartsFor(settings), settings, planSteps, options);
};

const proveWholeRun = (
  charts: Charts,
  settings: Settings,
  planSteps: number,
  { onProgress }: ProveOptions,
): Proof => {
  const analysis = analyse(wholeRun(charts, settings, planSteps), { onProgress });
  const bounds = boundsOf(settings.policy, settings.team);
  const maxima = analysis.refutation === undefined ? maximaOf(analysis, bounds) : null;
  const refutation = analysis.refutation ?? (maxima === null ? undefined : tooDear(maxima));
  return {
    isProved: refutation === undefined,
    method: 'wholeRun',
    planSteps,
    maxima: refutation === undefined && maxima !== null ? published(maxima) : null,
    bounds,
    explored: [analysis.explored],
    rules: RULES,
    counterexample:
      refutation === undefined ? null : counterexampleOf(analysis, settings, refutation),
  };
};

type Maxima = Readonly<Record<Metric, Maximum & { readonly edges: readonly number[] }>>;

const maximaOf = (analysis: Analysis, bounds: Bounds): Maxima => {
  const { system, exploration, paths } = analysis;
  const ends = [...exploration.outputs.keys()];
  const entries = METRICS.map((metric) => {
    const { value, edges } = paths.most(metric, ends) ?? { value: 0, edges: [] };
    const witness = witnessOf(system, exploration.graph, edges);
    return [metric, { value, bound: bounds[metric], witness, edges }] as const;
  });
  return Object.fromEntries(entries) as unknown as Maxima;
};

const published = (maxima: Maxima): Proof['maxima'] => {
  const entries = METRICS.map((metric) => {
    const { value, bound, witness } = maxima[metric];
    return [metric, { value, bound, witness }] as const;
  });
  return Object.fromEntries(entries) as unknown as Proof['maxima'];
};

const tooDear = (maxima: Maxima): Refutation | undefined => {
  const metric = METRICS.find((name) => maxima[name].value > maxima[name].bound);
  if (metric === undefined) return undefined;
  const { value, bound, edges } = maxima[metric];
  return {
    rule: 'price tag',
    message: `A run can come to ${value} ${metric}; bounds() says ${bound}`,
    expectation: `expect(run.cost.${metric}).toBeLessThanOrEqual(${bound});`,
    edges,
  };
};

const counterexampleOf = (
  { system, exploration }: Analysis,
  settings: Settings,
  refutation: Refutation,
): Counterexample => {
  const { rule, message, edges } = refutation;
  const witness = witnessOf(system, exploration.graph, edges);
  return { rule, message, witness, test: testSource(settings, refutation, witness.inputs) };
};
