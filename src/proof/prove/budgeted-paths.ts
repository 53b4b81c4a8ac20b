import type { BudgetedMetric, FewestCalls } from './call-profile.js';
import { bothOf, cheaperOf, fewestIn } from './call-profile.js';
import { componentsOf } from './components.js';
import type { Graph } from './graph.js';
import { NOTHING } from './metrics.js';

/** The maximum of one metric, from the start to every node, within the call budget. */
export interface BudgetedPaths {
  fewestAt(node: number): FewestCalls;
  /** A path to a node that reaches at least this amount with the fewest calls, and what each of its edges adds. */
  wayTo(node: number, amount: number): BudgetedEdge[];
}

export interface BudgetedEdge {
  readonly edge: number;
  readonly amount: number;
  readonly calls: number;
}

export const budgetedPaths = (
  graph: Graph,
  metric: BudgetedMetric,
  budget: number,
): BudgetedPaths => {
  const spread = new Spread(graph, metric, budget);
  spread.run();
  return spread;
};

const NO_WAY: FewestCalls = [];

class Spread implements BudgetedPaths {
  readonly #graph: Graph;
  readonly #metric: BudgetedMetric;
  readonly #budget: number;
  readonly #fewest: FewestCalls[];

  constructor(graph: Graph, metric: BudgetedMetric, budget: number) {
    this.#graph = graph;
    this.#metric = metric;
    this.#budget = budget;
    this.#fewest = Array.from({ length: graph.size }, (_, node) => (node === 0 ? [0] : NO_WAY));
  }

  /** From the start, component by component: edges within a component cost nothing. */
  run(): void {
    const components = componentsOf(this.#graph, () => true);
    const members = Array.from<unknown, number[]>({ length: this.#graph.size }, () => []);
    components.forEach((component, node) => members[component]?.push(node));
    for (const nodes of members.reverse()) {
      for (let isChanged = nodes.length > 0; isChanged;) {
        isChanged = false;
        for (const node of nodes) {
          if (this.#spreadFrom(node, components)) isChanged = true;
        }
      }
    }
  }

  /** Whether a value changed that was already propagated. */
  #spreadFrom(node: number, components: Int32Array): boolean {
    const before = this.fewestAt(node);
    if (before === NO_WAY) return false;
    let isChanged = false;
    const [first, end] = this.#graph.edgesOf(node);
    for (let edge = first; edge < end; edge += 1) {
      const to = this.#graph.target(edge);
      const known = this.fewestAt(to);
      const better = cheaperOf(known, this.#after(before, edge));
      if (better === known) continue;
      this.#fewest[to] = better;
      isChanged ||= components[to] === components[node];
    }
    return isChanged;
  }

  #after(before: FewestCalls, edge: number): FewestCalls {
    const cost = this.#graph.cost(edge);
    if (cost === NOTHING) return before;
    return bothOf(this.#metric, this.#budget, before, fewestIn(cost, this.#metric, this.#budget));
  }

  fewestAt(node: number): FewestCalls {
    return this.#fewest[node] ?? NO_WAY;
  }

  wayTo(node: number, amount: number): BudgetedEdge[] {
    const search = new WayBack(this.#graph, this.#metric, this.#budget, this);
    return search.from(node, amount);
  }
}

/** Searches backwards for the edges that add the missing amount. */
class WayBack {
  readonly #graph: Graph;
  readonly #metric: BudgetedMetric;
  readonly #budget: number;
  readonly #paths: BudgetedPaths;
  readonly #incoming = new Map<number, number[]>();
  readonly #seen = new Set<string>();

  constructor(graph: Graph, metric: BudgetedMetric, budget: number, paths: BudgetedPaths) {
    this.#graph = graph;
    this.#metric = metric;
    this.#budget = budget;
    this.#paths = paths;
    for (let edge = 0; edge < graph.edgeCount; edge += 1) {
      const to = graph.target(edge);
      const list = this.#incoming.get(to);
      if (list === undefined) this.#incoming.set(to, [edge]);
      else list.push(edge);
    }
  }

  from(end: number, most: number): BudgetedEdge[] {
    const way: (BudgetedEdge & { readonly from: number; readonly before: number })[] = [];
    let node = end;
    let amount = most;
    while (node !== 0 || amount > 0) {
      const step = this.#stepTo(node, amount);
      if (step !== undefined) way.push(step);
      // A dead end among edges without cost: go back and try another one.
      const last = step ?? (way.pop(), way.at(-1));
      node = last?.from ?? end;
      amount = last?.before ?? most;
    }
    return way.reverse();
  }

  #stepTo(node: number, amount: number) {
    const calls = this.#paths.fewestAt(node)[amount] ?? 0;
    for (const edge of this.#incoming.get(node) ?? []) {
      const { from } = this.#graph.edge(edge);
      const own = fewestIn(this.#graph.cost(edge), this.#metric, this.#budget);
      const before = this.#paths.fewestAt(from);
      for (const [added, ownCalls] of own.entries()) {
        const rest = this.#metric === 'depth' && added < amount ? amount : amount - added;
        const missing = Math.max(0, rest);
        if (before[missing] === undefined || before[missing] + ownCalls !== calls) continue;
        if (this.#seen.has(`${from} ${missing}`)) continue;
        this.#seen.add(`${from} ${missing}`);
        return { edge, amount: added, calls: ownCalls, from, before: missing };
      }
    }
    return undefined;
  }
}
