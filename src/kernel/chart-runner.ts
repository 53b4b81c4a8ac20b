import type { AnyActorRef, AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';

import type { RequestedAction } from './inert.js';
import { collectingScope, withInertActors } from './inert.js';
import { childrenOf, nodesOf } from './xstate-shapes.js';

/** The next snapshot of a chart and the actions it requests. */
export interface Transitioned {
  readonly snapshot: AnyMachineSnapshot;
  readonly actions: readonly RequestedAction[];
}

/** Takes one chart from one snapshot to the next. Pure. */
export interface ChartRunner {
  begin(self: AnyActorRef, input: unknown): Transitioned;
  advance(self: AnyActorRef, snapshot: AnyMachineSnapshot, event: EventObject): Transitioned;
  /** Restores a saved snapshot. */
  restore(saved: SavedSnapshot): AnyMachineSnapshot;
}

/** Makes the runner of a chart. */
export type RunnerOf = (chart: AnyStateMachine) => ChartRunner;

/** The part of an active snapshot that cannot be derived. Plain JSON. */
export interface SavedSnapshot {
  readonly value: unknown;
  /** Ids of the active states, in XState's order: it depends on the path taken, and decides the order of actions. */
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

/** Restored by XState as far as possible; the order of its states and the children are restored here. */
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

/** Calls XState's transition functions every time. */
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
