import { getAdjacencyMap } from '@xstate/graph';

import type { Explorer } from '../../src/proof/paths/graph.js';

/** Our own charts are explored with the package `@xstate/graph`. */
export const exploreWithGraph: Explorer = (model, traversal) =>
  getAdjacencyMap(model, traversal) as ReturnType<Explorer>;
