import type { AnyActorRef, AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';
import { createMachine } from 'xstate';

import type { Transitioned } from '../chart-runner.js';
import type { Inspect, RequestedAction } from '../inert.js';
import { collectingScope, inertActors } from '../inert.js';
import type { Ending, Operation } from './trace.js';
import type { BuiltinAction, Guard, Selector } from '../xstate-shapes.js';
import { implementationsOf, isBuiltinAction, nodesOf } from '../xstate-shapes.js';

export interface Recording extends Transitioned {
  readonly operations: readonly Operation[];
  /** Undefined when the transition cannot be repeated and XState must be called every time. */
  readonly ending: Ending | undefined;
}

/** Lets XState make transitions and records its guards and actions. */
export class TraceRecorder {
  readonly machine: AnyStateMachine;
  /** Every params object that is written in the chart itself. */
  readonly #staticParams = new Set<unknown>();
  #operations: Operation[] = [];
  /** Actions still to be performed that were recorded already, by name. */
  #known = 0;
  #isRepeatable = true;
  /** The events that the chart raised, in order, and the index of the one being handled; -1 is the external event. */
  #raised: EventObject[] = [];
  #turn = -1;
  #event: EventObject | undefined;
  /** The last computed params, and the function that computed them. */
  #made: { readonly params: unknown; readonly make: Selector } | undefined;
  readonly #inspect: Inspect | undefined;

  constructor(chart: AnyStateMachine, inspect?: Inspect) {
    this.#inspect = inspect;
    const { guards, actions } = implementationsOf(chart);
    // Built in one go: every `provide` would rebuild all states.
    this.machine = createMachine(
      this.#withNotedParams(chart.config) as never,
      {
        ...chart.implementations,
        actors: inertActors(chart),
        guards: mapValues(guards, (guard) => this.#recordingGuard(guard)),
        actions: mapValues(actions, (action) => this.#recordingAction(action)),
      } as never,
    ) as AnyStateMachine;
  }

  begin(self: AnyActorRef, input: unknown): Recording {
    return this.#record((scope) => this.machine.getInitialSnapshot(scope, input), self);
  }

  advance(self: AnyActorRef, snapshot: AnyMachineSnapshot, event: EventObject): Recording {
    return this.#record((scope) => this.machine.transition(snapshot, event, scope), self, event);
  }

  #record(
    transition: (scope: ReturnType<typeof collectingScope>) => unknown,
    self: AnyActorRef,
    event?: EventObject,
  ): Recording {
    // The last recording may have ended with an exception.
    this.#forget();
    this.#event = event;
    const actions: RequestedAction[] = [];
    const noting = {
      push: (action: RequestedAction) => {
        actions.push(action);
        this.#observe(action as ObservedAction);
      },
    };
    const scope = collectingScope(self, noting, this.#inspect);
    const snapshot = transition(scope) as AnyMachineSnapshot;
    const operations = this.#operations;
    const isRepeatable = this.#canRepeat(snapshot);
    if (snapshot.status === 'done') dropTrailingStops(operations);
    const isComplete = operations.every((operation) => this.#completed(operation, snapshot));
    const template = {
      ...snapshot,
      context: {},
      children: {},
      output: undefined,
      error: undefined,
    };
    const raised = this.#raised.map(({ type }) => type);
    this.#forget();
    return {
      snapshot,
      actions,
      operations,
      ending:
        isRepeatable && isComplete
          ? { template: template as AnyMachineSnapshot, raised }
          : undefined,
    };
  }

  /** Clears the recorder, which lives as long as its chart and so longer than any run. */
  #forget(): void {
    this.#operations = [];
    this.#known = 0;
    this.#isRepeatable = true;
    this.#raised = [];
    this.#turn = -1;
    this.#event = undefined;
    this.#made = undefined;
  }

  #canRepeat(snapshot: AnyMachineSnapshot): boolean {
    // The output of a chart that ends is computed with the last event, so that event must be known.
    const isLastKnown = snapshot.status !== 'done' || this.#turn === this.#raised.length - 1;
    return (
      this.#isRepeatable && isLastKnown && snapshot.status !== 'error' && hasNoHistory(snapshot)
    );
  }

  /** Notes that another event is being handled: one that the chart raised. Any other event cannot be learned. */
  #turnTo(event: EventObject): void {
    if (event === this.#event) return;
    const isFirst = this.#event === undefined;
    this.#event = event;
    if (isFirst) return;
    const position = this.#raised.indexOf(event, this.#turn + 1);
    if (position < 0) {
      this.#isRepeatable = false;
      return;
    }
    this.#turn = position;
    this.#operations.push({ kind: 'turn', position, type: event.type });
  }

  /** The input of an invoked actor is found at the active state; a state that was only passed through has none. */
  #completed(operation: Operation, snapshot: AnyMachineSnapshot): boolean {
    if (operation.kind !== 'invoke') return true;
    const definitions = nodesOf(snapshot).flatMap((node) => node.invoke);
    const definition = definitions.find(({ id }) => id === operation.id);
    if (definition === undefined) return false;
    Object.assign(operation, { input: definition.input });
    return true;
  }

  #recordingGuard(guard: unknown): unknown {
    if (typeof guard !== 'function' || 'check' in guard) return guard;
    const ask = guard as Guard;
    const recording: Guard = (args, params) => {
      this.#turnTo(args.event);
      const result = ask(args, params);
      this.#operations.push({ kind: 'guard', guard: ask, params, result });
      this.#requireStatic(params);
      return result;
    };
    return recording;
  }

  #recordingAction(action: unknown): unknown {
    if (!isBuiltinAction(action)) return action;
    const resolve: BuiltinAction['resolve'] = (scope, snapshot, args, params, self, extra) => {
      this.#turnTo(args.event);
      const makeParams = this.#makerOf(params);
      const resolved = action.resolve(scope, snapshot, args, params, self, extra);
      // Params computed from an event are computed again, and nothing of a run is kept.
      const kept = makeParams === undefined ? params : undefined;
      this.#operations.push({ kind: 'action', action, params: kept, makeParams });
      this.#requireStatic(kept);
      this.#expect(action);
      for (const inner of resolved[2] ?? []) this.#expect(inner);
      return resolved;
    };
    return Object.assign(() => undefined, action, { resolve });
  }

  /** Copies the plain objects and lists of a chart, and notes the functions that compute params. */
  #withNotedParams(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item: unknown) => this.#withNotedParams(item));
    if (typeof value !== 'object' || value === null) return value;
    if (Object.getPrototypeOf(value) !== Object.prototype) return value;
    return mapValues(value as Readonly<Record<string, unknown>>, (item, key) =>
      key === 'params' ? this.#notedParams(item) : this.#withNotedParams(item),
    );
  }

  /** Params written in the chart keep their identity, so that they are recognised. */
  #notedParams(value: unknown): unknown {
    if (typeof value !== 'function') {
      this.#staticParams.add(value);
      return value;
    }
    const make = value as Selector;
    return (args: object): unknown => {
      const params = make(args);
      this.#made = { params, make };
      return params;
    };
  }

  /** XState computes the params of an action right before it resolves it. */
  #makerOf(params: unknown): Selector | undefined {
    const made = this.#made;
    this.#made = undefined;
    return made !== undefined && made.params === params ? made.make : undefined;
  }

  #expect(action: unknown): void {
    if (!isBuiltinAction(action)) this.#isRepeatable = false;
    else if (action.execute !== undefined) this.#known += 1;
  }

  /** Computed guard params depend on the event; params written in the chart are constant. */
  #requireStatic(params: unknown): void {
    if (params !== undefined && !this.#staticParams.has(params)) this.#isRepeatable = false;
  }

  /** Records actions without a name in the chart: XState's own for `after` and `invoke`. */
  #observe({ type, params, info }: ObservedAction): void {
    this.#turnTo(info.event);
    if (type === 'xstate.raise') this.#noteRaised(params as Raised);
    if (this.#known > 0) {
      this.#known -= 1;
      return;
    }
    const operation = unnamedOperation(type, params);
    if (operation === undefined) this.#isRepeatable = false;
    else this.#operations.push(operation);
  }

  #noteRaised({ event, delay }: Raised): void {
    if (delay === undefined) this.#raised.push(event);
  }
}

