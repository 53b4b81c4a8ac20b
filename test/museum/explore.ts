import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { getInitialMicrosteps, getMicrosteps, getNextTransitions } from 'xstate';

/* Breadth-first search over one flat chart: the first violation found is a shortest one. */

/** More states than any exhibit has: a chart that exceeds it is a mistake in the exhibit. */
const STATES_MAX = 5000;

/** What a property may read: the state of the chart, and its context. */
export interface Seen<Context> {
  readonly at: string;
  readonly context: Context;
}

export type Property<Context> =
  /** A condition that must not hold in any state. */
  | { readonly kind: 'never'; readonly when: (seen: Seen<Context>) => boolean }
  /** Every way through the chart comes to an end: no circle, and no state without a way on. */
  | { readonly kind: 'ends' }
  /** Nobody has to answer: every state that is no end can be left by a timer or by the chart itself. */
  | { readonly kind: 'leavesByItself' };

/** One event, and the states it led through; the last one is where the chart came to rest. */
export interface Step {
  readonly event: string;
  readonly from: string;
  readonly through: readonly string[];
}

export interface Witness {
  readonly kind: 'state' | 'circle' | 'stuck';
  /** The states from the start to the first rest. */
  readonly start: readonly string[];
  readonly steps: readonly Step[];
  /** The number of last steps that form the cycle; 0 when there is none. */
  readonly circle: number;
}

export interface SearchResult {
  /** Distinct states of chart and context that were reached, and the events that were tried from them. */
  readonly states: number;
  readonly moves: number;
  /** Null when the whole chart was explored and the property holds. */
  readonly witness: Witness | null;
}

interface Node {
  readonly key: string;
  readonly snapshot: AnyMachineSnapshot;
  readonly parent: Node | null;
  readonly step: Step | null;
  readonly depth: number;
}

interface Edge {
  readonly step: Step;
  readonly to: string;
}

/** Searches for the shortest path that breaks a property. */
export const explore = <Context>(
  machine: AnyStateMachine,
  property: Property<Context>,
): SearchResult => {
  const begin = getInitialMicrosteps(machine).map(([snapshot]) => snapshot as AnyMachineSnapshot);
  const start = pathOf(begin);
  const first = nodeOf(lastOf(begin), null, null);
  const nodes = new Map([[first.key, first]]);
  const edges = new Map<string, readonly Edge[]>();
  let moves = 0;
  const found = (kind: Witness['kind'], steps: readonly Step[], circle = 0): SearchResult => ({
    states: nodes.size,
    moves,
    witness: { kind, start, steps, circle },
  });

  // A Map is iterated in insertion order, also while it grows: that is the queue.
  for (const node of nodes.values()) {
    const violation = violationAt(node, property);
    if (violation !== null) return found(violation, stepsTo(node));
    const next = movesFrom(machine, node);
    moves += next.length;
    edges.set(
      node.key,
      next.map(({ step, snapshot }) => {
        const child = nodeOf(snapshot, node, step);
        if (!nodes.has(child.key)) nodes.set(child.key, child);
        return { step, to: child.key };
      }),
    );
    if (nodes.size > STATES_MAX)
      throw new Error(`${machine.id} has more than ${STATES_MAX} states`);
  }
  const lasso = property.kind === 'ends' ? shortestLasso(nodes, edges) : null;
  return lasso === null
    ? { states: nodes.size, moves, witness: null }
    : found('circle', [...stepsTo(lasso.from), ...lasso.circle], lasso.circle.length);
};

/** Events of the chart itself: its timers, and the next turn of a loop that waits for no input. */
const isOwnMove = (event: string): boolean =>
  event.startsWith('xstate.after.') || event === 'loop.turned';

const violationAt = <Context>(
  { snapshot }: Node,
  property: Property<Context>,
): Witness['kind'] | null => {
  if (property.kind === 'never') return property.when(seenIn<Context>(snapshot)) ? 'state' : null;
  if (snapshot.status !== 'active') return null;
  const enabled = enabledEvents(snapshot);
  const ways = property.kind === 'ends' ? enabled : enabled.filter(isOwnMove);
  return ways.length === 0 ? 'stuck' : null;
};

export const seenIn = <Context>(snapshot: AnyMachineSnapshot): Seen<Context> => ({
  at: stateName(snapshot),
  context: snapshot.context as Context,
});

/** Every event that some transition of the current state accepts now, guards included. */
export const enabledEvents = (snapshot: AnyMachineSnapshot): string[] => {
  const types = new Set(getNextTransitions(snapshot).map(({ eventType }) => eventType as string));
  return [...types].filter((type) => type !== '' && snapshot.can({ type }));
};

const movesFrom = (
  machine: AnyStateMachine,
  { snapshot }: Node,
): { readonly step: Step; readonly snapshot: AnyMachineSnapshot }[] =>
  enabledEvents(snapshot).map((event) => {
    const taken = getMicrosteps(machine, snapshot, { type: event }).map(
      ([next]) => next as AnyMachineSnapshot,
    );
    return {
      step: { event, from: stateName(snapshot), through: pathOf(taken) },
      snapshot: lastOf(taken),
    };
  });

const nodeOf = (snapshot: AnyMachineSnapshot, parent: Node | null, step: Step | null): Node => ({
  key: JSON.stringify([snapshot.value, snapshot.context]),
  snapshot,
  parent,
  step,
  depth: parent === null ? 0 : parent.depth + 1,
});

const stepsTo = ({ parent, step }: Node): Step[] =>
  parent === null || step === null ? [] : [...stepsTo(parent), step];

/** The exhibits are flat charts, so that every picture has one node per state. */
export const stateName = ({ value }: AnyMachineSnapshot): string => {
  if (typeof value !== 'string') throw new Error('An exhibit is a flat chart');
  return value;
};

const pathOf = (snapshots: readonly AnyMachineSnapshot[]): string[] => snapshots.map(stateName);

const lastOf = (snapshots: readonly AnyMachineSnapshot[]): AnyMachineSnapshot => {
  const last = snapshots.at(-1);
  if (last === undefined) throw new Error('A move led nowhere');
  return last;
};

// ---- Cycles -----------------------------------------------------------------------------------

/** The cycle that is reached and closed in the fewest steps, from any entry state. */
const shortestLasso = (
  nodes: ReadonlyMap<string, Node>,
  edges: ReadonlyMap<string, readonly Edge[]>,
): { readonly from: Node; readonly circle: readonly Step[] } | null => {
  let best: { readonly from: Node; readonly circle: readonly Step[] } | null = null;
  for (const from of nodes.values()) {
    const circle = shortestCircle(from.key, edges);
    if (circle === null) continue;
    const length = from.depth + circle.length;
    if (best === null || length < best.from.depth + best.circle.length) best = { from, circle };
  }
  return best;
};

const shortestCircle = (
  origin: string,
  edges: ReadonlyMap<string, readonly Edge[]>,
): readonly Step[] | null => {
  const ways = new Map<string, readonly Step[]>([[origin, []]]);
  for (const [key, way] of ways) {
    for (const { step, to } of edges.get(key) ?? []) {
      if (to === origin) return [...way, step];
      if (!ways.has(to)) ways.set(to, [...way, step]);
    }
  }
  return null;
};
