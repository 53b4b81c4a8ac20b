import type { ChartName, Mutant } from './mutants.js';
import { numberMutants, transitionMutants } from './mutants.js';
import { Comparisons } from './numbers-compared.js';
import type { PathSuite } from './path-suite.js';
import { pathSuitesOf, refutationByPaths } from './path-suite.js';

export const CHARTS: readonly ChartName[] = [
  'breaker',
  'approval',
  'agentCall',
  'step',
  'orchestrator',
];

/** A chart with everything that can be wrong with its guards, and the paths that are to show it. */
export interface ChartMutants {
  readonly chart: ChartName;
  readonly suites: readonly PathSuite[];
  readonly mutants: readonly Mutant[];
}

export const chartMutantsOf = (chart: ChartName): ChartMutants => {
  const comparisons = new Comparisons();
  const suites = pathSuitesOf(chart, comparisons);
  const [first] = suites;
  const transitions = first === undefined ? [] : transitionMutants(chart, first.chart);
  return { chart, suites, mutants: [...transitions, ...numberMutants(chart, comparisons.found)] };
};

/** The first configuration whose paths show the mistake; undefined when none does. */
export const refutingConfiguration = (
  { suites }: ChartMutants,
  mutant: Mutant,
): string | undefined =>
  suites.find((suite) => refutationByPaths(mutant, suite) !== undefined)?.name;
