import type {
  AnyActorLogic,
  AnyActorRef,
  AnyStateMachine,
  InspectionEvent,
  Snapshot,
} from 'xstate';

/*
 * Stand-ins that XState receives in place of running actors. Nothing here starts, sends or schedules: the kernel reads
 * the actions that charts produce.
 */

/** The logic behind every child as its parent's chart sees it. */
const inertLogic = {
  getInitialSnapshot: (): Snapshot<unknown> => ({
    status: 'active',
    output: undefined,
    error: undefined,
  }),
  transition: (snapshot: Snapshot<unknown>): Snapshot<unknown> => snapshot,
  getPersistedSnapshot: (snapshot: Snapshot<unknown>): Snapshot<unknown> => snapshot,
} as unknown as AnyActorLogic;

/** Inert logic for each actor name of a chart. */
export const inertActors = (machine: AnyStateMachine): Readonly<Record<string, AnyActorLogic>> =>
  Object.fromEntries(Object.keys(machine.implementations.actors).map((name) => [name, inertLogic]));

/** The same chart with inert actors. */
export const withInertActors = (machine: AnyStateMachine): AnyStateMachine =>
  machine.provide({ actors: inertActors(machine) });

const ignore = (): void => undefined;

/** The part of an actor system that creating an actor needs. Shared, because it holds no state. */
const inertSystem = {
  _bookId: (): string => 'inert',
  _register: (sessionId: string): string => sessionId,
  _unregister: ignore,
  _sendInspectionEvent: ignore,
  _relay: ignore,
  _set: ignore,
  _clock: { setTimeout: ignore, clearTimeout: ignore },
  _logger: ignore,
  get: ignore,
};

const inspectedSystem = (inspect: Inspect): typeof inertSystem =>
  Object.create(inertSystem, { _sendInspectionEvent: { value: inspect } }) as typeof inertSystem;

/** What a chart gets as `self`. */
export const inertSelf = (id: string, parent: AnyActorRef | undefined): AnyActorRef =>
  ({
    id,
    sessionId: id,
    _parent: parent,
    system: inertSystem,
    send: ignore,
  }) as unknown as AnyActorRef;

/** An action that a chart requests, as XState hands it over. */
export interface RequestedAction {
  readonly type: string;
  readonly params: unknown;
}

type ActorScope = Parameters<AnyStateMachine['transition']>[2];

/** Receives XState's inspection events. */
export type Inspect = (event: InspectionEvent) => void;

/** The scope of one transition: it collects the requested actions and performs none. */
export const collectingScope = (
  self: AnyActorRef,
  actions: { push(action: RequestedAction): unknown },
  inspect?: Inspect,
): ActorScope =>
  ({
    self,
    id: self.id,
    sessionId: self.id,
    system: inspect === undefined ? inertSystem : inspectedSystem(inspect),
    logger: ignore,
    defer: ignore,
    emit: ignore,
    stopChild: ignore,
    actionExecutor: (action: RequestedAction): void => {
      actions.push(action);
    },
  }) as unknown as ActorScope;
