import type { Weights } from './metrics.js';
import { METRICS, NOTHING } from './metrics.js';
import type { Move, MoveKind } from './model.types.js';
import { UNCOUNTED } from './projection/step-count.js';

export interface Edge {
  readonly from: number;
  readonly to: number;
  readonly kind: MoveKind;
  readonly label: string;
  readonly cost: Weights;
  readonly detail: string | undefined;
  readonly counts: EdgeCounts;
}

/** The number of waiting steps before and after it, where that is counted. */
export type EdgeCounts = readonly [before: number, after: number];

const NO_COUNTS: EdgeCounts = [UNCOUNTED, UNCOUNTED];

const KINDS: readonly MoveKind[] = ['answer', 'timer', 'nudge', 'inner'];

/** States and the edges between them. Stored as numbers, so that a million of them fit. */
export class Graph {
  readonly #nodes = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #firstEdge: number[] = [];
  readonly #parentEdge: number[] = [];
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #kind: number[] = [];
  readonly #label: number[] = [];
  readonly #cost: number[] = [];
  readonly #labels = new Interned<string>((label) => label);
  readonly #details: (string | undefined)[] = [];
  readonly #counts: EdgeCounts[] = [];
  readonly #costs = new Interned<Weights>(
    (cost) => `${METRICS.map((metric) => cost[metric]).join()} ${cost.profile?.id ?? ''}`,
  );

  constructor() {
    this.#costs.idOf(NOTHING);
  }

  get size(): number {
    return this.#parentEdge.length;
  }

  get edgeCount(): number {
    return this.#to.length;
  }

  nodeOf(text: string): number | undefined {
    return this.#nodes.get(text);
  }

  add(text: string): number {
    const node = this.size;
    this.#nodes.set(text, node);
    this.#texts.push(text);
    this.#parentEdge.push(-1);
    return node;
  }

  /** Starts the edges of a node, which are added one after the other. */
  open(node: number): void {
    this.#firstEdge[node] = this.#to.length;
  }

  close(): void {
    for (let node = this.#firstEdge.length; node <= this.size; node += 1) {
      this.#firstEdge[node] = this.#to.length;
    }
  }

  /**
   * Of several moves to the same target at the same cost the first is kept, and any move that breaks a rule, because it
   * must be reported.
   */
  connect(
    from: number,
    to: number,
    {
      kind,
      label,
      detail,
    }: Pick<Move, 'kind' | 'label'> & { readonly detail?: string | undefined },
    cost: Weights,
    counts: EdgeCounts = NO_COUNTS,
    mustKeep = false,
  ): void {
    const costId = this.#costs.idOf(cost);
    const kindId = KINDS.indexOf(kind);
    if (!mustKeep && this.#isKnown(from, to, kindId, costId, counts)) return;
    const edge = this.#to.length;
    this.#from.push(from);
    this.#to.push(to);
    this.#kind.push(kindId);
    this.#cost.push(costId);
    this.#details.push(detail);
    this.#counts.push(counts);
    this.#label.push(this.#labels.idOf(label));
    if (this.#parentEdge[to] === -1 && to !== 0) this.#parentEdge[to] = edge;
  }

  #isKnown(from: number, to: number, kind: number, cost: number, counts: EdgeCounts): boolean {
    const first = this.#firstEdge[from] ?? 0;
    for (let edge = this.#to.length - 1; edge >= first; edge -= 1) {
      if (this.#to[edge] !== to || this.#cost[edge] !== cost || this.#kind[edge] !== kind) continue;
      const [before, after] = this.#counts[edge] ?? NO_COUNTS;
      if (before === counts[0] && after === counts[1]) return true;
    }
    return false;
  }

  /** The numbers of a node's outgoing edges: the first, and the one after the last. */
  edgesOf(node: number): readonly [number, number] {
    return [this.#firstEdge[node] ?? 0, this.#firstEdge[node + 1] ?? this.#to.length];
  }

  edge(index: number): Edge {
    return {
      from: this.#from[index] ?? 0,
      to: this.#to[index] ?? 0,
      kind: KINDS[this.#kind[index] ?? 0] ?? 'answer',
      label: this.#labels.at(this.#label[index] ?? 0) ?? '',
      cost: this.#costs.at(this.#cost[index] ?? 0) ?? NOTHING,
      detail: this.#details[index],
      counts: this.#counts[index] ?? NO_COUNTS,
    };
  }

  target(edge: number): number {
    return this.#to[edge] ?? 0;
  }

  isKind(edge: number, kind: MoveKind): boolean {
    return KINDS[this.#kind[edge] ?? 0] === kind;
  }

  cost(edge: number): Weights {
    return this.#costs.at(this.#cost[edge] ?? 0) ?? NOTHING;
  }

  /** The edges of a shortest path to a node. */
  wayTo(node: number): number[] {
    const way: number[] = [];
    for (let edge = this.#parentEdge[node] ?? -1; edge >= 0;) {
      way.push(edge);
      edge = this.#parentEdge[this.#from[edge] ?? 0] ?? -1;
    }
    return way.reverse();
  }

  textOf(node: number): string {
    return this.#texts[node] ?? '';
  }
}

/** Each value once, with a number. */
class Interned<Value> {
  readonly #ids = new Map<string, number>();
  readonly #values: Value[] = [];
  readonly #keyOf: (value: Value) => string;

  constructor(keyOf: (value: Value) => string) {
    this.#keyOf = keyOf;
  }

  idOf(value: Value): number {
    if (this.#values[0] === value) return 0;
    const key = this.#keyOf(value);
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    this.#ids.set(key, this.#values.length);
    return this.#values.push(value) - 1;
  }

  at(id: number): Value | undefined {
    return this.#values[id];
  }
}
