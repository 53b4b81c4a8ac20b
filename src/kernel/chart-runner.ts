import type { AnyActorRef, AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';

import type { RequestedAction } from './inert.js';
import { collectingScope, withInertActors } from './inert.js';

/** Where a chart went and what it wants done. */
export interface Transitioned {
  readonly snapshot: AnyMachineSnapshot;
  readonly actions: readonly RequestedAction[];
}

/** Takes one chart from one snapshot to the next. Pure. */
export interface ChartRunner {
  begin(self: AnyActorRef, input: unknown): Transitioned;
  advance(self: AnyActorRef, snapshot: AnyMachineSnapshot, event: EventObject): Transitioned;
}

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
  };
};
