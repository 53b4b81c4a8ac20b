import { componentsOf } from './components.js';
import type { Graph } from './graph.js';

/**
 * A rank for every node that every move but a person's nudge lowers: with every such move the run is nearer to its end,
 * and it cannot come nearer for ever. A step's own moves, seen from its plan, may leave the rank as it is: they lower
 * the rank of the step.
 */
export interface Ranking {
  readonly ranks: readonly number[];
}

export const rankingOf = (graph: Graph): Ranking => {
  // Numbered from what is reached last.
  const components = componentsOf(graph, (edge) => !graph.isKind(edge, 'nudge'));
  return { ranks: [...components] };
};
