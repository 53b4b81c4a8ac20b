import type { AnyActorRef, AnyActorScope, AnyStateMachine, EventObject } from 'xstate';

import { emittingAtRoot } from './root-facts.js';

/*
 * Charts trust each other: a `verdict.given`, a `time.isUp` or an `xstate.done.actor.*` says what happened. Under
 * XState's own interpreter any code with an actor can send the same event, and the event does not name its sender. The
 * interpreter does: it names the sender of every event to inspectors of the system, right before the event is
 * delivered.
 */

/** Actors of our charts. */
const family = new WeakSet<AnyActorRef>();

/** The senders of events by system; one inspector serves every actor in it. */
const sendersBySystem = new WeakMap<object, WeakMap<EventObject, Sender>>();

interface Sender {
  /** Undefined when the event came by `actor.send`. */
  readonly source: AnyActorRef | undefined;
}

type Scope = Pick<AnyActorScope, 'self' | 'system'>;

/**
 * Makes a chart accept only events of its own family: its own timers, its children and the chart that started it. Of
 * other events it accepts those that `isHeard` lets through. Changes the given machine.
 */
export const withinFamily = <Machine extends AnyStateMachine>(
  machine: Machine,
  isHeard: (event: EventObject, context: unknown) => boolean,
): Machine => {
  const transition = machine.transition.bind(machine);
  const getInitialSnapshot = machine.getInitialSnapshot.bind(machine);
  const restoreSnapshot = machine.restoreSnapshot.bind(machine);
  const provide = machine.provide.bind(machine);
  const overrides: Pick<
    AnyStateMachine,
    'transition' | 'getInitialSnapshot' | 'restoreSnapshot' | 'provide'
  > = {
    transition: (snapshot, event: EventObject, scope) => {
      const isKnown = isFromFamily(event, scope) || isHeard(event, snapshot.context);
      return isKnown
        ? transition(snapshot, event, emittingAtRoot(scope, rootOf(scope.self)))
        : snapshot;
    },
    getInitialSnapshot: (scope, input) => {
      join(scope);
      return getInitialSnapshot(emittingAtRoot(scope, rootOf(scope.self)), input);
    },
    restoreSnapshot: (snapshot, scope) => {
      join(scope);
      return restoreSnapshot(snapshot, scope);
    },
    provide: (implementations) => withinFamily(provide(implementations), isHeard),
  };
  return Object.assign(machine, overrides);
};

const join = ({ self, system }: Scope): void => {
  family.add(self);
  if (sendersBySystem.has(system)) return;
  const senders = new WeakMap<EventObject, Sender>();
  sendersBySystem.set(system, senders);
  system.inspect((inspected) => {
    if (inspected.type !== '@xstate.event') return;
    // The inspection type shows fewer members than the actor has.
    senders.set(inspected.event, { source: inspected.sourceRef as AnyActorRef | undefined });
  });
};

/** An event without a sender comes from the interpreter itself, which stops an actor, or from a pure transition. */
const isFromFamily = (event: EventObject, { self, system }: Scope): boolean => {
  const sender = sendersBySystem.get(system)?.get(event);
  if (sender === undefined) return true;
  const { source } = sender;
  if (source === undefined) return false;
  return isWithin(source, self) || (source === self._parent && family.has(source));
};

/** The topmost of our charts above an actor. */
const rootOf = (actor: AnyActorRef): AnyActorRef => {
  const parent = actor._parent;
  return parent !== undefined && family.has(parent) ? rootOf(parent) : actor;
};

const isWithin = (actor: AnyActorRef, above: AnyActorRef): boolean => {
  for (let each: AnyActorRef | undefined = actor; each !== undefined; each = each._parent) {
    if (each === above) return true;
  }
  return false;
};
