import { componentsOf } from './components.js';
import type { Graph } from './graph.js';
import type { Metric } from './metrics.js';
import { METRICS, together } from './metrics.js';

/** The maximum cost of a run from the start to each of its endings. */
export interface LongestPaths {
  /** An edge with a cost on a cycle: the cost is unbounded. */
  readonly unbounded: { readonly edge: number; readonly metric: Metric } | undefined;
  /** The maximum from the start to an ending by passable edges, or undefined where none is reachable. */
  most(metric: Metric, ends: readonly number[], isPassable?: IsPassable): Path | undefined;
}

/** Whether an edge can be taken from its source node. */
export type IsPassable = (node: number, edge: number) => boolean;

export interface Path {
  readonly value: number;
  /** The edges, in order. */
  readonly edges: readonly number[];
}

export const longestPaths = (graph: Graph): LongestPaths => {
  const components = componentsOf(graph, () => true);
  const order = nodesByComponent(components);
  return {
    unbounded: unboundedEdge(graph, components),
    most: (metric, ends, isPassable = () => true) =>
      mostTo(components, order, ends, { graph, metric, isPassable }),
  };
};

const unboundedEdge = (graph: Graph, components: Int32Array): LongestPaths['unbounded'] => {
  for (let node = 0; node < graph.size; node += 1) {
    const [first, end] = graph.edgesOf(node);
    for (let edge = first; edge < end; edge += 1) {
      if (components[node] !== components[graph.target(edge)]) continue;
      const cost = graph.cost(edge);
      const metric = METRICS.find((name) => name !== 'depth' && cost[name] > 0);
      if (metric !== undefined) return { edge, metric };
    }
  }
  return undefined;
};

/** Nodes that are reached later come first. */
const nodesByComponent = (components: Int32Array): Int32Array => {
  const order = new Int32Array(components.length);
  for (let node = 0; node < order.length; node += 1) order[node] = node;
  return order.sort((left, right) => (components[left] ?? 0) - (components[right] ?? 0));
};

/** One search for a maximum. */
interface Search {
  readonly graph: Graph;
  readonly metric: Metric;
  readonly isPassable: IsPassable;
  /** From each node on; negative where no ending is reachable. */
  readonly most: Float64Array;
  readonly choice: Int32Array;
}

const mostTo = (
  components: Int32Array,
  order: Int32Array,
  ends: readonly number[],
  sought: Pick<Search, 'graph' | 'metric' | 'isPassable'>,
): Path | undefined => {
  const { graph } = sought;
  const most = new Float64Array(graph.size).fill(-1);
  const choice = new Int32Array(graph.size).fill(-1);
  const search = { ...sought, most, choice };
  for (const end of ends) most[end] = 0;
  for (let position = 0; position < order.length;) {
    const component = components[order[position] ?? 0];
    const first = position;
    while (position < order.length && components[order[position] ?? 0] === component) position += 1;
    settle(search, order.subarray(first, position));
  }
  const value = most[0] ?? -1;
  return value < 0 ? undefined : { value, edges: follow(graph, choice) };
};

/** Edges within a component cost nothing, so its nodes are settled from the outside in. */
const settle = (search: Search, members: Int32Array): void => {
  for (const node of members) improve(search, node);
  if (members.length === 1) return;
  for (let isChanged = true; isChanged;) {
    isChanged = false;
    for (const node of members) {
      if (improve(search, node)) isChanged = true;
    }
  }
};

const improve = ({ graph, metric, isPassable, most, choice }: Search, node: number): boolean => {
  let isChanged = false;
  const [first, end] = graph.edgesOf(node);
  for (let edge = first; edge < end; edge += 1) {
    const after = most[graph.target(edge)] ?? -1;
    if (after < 0) continue;
    const value = together(metric, graph.cost(edge)[metric], after);
    if (value <= (most[node] ?? -1) || !isPassable(node, edge)) continue;
    most[node] = value;
    choice[node] = edge;
    isChanged = true;
  }
  return isChanged;
};

const follow = (graph: Graph, choice: Int32Array): number[] => {
  const edges: number[] = [];
  const seen = new Set<number>();
  for (let edge = choice[0] ?? -1; edge >= 0 && !seen.has(edge);) {
    seen.add(edge);
    edges.push(edge);
    edge = choice[graph.target(edge)] ?? -1;
  }
  return edges;
};
