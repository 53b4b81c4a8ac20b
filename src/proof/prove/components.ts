import type { Graph } from './graph.js';

/**
 * The strongly connected components, by Tarjan's algorithm without recursion. A component has a lower number than every
 * component from which it can be reached.
 */
export const componentsOf = (graph: Graph, isFollowed: (edge: number) => boolean): Int32Array => {
  const finder = new ComponentFinder(graph, isFollowed);
  return finder.find();
};

class ComponentFinder {
  readonly #graph: Graph;
  readonly #isFollowed: (edge: number) => boolean;
  readonly #order: Int32Array;
  readonly #lowest: Int32Array;
  readonly #component: Int32Array;
  readonly #next: Int32Array;
  readonly #open: number[] = [];
  readonly #path: number[] = [];
  #visited = 0;
  #components = 0;

  constructor(graph: Graph, isFollowed: (edge: number) => boolean) {
    this.#graph = graph;
    this.#isFollowed = isFollowed;
    this.#order = new Int32Array(graph.size).fill(-1);
    this.#lowest = new Int32Array(graph.size);
    this.#component = new Int32Array(graph.size).fill(-1);
    this.#next = new Int32Array(graph.size);
  }

  find(): Int32Array {
    for (let node = 0; node < this.#graph.size; node += 1) {
      if (this.#order[node] === -1) this.#visit(node);
    }
    return this.#component;
  }

  #visit(root: number): void {
    this.#enter(root);
    while (this.#path.length > 0) {
      const node = this.#path.at(-1) ?? root;
      const child = this.#nextChild(node);
      if (child === undefined) this.#leave(node);
      else this.#enter(child);
    }
  }

  #enter(node: number): void {
    this.#order[node] = this.#visited;
    this.#lowest[node] = this.#visited;
    this.#visited += 1;
    this.#next[node] = this.#graph.edgesOf(node)[0];
    this.#open.push(node);
    this.#path.push(node);
  }

  /** The next unvisited node; visited ones are accounted for. */
  #nextChild(node: number): number | undefined {
    const [, end] = this.#graph.edgesOf(node);
    for (let edge = this.#next[node] ?? end; edge < end; edge += 1) {
      if (!this.#isFollowed(edge)) continue;
      const to = this.#graph.target(edge);
      if (this.#order[to] === -1) {
        this.#next[node] = edge;
        return to;
      }
      if (this.#component[to] === -1) this.#lower(node, this.#lowest[to] ?? 0);
    }
    this.#next[node] = end;
    return undefined;
  }

  #leave(node: number): void {
    this.#path.pop();
    const parent = this.#path.at(-1);
    if (parent !== undefined) this.#lower(parent, this.#lowest[node] ?? 0);
    if (this.#lowest[node] !== this.#order[node]) return;
    for (let member = this.#open.pop(); member !== undefined; member = this.#open.pop()) {
      this.#component[member] = this.#components;
      if (member === node) break;
    }
    this.#components += 1;
  }

  #lower(node: number, value: number): void {
    if (value < (this.#lowest[node] ?? 0)) this.#lowest[node] = value;
  }
}
