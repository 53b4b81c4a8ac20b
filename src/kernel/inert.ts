import type {
  AnyActorLogic,
  AnyActorRef,
  AnyStateMachine,
  InspectionEvent,
  Snapshot,
} from 'xstate';

/*
 * What XState is given in place of living actors. Nothing here ever starts, sends or schedules: the kernel reads what
 * charts want from the actions they produce.
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

/** Nobody behind the names of a chart's actors. */
export const inertActors = (machine: AnyStateMachine): Readonly<Record<string, AnyActorLogic>> =>
  Object.fromEntries(Object.keys(machine.implementations.actors).map((name) => [name, inertLogic]));

/** The same chart with nobody behind the names of its actors. */
export const withInertActors = (machine: AnyStateMachine): AnyStateMachine =>
  machine.provide({ actors: inertActors(machine) });

const ignore = (): void => undefined;

/** As much of a system as creating an actor touches. Shared, because it holds nothing. */
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

/** An action that a chart wants carried out, as XState hands it over. */
export interface RequestedAction {
  readonly type: string;
  readonly params: unknown;
}

type ActorScope = Parameters<AnyStateMachine['transition']>[2];

/** Is told what XState tells inspectors. */
export type Inspect = (event: InspectionEvent) => void;

/** The scope of one transition: it collects what the chart wants and does none of it. */
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
