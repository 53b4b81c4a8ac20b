import type { Analysis } from '../analysis.js';
import { detailOf } from '../compositional/contract.js';
import type { Metric } from '../metrics.js';
import type { Way, Witness } from '../prove.types.js';
import { wayOf } from './witness.js';

/** A path chart by chart: the path of a child chart is shown below it, once. */
export const composedWitness = (
  analyses: readonly Analysis[],
  analysis: Analysis,
  edges: readonly number[],
  metric: Metric,
): Witness => {
  const teller = new Teller(analyses, metric);
  const way = wayOf(analysis.system, analysis.exploration.graph, edges);
  return {
    ...way,
    sentences: teller.tell(analysis, edges, ''),
    parts: partsOf(analyses, metric, way),
  };
};

/** A path to an ending of a chart at its maximum cost. */
const mostCostly = (
  analyses: readonly Analysis[],
  metric: Metric,
  detail: string,
): { readonly analysis: Analysis; readonly edges: readonly number[] } | undefined => {
  for (const analysis of analyses) {
    const { exploration, paths, system } = analysis;
    if (!detail.startsWith(system.name)) continue;
    for (const node of exploration.outputs.keys()) {
      const end = exploration.graph.textOf(node).slice('end: '.length);
      if (detailOf(system.name, end) !== detail) continue;
      return { analysis, edges: paths.most(metric, [node])?.edges ?? [] };
    }
  }
  return undefined;
};

/** All parts that the path refers to, directly or indirectly. */
const partsOf = (
  analyses: readonly Analysis[],
  metric: Metric,
  witness: Way,
): Record<string, Way> => {
  const parts: Record<string, Way> = {};
  const ways = [witness];
  for (const { moves } of ways) {
    for (const detail of moves.flatMap((move) => move.parts ?? [])) {
      if (detail in parts) continue;
      const found = mostCostly(analyses, metric, detail);
      if (found === undefined) continue;
      const way = wayOf(found.analysis.system, found.analysis.exploration.graph, found.edges);
      parts[detail] = way;
      ways.push(way);
    }
  }
  return parts;
};

class Teller {
  readonly #analyses: readonly Analysis[];
  readonly #metric: Metric;
  readonly #told = new Set<string>();

  constructor(analyses: readonly Analysis[], metric: Metric) {
    this.#analyses = analyses;
    this.#metric = metric;
  }

  tell(
    { system, exploration: { graph } }: Analysis,
    edges: readonly number[],
    indent: string,
  ): string[] {
    const { moves } = wayOf(system, graph, edges);
    return edges.flatMap((index, place) => {
      const { label, cost, detail } = graph.edge(index);
      const count = cost[this.#metric];
      // An edge stands for many moves, of steps with other names.
      const said = moves[place]?.sentence ?? label;
      const sentence = `${indent}${said}${count === 0 ? '' : ` (${count})`}`;
      if (detail === undefined || count === 0 || this.#told.has(detail)) return [sentence];
      this.#told.add(detail);
      return [sentence, ...this.#tellDetail(detail, `${indent}  `)];
    });
  }

  #tellDetail(detail: string, indent: string): string[] {
    const found = mostCostly(this.#analyses, this.#metric, detail);
    return found === undefined ? [] : this.tell(found.analysis, found.edges, indent);
  }
}
