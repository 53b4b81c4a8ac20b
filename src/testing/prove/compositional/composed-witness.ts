import type { Analysis } from '../analysis.js';
import type { Metric } from '../metrics.js';
import type { Witness } from '../prove.types.js';
import type { Composition } from './compose.js';
import { detailOf } from './contract.js';

/** How a maximum is reached, chart by chart: what a step did on the way is told below it, once. */
export const composedWitness = (
  { analyses }: Composition,
  analysis: Analysis,
  edges: readonly number[],
  metric: Metric,
): Witness => {
  const teller = new Teller(analyses, metric);
  return { sentences: teller.tell(analysis, edges, ''), inputs: [] };
};

class Teller {
  readonly #analyses: readonly Analysis[];
  readonly #metric: Metric;
  readonly #told = new Set<string>();

  constructor(analyses: readonly Analysis[], metric: Metric) {
    this.#analyses = analyses;
    this.#metric = metric;
  }

  tell({ exploration }: Analysis, edges: readonly number[], indent: string): string[] {
    return edges.flatMap((index) => {
      const { label, cost, detail } = exploration.graph.edge(index);
      const count = cost[this.#metric];
      const sentence = `${indent}${label}${count === 0 ? '' : ` (${count})`}`;
      if (detail === undefined || count === 0 || this.#told.has(detail)) return [sentence];
      this.#told.add(detail);
      return [sentence, ...this.#tellDetail(detail, `${indent}  `)];
    });
  }

  #tellDetail(detail: string, indent: string): string[] {
    for (const analysis of this.#analyses) {
      const { exploration, paths, system } = analysis;
      for (const node of exploration.outputs.keys()) {
        const end = exploration.graph.textOf(node).slice('end: '.length);
        if (detailOf(system.name, end) !== detail) continue;
        return this.tell(analysis, paths.most(this.#metric, [node])?.edges ?? [], indent);
      }
    }
    return [];
  }
}
