import type { AnyActorRef, AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';

import type { RequestedAction } from './inert.js';
import { collectingScope, withInertActors } from './inert.js';
import { childrenOf, nodesOf } from './xstate-shapes.js';

/** Where a chart went and what it wants done. */
export interface Transitioned {
  readonly snapshot: AnyMachineSnapshot;
  readonly actions: readonly RequestedAction[];
}

/** Takes one chart from one snapshot to the next. Pure. */
export interface ChartRunner {
  begin(self: AnyActorRef, input: unknown): Transitioned;
  advance(self: AnyActorRef, snapshot: AnyMachineSnapshot, event: EventObject): Transitioned;
  /** A snapshot as it was when it was saved. */
  restore(saved: SavedSnapshot): AnyMachineSnapshot;
}

/** Makes the runner of a chart. */
export type RunnerOf = (chart: AnyStateMachine) => ChartRunner;

/** What of an active snapshot cannot be worked out. Plain JSON. */
export interface SavedSnapshot {
  readonly value: unknown;
  /** Ids of the active states, in XState's order: it depends on the way that led here, and decides the order of things. */
  readonly nodes: readonly string[];
  readonly context: object;
  readonly children: readonly string[];
}

export const savedSnapshot = (snapshot: AnyMachineSnapshot): SavedSnapshot => ({
  value: snapshot.value as unknown,
  nodes: nodesOf(snapshot).map(({ id }) => id),
  context: snapshot.context as object,
  children: Object.keys(childrenOf(snapshot)),
});

/** By XState, as far as it can: the order of its states and the children are put back by hand. */
export const restoredSnapshot = (
  machine: AnyStateMachine,
  { value, nodes, context, children }: SavedSnapshot,
): AnyMachineSnapshot => {
  const resolved = machine.resolveState({ value, context } as never) as AnyMachineSnapshot;
  const byId = new Map(nodesOf(resolved).map((node) => [node.id, node]));
  if (byId.size !== nodes.length || !nodes.every((id) => byId.has(id))) {
    throw new Error(`The chart '${machine.id}' has no states ${nodes.join(', ')}`);
  }
  const snapshot = {
    ...resolved,
    _nodes: nodes.map((id) => byId.get(id)),
    children: Object.fromEntries(children.map((id) => [id, { id }])),
  };
  return snapshot as unknown as AnyMachineSnapshot;
};

/** By XState's transition functions, every time. */
export const plainRunner = (chart: AnyStateMachine): ChartRunner => {
  const machine = withInertActors(chart);
  return {
    begin: (self, input) => {
      const actions: RequestedAction[] = [];
      const scope = collectingScope(self, actions);
      return { snapshot: machine.getInitialSnapshot(scope, input) as AnyMachineSnapshot, actions };
    },
    advance: (self, snapshot, event) => {
      const actions: RequestedAction[] = [];
      const next = machine.transition(snapshot, event, collectingScope(self, actions));
      return { snapshot: next as AnyMachineSnapshot, actions };
    },
    restore: (saved) => restoredSnapshot(machine, saved),
  };
};
