import { componentsOf } from './components.js';
import type { Graph } from './graph.js';

/**
 * A rank for every node that every move except a person's nudge lowers: with every such move the run is closer to its
 * end, and ranks cannot fall forever. A step's own moves, seen from its plan, may keep the rank: they lower the rank of
 * the step.
 */
export interface Ranking {
  readonly ranks: readonly number[];
}

export const rankingOf = (graph: Graph): Ranking => {
  // Numbered from the last reached.
  const components = componentsOf(graph, (edge) => !graph.isKind(edge, 'nudge'));
  return { ranks: [...components] };
};
