import type { KernelStep } from '../../kernel/kernel.types.js';
import { Graph } from './graph.js';
import type { Weights } from './metrics.js';
import { NOTHING, sumOf, weightsOf } from './metrics.js';
import type { Frame, Move, OpenCall, System, Violation } from './model.types.js';
import { crashViolations } from './rules/crash-rule.js';

/** Told when a chart is begun, and now and then while it is explored. */
export interface ExplorationProgress {
  readonly system: string;
  readonly nodes: number;
  readonly edges: number;
  readonly waiting: number;
}

export interface Exploration {
  readonly graph: Graph;
  /** What is wrong, at the first node where something is; the search is breadth first, so the way there is shortest. */
  readonly refutation:
    | {
        readonly node: number;
        /** The move by which it is broken, where it is a move and not the state. */
        readonly edge: number | undefined;
        readonly violation: Violation;
      }
    | undefined;
  /** One output of the root for every way to end. */
  readonly outputs: ReadonlyMap<number, unknown>;
}

export interface ExploreOptions {
  readonly onProgress?: ((progress: ExplorationProgress) => void) | undefined;
}

const NO_CALLS: ReadonlyMap<string, OpenCall> = new Map();
const PROGRESS_EVERY = 5_000;

/** Takes a system to every state it can come to. There is no bound on how far. */
export const explore = (system: System, options: ExploreOptions = {}): Exploration => {
  const search = new Search(system, options);
  return search.run();
};

class Search {
  readonly #system: System;
  readonly #options: ExploreOptions;
  readonly #graph = new Graph();
  readonly #outputs = new Map<number, unknown>();
  readonly #frames: (Frame | undefined)[] = [];
  #refutation: Exploration['refutation'];

  constructor(system: System, options: ExploreOptions) {
    this.#system = system;
    this.#options = options;
  }

  run(): Exploration {
    const start = { state: this.#system.kernel.initialState, calls: NO_CALLS };
    this.#add('start', start);
    this.#expand(0, start, this.#system.starts);
    for (let node = 1; node < this.#graph.size && this.#refutation === undefined; node += 1) {
      const frame = this.#frames[node];
      this.#frames[node] = undefined;
      this.#expand(node, frame, frame === undefined ? [] : this.#system.moves(frame));
      if (node % PROGRESS_EVERY === 1) this.#tell(node);
    }
    this.#graph.close();
    return { graph: this.#graph, refutation: this.#refutation, outputs: this.#outputs };
  }

  #tell(node: number): void {
    this.#options.onProgress?.({
      system: this.#system.name,
      nodes: this.#graph.size,
      edges: this.#graph.edgeCount,
      waiting: this.#graph.size - node,
    });
  }

  #expand(node: number, frame: Frame | undefined, moves: readonly Move[]): void {
    this.#graph.open(node);
    if (frame === undefined) return;
    for (const move of moves) {
      const step = this.#system.kernel.step(frame.state, move.input);
      const next = frameAfter(frame, step);
      const to = this.#arrive(step, next);
      const cost = costOf(this.#system, frame, move, step);
      const violations = [
        ...crashViolations(step),
        ...this.#system.violationsOfStep(frame, move, step),
      ];
      this.#graph.connect(node, to, move, cost, violations.length > 0);
      // It is the move that is wrong: there may be a shorter way to where it leads.
      this.#judge(to, violations, this.#graph.edgeCount - 1);
      if (this.#refutation !== undefined) return;
    }
  }

  #arrive(step: KernelStep, next: Frame): number {
    const isOver = step.status !== 'active';
    const text = isOver ? `end: ${this.#system.endOf(step)}` : this.#system.textOf(next);
    const known = this.#graph.nodeOf(text);
    if (known !== undefined) return known;
    const node = this.#add(text, isOver ? undefined : next);
    if (isOver) this.#outputs.set(node, step.output);
    else this.#judge(node, this.#system.violations(next));
    return node;
  }

  #add(text: string, frame: Frame | undefined): number {
    const node = this.#graph.add(text);
    this.#frames[node] = frame;
    return node;
  }

  #judge(node: number, violations: readonly Violation[], edge?: number): void {
    const [violation] = violations;
    if (violation === undefined || this.#refutation !== undefined) return;
    this.#refutation = { node, edge, violation };
  }
}

/** The open calls with what they were asked. */
export const frameAfter = (before: Frame, { state, effects }: KernelStep): Frame => {
  const calls = new Map<string, OpenCall>();
  before.calls.forEach((call, address) => {
    if (state.calls.has(address)) calls.set(address, call);
  });
  for (const effect of effects) {
    if (effect.kind !== 'startCall') continue;
    if (state.calls.get(effect.address)?.generation !== effect.generation) continue;
    calls.set(effect.address, { actor: effect.actor, input: effect.input });
  }
  return { state, calls };
};

/** By the facts, by the contract of the child that answered, and by those of the children that were stopped. */
export const costOf = (system: System, before: Frame, move: Move, step: KernelStep): Weights => {
  let cost = sumOf(weightsOf(step.emitted), move.cost ?? NOTHING);
  for (const effect of step.effects) {
    if (effect.kind !== 'stopCall') continue;
    const call = before.calls.get(effect.address);
    const isOld = before.state.calls.get(effect.address)?.generation === effect.generation;
    if (call === undefined || !isOld) continue;
    cost = sumOf(cost, system.costOfStopped(call, effect.address, move));
  }
  return cost;
};
