import type { Analysis } from '../analysis.js';
import type { BudgetedEdge, BudgetedPaths } from '../budgeted-paths.js';
import { budgetedPaths } from '../budgeted-paths.js';
import type { BudgetedMetric } from '../call-profile.js';
import { BUDGETED_METRICS, fewestIn } from '../call-profile.js';
import type { IsPassable } from '../longest-path.js';
import type { Metric } from '../metrics.js';
import type { Witness } from '../prove.types.js';
import { wayOf } from '../witness/witness.js';
import type { Composition } from './compose.js';
import { detailOf } from './contract.js';

export const isBudgeted = (metric: Metric): metric is BudgetedMetric =>
  (BUDGETED_METRICS as readonly Metric[]).includes(metric);

/** The maximum of a metric that a run reaches within its call budget, and the path to it, chart by chart. */
export const budgetedMaximum = (
  { analyses }: Composition,
  goal: Analysis,
  metric: BudgetedMetric,
  callBudget: number,
): { readonly value: number; readonly witness: Witness } => {
  const teller = new Teller(analyses, metric, callBudget);
  const paths = budgetedPaths(goal.exploration.graph, metric, callBudget);
  const ends = [...goal.exploration.outputs.keys()];
  const mostAt = (end: number): number => paths.fewestAt(end).length - 1;
  const [first = 0, ...others] = ends;
  const best = others.reduce((left, right) => (mostAt(right) > mostAt(left) ? right : left), first);
  const value = Math.max(0, mostAt(best));
  const edges = paths.wayTo(best, value);
  const way = wayOf(
    goal.system,
    goal.exploration.graph,
    edges.map(({ edge }) => edge),
  );
  return { value, witness: { ...way, sentences: teller.tell(goal, edges, ''), parts: {} } };
};

/** Edges without cost are bounded by the calls, too: an edge is passable only with enough calls to reach it. */
export const isPassableWithin = (
  { exploration: { graph } }: Analysis,
  callBudget: number,
): IsPassable => {
  const paths = budgetedPaths(graph, ANY_METRIC, callBudget);
  return (node, edge) => {
    const [before = Infinity] = paths.fewestAt(node);
    const [own = Infinity] = fewestIn(graph.cost(edge), ANY_METRIC, callBudget);
    return before + own <= callBudget;
  };
};

/** For any metric, the fewest calls of a path are those for an amount of zero. */
const ANY_METRIC: BudgetedMetric = 'steps';

class Teller {
  readonly #analyses: readonly Analysis[];
  readonly #metric: BudgetedMetric;
  readonly #callBudget: number;
  readonly #paths = new Map<Analysis, BudgetedPaths>();
  readonly #told = new Set<string>();

  constructor(analyses: readonly Analysis[], metric: BudgetedMetric, callBudget: number) {
    this.#analyses = analyses;
    this.#metric = metric;
    this.#callBudget = callBudget;
  }

  tell({ exploration }: Analysis, way: readonly BudgetedEdge[], indent: string): string[] {
    return way.flatMap(({ edge, amount, calls }) => {
      const { label, detail } = exploration.graph.edge(edge);
      const sentence = `${indent}${label}${amount === 0 ? '' : ` (${amount})`}`;
      const key = `${detail ?? ''} ${amount} ${calls}`;
      if (detail === undefined || amount === 0 || this.#told.has(key)) return [sentence];
      this.#told.add(key);
      return [sentence, ...this.#tellDetail(detail, amount, calls, `${indent}  `)];
    });
  }

  /** The path of a child, up to the amount it can reach with these calls. */
  #tellDetail(detail: string, amount: number, calls: number, indent: string): string[] {
    for (const analysis of this.#analyses) {
      const { exploration, system } = analysis;
      for (const node of exploration.outputs.keys()) {
        const end = exploration.graph.textOf(node).slice('end: '.length);
        if (detailOf(system.name, end) !== detail) continue;
        const paths = this.#pathsOf(analysis);
        const most = paths.fewestAt(node).findLastIndex((fewest) => fewest <= calls);
        return this.tell(analysis, paths.wayTo(node, Math.min(amount, Math.max(0, most))), indent);
      }
    }
    return [];
  }

  #pathsOf(analysis: Analysis): BudgetedPaths {
    const known = this.#paths.get(analysis);
    if (known !== undefined) return known;
    const { graph } = analysis.exploration;
    const paths = budgetedPaths(graph, this.#metric, this.#callBudget);
    this.#paths.set(analysis, paths);
    return paths;
  }
}
