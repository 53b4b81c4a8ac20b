import type { AnyActorRef, AnyMachineSnapshot, AnyStateMachine, InspectionEvent } from 'xstate';

import type { ChartRunner } from '../../kernel/chart-runner.js';
import { restoredSnapshot } from '../../kernel/chart-runner.js';
import type { RequestedAction } from '../../kernel/inert.js';
import { collectingScope, withInertActors } from '../../kernel/inert.js';
import { nodesOf } from '../../kernel/xstate-shapes.js';
import { firstStatesOf, nameOfTransition } from './chart-elements.js';

/** The entered states and taken transitions, by the names of `chartElementsOf`. */
export class Sightings {
  readonly states = new Set<string>();
  readonly transitions = new Set<string>();

  began(machine: AnyStateMachine): void {
    for (const id of firstStatesOf(machine.root)) this.states.add(id);
  }

  /** Receives XState's inspection events: one per microstep. */
  saw(event: InspectionEvent): void {
    if (event.type !== '@xstate.microstep') return;
    const snapshot = event.snapshot as AnyMachineSnapshot;
    for (const { id } of nodesOf(snapshot)) this.states.add(id);
    for (const transition of event._transitions) {
      const name = nameOfTransition(transition.source.machine, transition);
      if (name !== undefined) this.transitions.add(name);
    }
  }

  add(other: { readonly states: Iterable<string>; readonly transitions: Iterable<string> }): void {
    for (const state of other.states) this.states.add(state);
    for (const transition of other.transitions) this.transitions.add(transition);
  }
}

/**
 * Runs one chart by XState's own transition functions, like the kernel's plain runner, and records the inspection
 * events.
 */
export const observingRunner = (
  chart: AnyStateMachine,
  sightings: () => Sightings,
): ChartRunner => {
  const machine = withInertActors(chart);
  const scopeFor = (
    self: AnyActorRef,
    actions: RequestedAction[],
  ): ReturnType<typeof collectingScope> =>
    collectingScope(self, actions, (event) => {
      sightings().saw(event);
    });
  return {
    begin: (self, input) => {
      const actions: RequestedAction[] = [];
      sightings().began(machine);
      const snapshot = machine.getInitialSnapshot(scopeFor(self, actions), input);
      return { snapshot: snapshot as AnyMachineSnapshot, actions };
    },
    advance: (self, snapshot, event) => {
      const actions: RequestedAction[] = [];
      const next = machine.transition(snapshot, event, scopeFor(self, actions));
      return { snapshot: next as AnyMachineSnapshot, actions };
    },
    restore: (saved) => restoredSnapshot(machine, saved),
  };
};
