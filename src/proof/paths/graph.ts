import { getAdjacencyMap } from 'xstate/graph';

import type { Happening, Model, ModelState } from './model.js';

/**
 * The one place that uses a graph library. Users explore with `xstate/graph`, which comes with XState; our own charts
 * are explored with the package `@xstate/graph`. A test compares both (docs/decisions/0018-two-graph-packages.md).
 */

export interface Traversal<State, Event> {
  readonly events: (state: State) => readonly Event[];
  readonly serializeState: (state: State) => string;
  readonly serializeEvent: (event: Event) => string;
  /** Throws beyond this many visited states: an infinite model must not hang. */
  readonly limit: number;
}

/** Every state found, by its key, with its outgoing events and their targets. */
export type AdjacencyMap<State, Event> = Readonly<
  Record<
    string,
    {
      readonly state: State;
      readonly transitions: Readonly<
        Record<string, { readonly state: State; readonly event: Event }>
      >;
    }
  >
>;

/** Explores breadth first, so that the first path to a state is a shortest one. */
export type Explorer = (
  model: Model,
  traversal: Traversal<ModelState, Happening>,
) => AdjacencyMap<ModelState, Happening>;

export const exploreWithXState: Explorer = (model, traversal) =>
  getAdjacencyMap(model, traversal) as AdjacencyMap<ModelState, Happening>;
