import type { Metric, Weights } from '../metrics.js';
import { METRICS } from '../metrics.js';
import type { MoveKind } from '../model.types.js';

/** A state that was passed: how many moves and how much cost had been by then. */
interface Passed {
  readonly moves: number;
  readonly cost: number;
}

/** A level is no cost: it does not add up. */
const ADDING: readonly Metric[] = METRICS.filter((metric) => metric !== 'depth');

/** Whether a way comes back to a state that guards cannot tell from one it was in before. */
export class Circles {
  readonly #passed = new Map<string, Passed>();
  /** The same, since a person last said something that only nudges. */
  #unprompted = new Map<string, Passed>();
  #moves = 0;
  isCircular = false;
  isCostly = false;

  note(text: string, kind: MoveKind, cost: Weights): void {
    if (kind === 'nudge') this.#unprompted = new Map();
    // What a step does by itself, seen from its plan, uses up the rank of the step.
    if (kind === 'answer' || kind === 'timer') this.#moves += 1;
    const here = { moves: this.#moves, cost: ADDING.reduce((sum, name) => sum + cost[name], 0) };
    const unprompted = first(this.#unprompted, text, here);
    const ever = first(this.#passed, text, here);
    this.isCircular ||= here.moves > unprompted.moves;
    this.isCostly ||= here.cost > ever.cost;
  }
}

const first = (passed: Map<string, Passed>, text: string, here: Passed): Passed => {
  const known = passed.get(text);
  if (known !== undefined) return known;
  passed.set(text, here);
  return here;
};
