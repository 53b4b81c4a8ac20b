import { componentsOf } from './components.js';
import type { Exploration } from './explore.js';
import type { Edge } from './graph.js';
import { Graph } from './graph.js';
import { MANY, UNCOUNTED, withCount } from './projection/step-count.js';

/**
 * Separates states that were explored as one because they differ only in the number of waiting steps. No chart runs for
 * that: an edge that exists with more than two steps exists with any number of them, and changes the number equally. A
 * refuted exploration is not unfolded: the path to its violation may be impossible.
 */
export const unfold = (exploration: Exploration): Exploration => {
  const { graph, refutation } = exploration;
  if (refutation !== undefined) return exploration;
  const edge = growingEdge(graph);
  if (edge === undefined) return new Unfolding(exploration).run();
  const message = `The number of waiting steps has no bound: "${graph.edge(edge).label}" can happen again and again`;
  const node = graph.target(edge);
  return { ...exploration, refutation: { node, edge, violation: { rule: 'bound', message } } };
};

/** An edge on a cycle that increases the number of waiting steps. */
const growingEdge = (graph: Graph): number | undefined => {
  const components = componentsOf(graph, () => true);
  for (let index = 0; index < graph.edgeCount; index += 1) {
    const { from, to, counts } = graph.edge(index);
    const isGrowing = counts[0] !== UNCOUNTED && counts[1] > counts[0];
    if (isGrowing && components[from] === components[to]) return index;
  }
  return undefined;
};

/** A separated state: its explored state, and the number of waiting steps. */
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
 * A move that removes several steps at once leaves as many as it was observed to leave. With more steps more may be
 * left: a person may skip those one by one.
 */
const countAfter = ({ counts: [before, after] }: Edge, count: number): number =>
  before === UNCOUNTED || after === UNCOUNTED || (before > MANY && after < MANY)
    ? after
    : count + after - before;
