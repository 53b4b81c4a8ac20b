import type { AnyActorRef, AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';

/*
 * Shapes of XState's own objects that its types do not describe. Everything here is pinned by
 * test/xstate-contract.test.ts or compared with XState by the checking runner.
 */

/** What actions are resolved with. */
export interface ActionArguments {
  readonly context: object;
  readonly event: EventObject;
  readonly self: AnyActorRef;
  readonly system: unknown;
}

/** One of XState's built-in actions: a function that carries what it was made with. */
export interface BuiltinAction {
  readonly type: string;
  readonly resolve: (
    scope: unknown,
    snapshot: unknown,
    args: ActionArguments,
    params: unknown,
    action: BuiltinAction,
    extra: { readonly internalQueue: EventObject[]; readonly deferredActorIds: undefined },
  ) => readonly [unknown, unknown, readonly unknown[] | undefined];
  readonly execute?: unknown;
  readonly assignment?: unknown;
  readonly id?: unknown;
  readonly src?: unknown;
  readonly input?: unknown;
  readonly actorRef?: unknown;
  readonly event?: unknown;
  readonly collect?: unknown;
}

export const isBuiltinAction = (value: unknown): value is BuiltinAction =>
  typeof value === 'function' && 'resolve' in value && 'type' in value;

export type Guard = (
  args: { readonly context: object; readonly event: EventObject },
  params: unknown,
) => boolean;

/** As much of a state node as is read. */
export interface NodeShape {
  readonly id: string;
  readonly type: string;
  readonly parent: NodeShape | undefined;
  readonly output: unknown;
  readonly invoke: readonly {
    readonly id: string;
    readonly src: unknown;
    readonly input?: unknown;
  }[];
}

/** A child as a snapshot holds it. */
export interface ChildReference {
  readonly id: string;
}

export type Children = Readonly<Record<string, ChildReference>>;

export const nodesOf = (snapshot: AnyMachineSnapshot): readonly NodeShape[] =>
  (snapshot as unknown as { readonly _nodes: readonly NodeShape[] })._nodes;

export const childrenOf = (snapshot: AnyMachineSnapshot): Children => snapshot.children as Children;

export interface Implementations {
  readonly guards: Readonly<Record<string, unknown>>;
  readonly actions: Readonly<Record<string, unknown>>;
  readonly delays: Readonly<Record<string, unknown>>;
}

export const implementationsOf = (machine: AnyStateMachine): Implementations =>
  machine.implementations;

/** A selector of one argument, as `input` and `output` are. */
export type Selector = (args: object) => unknown;

export const selected = (selector: unknown, args: object): unknown =>
  typeof selector === 'function' ? (selector as Selector)(args) : selector;