interface ObservedAction extends RequestedAction {
  readonly info: { readonly event: EventObject };
}

interface Raised {
  readonly event: EventObject;
  readonly delay?: number;
}

const unnamedOperation = (type: string, params: unknown): Operation | undefined => {
  switch (type) {
    case 'xstate.raise': {
      const { id } = params as { readonly id: string };
      const delay = id.split('.')[2];
      return delay === undefined ? undefined : { kind: 'arm', id, delay };
    }
    case 'xstate.cancel':
      return { kind: 'cancel', id: (params as { readonly sendId: string }).sendId };
    case 'xstate.spawnChild': {
      const { id, src } = params as { readonly id: string; readonly src: string };
      return { kind: 'invoke', id, src, input: undefined };
    }
    case 'xstate.stopChild':
      return params === undefined ? undefined : { kind: 'stop', id: (params as { id: string }).id };
    default:
      return undefined;
  }
};

/** A chart that ends stops its children, and their number varies. */
const dropTrailingStops = (operations: Operation[]): void => {
  while (operations.at(-1)?.kind === 'stop') operations.pop();
};

const hasNoHistory = (snapshot: AnyMachineSnapshot): boolean =>
  Object.keys(snapshot.historyValue as object).length === 0;

const mapValues = (
  record: Readonly<Record<string, unknown>>,
  change: (value: unknown, key: string) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
