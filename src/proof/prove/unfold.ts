import { componentsOf } from './components.js';
import type { Exploration } from './explore.js';
import type { Edge } from './graph.js';
import { Graph } from './graph.js';
import { MANY, UNCOUNTED, withCount } from './projection/step-count.js';

/**
 * Tells states apart again that were looked at as one because they differ only in how many steps wait. No chart is asked
 * for that: an edge that was seen with more than two steps is there with any number of them, and changes it by as much.
 * Where something was refuted there is nothing to tell: the way there may be one that cannot be taken.
 */
export const unfold = (exploration: Exploration): Exploration => {
  const { graph, refutation } = exploration;
  if (refutation !== undefined) return exploration;
  const edge = growingEdge(graph);
  if (edge === undefined) return new Unfolding(exploration).run();
  const message = `There is no bound on steps that wait: "${graph.edge(edge).label}" can happen again and again`;
  const node = graph.target(edge);
  return { ...exploration, refutation: { node, edge, violation: { rule: 'bound', message } } };
};

/** An edge by which more steps wait, on the way back to where it came from. */
const growingEdge = (graph: Graph): number | undefined => {
  const components = componentsOf(graph, () => true);
  for (let index = 0; index < graph.edgeCount; index += 1) {
    const { from, to, counts } = graph.edge(index);
    const isGrowing = counts[0] !== UNCOUNTED && counts[1] > counts[0];
    if (isGrowing && components[from] === components[to]) return index;
  }
  return undefined;
};

/** A state that is told apart: what was looked at for it, and how many steps wait there. */
interface Unfolded {
  readonly folded: number;
  readonly count: number;
}

const START: Unfolded = { folded: 0, count: UNCOUNTED };

class Unfolding {
  readonly #exploration: Exploration;
  readonly #graph = new Graph();
  readonly #nodes: Unfolded[] = [];
  readonly #outputs = new Map<number, unknown>();

  constructor(exploration: Exploration) {
    this.#exploration = exploration;
  }

  run(): Exploration {
    this.#arrive(START);
    for (let node = 0; node < this.#graph.size; node += 1) {
      this.#graph.open(node);
      this.#expand(node);
    }
    this.#graph.close();
    return { graph: this.#graph, outputs: this.#outputs, refutation: undefined };
  }

  #expand(node: number): void {
    const { graph } = this.#exploration;
    const { folded, count } = this.#nodes[node] ?? START;
    const [first, end] = graph.edgesOf(folded);
    for (let index = first; index < end; index += 1) {
      const edge = graph.edge(index);
      const isThere = edge.counts[0] === (count > MANY ? MANY + 1 : count);
      if (!isThere) continue;
      const to = this.#arrive({ folded: edge.to, count: countAfter(edge, count) });
      this.#graph.connect(node, to, edge, edge.cost);
    }
  }

  #arrive(unfolded: Unfolded): number {
    const { graph, outputs } = this.#exploration;
    const { folded, count } = unfolded;
    const seen = graph.textOf(folded);
    const text = count === UNCOUNTED ? seen : withCount(seen, count);
    const known = this.#graph.nodeOf(text);
    if (known !== undefined) return known;
    const node = this.#graph.add(text);
    this.#nodes.push(unfolded);
    if (outputs.has(folded)) this.#outputs.set(node, outputs.get(folded));
    return node;
  }
}

/**
 * Whatever takes several steps off at once leaves as many as it was seen to leave, although with more of them more may be
 * left: a person may skip those one by one.
 */
const countAfter = ({ counts: [before, after] }: Edge, count: number): number =>
  before === UNCOUNTED || after === UNCOUNTED || (before > MANY && after < MANY)
    ? after
    : count + after - before;
