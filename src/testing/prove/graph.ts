import type { Weights } from './metrics.js';
import { METRICS, NOTHING } from './metrics.js';
import type { Move, MoveKind } from './model.types.js';

export interface Edge {
  readonly from: number;
  readonly to: number;
  readonly kind: MoveKind;
  readonly label: string;
  readonly cost: Weights;
  readonly detail: string | undefined;
}

const KINDS: readonly MoveKind[] = ['answer', 'timer', 'nudge', 'inner'];

/** States and what leads from one to the next. Kept as numbers, so that a million of them fit. */
export class Graph {
  readonly #nodes = new Map<string, number>();
  readonly #firstEdge: number[] = [];
  readonly #parentEdge: number[] = [];
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #kind: number[] = [];
  readonly #label: number[] = [];
  readonly #cost: number[] = [];
  readonly #labels = new Interned<string>((label) => label);
  readonly #details: (string | undefined)[] = [];
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
    this.#parentEdge.push(-1);
    return node;
  }

  /** The edges of a node are put in one after the other. */
  open(node: number): void {
    this.#firstEdge[node] = this.#to.length;
  }

  close(): void {
    for (let node = this.#firstEdge.length; node <= this.size; node += 1) {
      this.#firstEdge[node] = this.#to.length;
    }
  }

  /** `mustKeep` is for the move by which a rule is broken: it is told even where another leads to the same at the same cost. */
  connect(from: number, to: number, move: Move, cost: Weights, mustKeep = false): void {
    const { kind, label, detail } = move;
    const costId = this.#costs.idOf(cost);
    const kindId = KINDS.indexOf(kind);
    if (!mustKeep && this.#isNothingNew(from, to, move, costId)) return;
    const edge = this.#to.length;
    this.#from.push(from);
    this.#to.push(to);
    this.#kind.push(kindId);
    this.#cost.push(costId);
    this.#details.push(detail);
    this.#label.push(this.#labels.idOf(label));
    if (this.#parentEdge[to] === -1 && to !== 0) this.#parentEdge[to] = edge;
  }

  /** A command that was refused, or that only agents hear of, is no edge; nor is the tick of a step's time. */
  #isNothingNew(from: number, to: number, { kind, input }: Move, costId: number): boolean {
    const isSilent = input.kind === 'commanded' || kind === 'inner';
    if (from === to && isSilent && costId === 0) return true;
    return this.#isKnown(this.#firstEdge[from] ?? 0, to, KINDS.indexOf(kind), costId);
  }

  #isKnown(first: number, to: number, kind: number, cost: number): boolean {
    for (let edge = this.#to.length - 1; edge >= first; edge -= 1) {
      if (this.#to[edge] === to && this.#cost[edge] === cost && this.#kind[edge] === kind) {
        return true;
      }
    }
    return false;
  }

  /** The numbers of the edges that leave a node, from and up to. */
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

  /** The edges of a shortest way to a node. */
  wayTo(node: number): number[] {
    const way: number[] = [];
    for (let edge = this.#parentEdge[node] ?? -1; edge >= 0;) {
      way.push(edge);
      edge = this.#parentEdge[this.#from[edge] ?? 0] ?? -1;
    }
    return way.reverse();
  }

  textOf(node: number): string {
    for (const [text, known] of this.#nodes) if (known === node) return text;
    return '';
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
