import type { Metric, Weights } from '../metrics.js';
import { METRICS } from '../metrics.js';
import type { MoveKind } from '../model.types.js';

/** A visited state, with the moves and costs up to then. */
interface Passed {
  readonly moves: number;
  readonly cost: number;
}

/** A depth does not add up. */
const ADDING: readonly Metric[] = METRICS.filter((metric) => metric !== 'depth');

/** Whether a path returns to a state that guards cannot distinguish from an earlier one. */
export class Circles {
  readonly #passed = new Map<string, Passed>();
  /** The same, since a person's last nudge. */
  #unprompted = new Map<string, Passed>();
  #moves = 0;
  isCircular = false;
  isCostly = false;

  note(text: string, kind: MoveKind, cost: Weights): void {
    if (kind === 'nudge') this.#unprompted = new Map();
    // A step's own moves, seen from its plan, lower the rank of the step.
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
