import type { KernelStep } from '../../kernel/kernel.types.js';
import { Graph } from './graph.js';
import type { Weights } from './metrics.js';
import { isNothing, NOTHING, sumOf, weightsOf } from './metrics.js';
import type { Frame, Move, OpenCall, System, Violation } from './model.types.js';
import { countIn, folded, UNCOUNTED } from './projection/step-count.js';
import { crashViolations } from './rules/crash-rule.js';

/** Reported when the exploration of a chart starts, and from time to time afterwards. */
export interface ExplorationProgress {
  readonly system: string;
  readonly nodes: number;
  readonly edges: number;
  readonly waiting: number;
}

export interface Exploration {
  readonly graph: Graph;
  /** The first violation; the search is breadth first, so the path to it is shortest. */
  readonly refutation:
    | {
        readonly node: number;
        /** The move that breaks the rule, where it is a move and not a state. */
        readonly edge: number | undefined;
        readonly violation: Violation;
      }
    | undefined;
  /** One output of the root for every ending. */
  readonly outputs: ReadonlyMap<number, unknown>;
}

export interface ExploreOptions {
  readonly onProgress?: ((progress: ExplorationProgress) => void) | undefined;
}

const NO_CALLS: ReadonlyMap<string, OpenCall> = new Map();
const PROGRESS_EVERY = 5_000;

/**
 * Explores every reachable state of a system, without a depth limit. States that differ only in the number of waiting
 * steps are explored as one: `unfold` separates them.
 */
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
    this.#graph.open(0);
    this.#expand(0, start, this.#system.starts, UNCOUNTED);
    for (let node = 1; node < this.#graph.size && this.#refutation === undefined; node += 1) {
      const frame = this.#frames[node];
      this.#frames[node] = undefined;
      this.#graph.open(node);
      if (frame !== undefined) this.#expandAll(node, frame);
      if (node % PROGRESS_EVERY === 1) this.#tell(node);
    }
    this.#graph.close();
    return { graph: this.#graph, refutation: this.#refutation, outputs: this.#outputs };
  }

  /** Where steps are counted, expands the representatives of this state. */
  #expandAll(node: number, frame: Frame): void {
    const system = this.#system;
    const isOne = this.#countIn(this.#graph.textOf(node)) === UNCOUNTED;
    for (const each of isOne ? [frame] : (system.standInsFor?.(frame) ?? [])) {
      const count = isOne ? UNCOUNTED : this.#countIn(system.textOf(each));
      this.#expand(node, each, system.moves(each), count);
    }
  }

  #countIn(text: string): number {
    return this.#system.standInsFor === undefined ? UNCOUNTED : countIn(text);
  }

  #tell(node: number): void {
    this.#options.onProgress?.({
      system: this.#system.name,
      nodes: this.#graph.size,
      edges: this.#graph.edgeCount,
      waiting: this.#graph.size - node,
    });
  }

  #expand(node: number, frame: Frame, moves: readonly Move[], count: number): void {
    const system = this.#system;
    for (const move of moves) {
      if (this.#refutation !== undefined) return;
      const step = system.kernel.step(frame.state, move.input);
      const next = frameAfter(frame, step);
      const text = textAfter(system, step, next);
      const to = this.#arrive(text, step, next);
      const cost = costOf(system, frame, move, step);
      const violations = [...crashViolations(step), ...system.violationsOfStep(frame, move, step)];
      const counts = [count, this.#countIn(text)] as const;
      const isNothingNew = node === to && count === counts[1] && isSilent(move, cost);
      const mustKeep = violations.length > 0;
      if (mustKeep || !isNothingNew) this.#graph.connect(node, to, move, cost, counts, mustKeep);
      // The move itself breaks the rule: its target may have a shorter path.
      this.#judge(to, violations, this.#graph.edgeCount - 1);
    }
  }

  #arrive(exactText: string, step: KernelStep, next: Frame): number {
    const isOver = step.status !== 'active';
    const text = this.#countIn(exactText) === UNCOUNTED ? exactText : folded(exactText);
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

/** The text of a run after a step, or its ending. */
export const textAfter = (system: System, step: KernelStep, next: Frame): string =>
  step.status === 'active' ? system.textOf(next) : `end: ${system.endOf(step)}`;

/** A refused command, or one that only agents receive, is no edge; nor is the tick of a step's time. */
const isSilent = ({ input, kind }: Move, cost: Weights): boolean =>
  isNothing(cost) && (input.kind === 'commanded' || kind === 'inner');

/** The open calls with their requests. */
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

/** The cost by the facts, by the contract of the child that answered, and by those of the stopped children. */
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
