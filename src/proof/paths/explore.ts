import type { Explorer } from './graph.js';
import type { Happening, Model, ModelState } from './model.js';
import { Sightings } from './observe.js';

/** How one model is explored. */
export interface Exploration {
  /** Every event that can happen in a state. */
  readonly happenings: (state: ModelState) => readonly Happening[];
  /** The part of a state that counts; states with the same key count as one. Keeps the model finite and small. */
  readonly keyOf: (state: ModelState) => string;
  readonly limit?: number;
}

/** From the start to a state, one event after the other. */
export interface GeneratedPath {
  readonly start: ModelState;
  readonly steps: readonly { readonly happening: Happening; readonly expected: ModelState }[];
}

export interface Explored {
  /** Distinct states by their keys. */
  readonly stateCount: number;
  /** The targets of all events in these states. */
  readonly edges: readonly ModelState[];
  readonly paths: readonly GeneratedPath[];
  readonly sightings: Sightings;
}

const DEFAULT_LIMIT = 500_000;

/**
 * Every state of a model and every event that can happen in it. Every transition between configurations of the charts
 * has a shortest path to it. Transitions on the path to others need no path of their own, and those that change nothing
 * are tried one after the other.
 */
export const explore = (model: Model, exploration: Exploration, explorer: Explorer): Explored => {
  const { happenings, keyOf, limit = DEFAULT_LIMIT } = exploration;
  const map = explorer(model, {
    events: (state) => (state.status === 'active' ? happenings(state) : []),
    serializeState: keyOf,
    serializeEvent: ({ says }) => says,
    limit,
  });
  const nodes = Object.values(map);
  const found = new Set(nodes.map(({ state }) => state));
  const known = new Set<string>();
  const isNewWay = (target: ModelState): boolean => known.size < known.add(wayOf(target)).size;
  const edges: ModelState[] = [];
  const ends: ModelState[] = nodes.slice(0, 1).map(({ state }) => state);
  for (const { state, transitions } of nodes) {
    const targets = Object.values(transitions).map((transition) => transition.state);
    edges.push(...targets);
    const fresh = targets.filter(isNewWay);
    // A known state ends its path: its continuations belong to another path.
    const key = keyOf(state);
    const staying = fresh.filter((target) => !found.has(target) && keyOf(target) === key);
    ends.push(...fresh.filter((target) => !staying.includes(target)));
    ends.push(...chained(model, state, staying, (at) => keyOf(at) === key));
  }
  const paths = withoutPrefixes(ends).map(pathTo);
  return { stateCount: nodes.length, edges, paths, sightings: sightingsOn(paths) };
};

/**
 * The event, the configurations before and after, and the transitions and facts; not the contexts, of which there are
 * too many.
 */
const wayOf = ({ via, kernel, step, transitions }: ModelState): string =>
  JSON.stringify([
    via === null ? [] : [placesOf(via.from.kernel), via.happening.says],
    placesOf(kernel),
    transitions,
    step.emitted.map(({ type }) => type),
  ]);

const placesOf = ({ nodes }: ModelState['kernel']): unknown[] =>
  [...nodes].map(([address, { snapshot }]): unknown => [address, snapshot.value]);

/** Chains events that change nothing from the same state, then continues from that state. */
const chained = (
  model: Model,
  state: ModelState,
  staying: readonly ModelState[],
  isSame: (state: ModelState) => boolean,
): ModelState[] => {
  const ends: ModelState[] = [];
  let at = state;
  for (const { via } of staying) {
    if (via === null) continue;
    const next = model.transition(at, via.happening, NO_SCOPE);
    const isStill = next.status === 'active' && isSame(next);
    if (!isStill) ends.push(at === state ? next : model.transition(state, via.happening, NO_SCOPE));
    else at = next;
  }
  return at === state ? ends : [...ends, at];
};

/** The model does not use it. */
const NO_SCOPE = {} as Parameters<Model['transition']>[2];

const sightingsOn = (paths: readonly GeneratedPath[]): Sightings => {
  const sightings = new Sightings();
  for (const { start, steps } of paths) {
    sightings.add(start);
    for (const { expected } of steps) sightings.add(expected);
  }
  return sightings;
};

/** A state on the path to another end needs no path of its own. */
const withoutPrefixes = (ends: readonly ModelState[]): ModelState[] => {
  const passed = new Set<ModelState>();
  for (const end of ends) {
    for (let at = end.via?.from; at !== undefined && !passed.has(at); at = at.via?.from) {
      passed.add(at);
    }
  }
  return [...new Set(ends)].filter((end) => !passed.has(end));
};

/** The path to a state. */
export const pathTo = (end: ModelState): GeneratedPath => {
  const steps: { happening: Happening; expected: ModelState }[] = [];
  let at = end;
  while (at.via !== null) {
    steps.unshift({ happening: at.via.happening, expected: at });
    at = at.via.from;
  }
  return { start: at, steps };
};
