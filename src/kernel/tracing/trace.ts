import type { AnyMachineSnapshot } from 'xstate';

import type { BuiltinAction, Guard, Selector } from '../xstate-shapes.js';

/*
 * A recorded transition of XState: the guards it evaluated and the actions it took, in order. The record branches where
 * a guard answers differently, or another event is raised.
 */

export type Operation =
  | {
      readonly kind: 'guard';
      readonly guard: Guard;
      readonly params: unknown;
      readonly result: boolean;
    }
  /** A named action of the chart. */
  | {
      readonly kind: 'action';
      readonly action: BuiltinAction;
      readonly params: unknown;
      /** Computes the params again, where they depend on context and event. */
      readonly makeParams: Selector | undefined;
    }
  /** The timer of an `after`. */
  | { readonly kind: 'arm'; readonly id: string; readonly delay: string }
  | { readonly kind: 'cancel'; readonly id: string }
  /** The actor of an `invoke`, and its end when the state is left. */
  | { readonly kind: 'invoke'; readonly id: string; readonly src: string; readonly input: unknown }
  | { readonly kind: 'stop'; readonly id: string }
  /** The following operations handle an event that the chart raised: the one at this index. */
  | { readonly kind: 'turn'; readonly position: number; readonly type: string };

/** An operation that changes something. */
export type Effect = Exclude<Operation, { kind: 'guard' | 'turn' }>;

export interface Ending {
  /** Nodes, value, tags and status; everything that does not depend on context, event or children. */
  readonly template: AnyMachineSnapshot;
  /** The types of the events that the chart raised on the path, in order. */
  readonly raised: readonly string[];
}

interface GuardStep {
  readonly kind: 'guard';
  readonly guard: Guard;
  readonly params: unknown;
  whenTrue: TraceStep | undefined;
  whenFalse: TraceStep | undefined;
}

interface ActionStep {
  readonly kind: 'act';
  readonly operation: Effect;
  next: TraceStep | undefined;
}

/** Raised events may differ: the record branches by their type. */
interface TurnStep {
  readonly kind: 'turn';
  readonly position: number;
  readonly byType: Record<string, TraceStep | undefined>;
}

interface EndStep {
  readonly kind: 'end';
  /** Undefined where XState has to be called every time. */
  readonly ending: Ending | undefined;
}

export type TraceStep = GuardStep | ActionStep | TurnStep | EndStep;

/** Where XState has to be called every time. */
const UNKNOWN: EndStep = { kind: 'end', ending: undefined };

/** Everything known about one event in one configuration. */
export class Trace {
  root: TraceStep | undefined;

  add(operations: readonly Operation[], ending: Ending | undefined): void {
    let place: Place = { holder: this, key: 'root' };
    for (const operation of operations) {
      const known = stepAt(place);
      // Same guard answers, other operations: the transition depends on more than guards and cannot be learned.
      if (known !== undefined && !isSame(known, operation)) {
        this.root = UNKNOWN;
        return;
      }
      const step = known ?? stepOf(operation);
      if (known === undefined) put(place, step);
      place = placeAfter(step, operation);
    }
    if (stepAt(place) === undefined) put(place, { kind: 'end', ending });
  }
}

/** The position of the next step of a path. */
type Place =
  | { readonly holder: Trace; readonly key: 'root' }
  | { readonly holder: ActionStep; readonly key: 'next' }
  | { readonly holder: GuardStep; readonly key: 'whenTrue' | 'whenFalse' }
  | { readonly holder: TurnStep['byType']; readonly key: string };

const stepAt = (place: Place): TraceStep | undefined =>
  Reflect.get(place.holder, place.key) as TraceStep | undefined;

const put = (place: Place, step: TraceStep): void => {
  Object.assign(place.holder, { [place.key]: step });
};

const placeAfter = (step: TraceStep, operation: Operation): Place => {
  if (step.kind === 'guard') {
    const isTrue = operation.kind === 'guard' && operation.result;
    return { holder: step, key: isTrue ? 'whenTrue' : 'whenFalse' };
  }
  if (step.kind === 'turn') {
    return { holder: step.byType, key: operation.kind === 'turn' ? operation.type : '' };
  }
  return { holder: step as ActionStep, key: 'next' };
};

const isSame = (step: TraceStep, operation: Operation): boolean => {
  if (step.kind === 'end') return false;
  if (step.kind === 'guard') {
    return (
      operation.kind === 'guard' &&
      step.guard === operation.guard &&
      step.params === operation.params
    );
  }
  if (step.kind === 'turn')
    return operation.kind === 'turn' && step.position === operation.position;
  return isSameAct(step.operation, operation);
};

const isSameAct = (known: ActionStep['operation'], operation: Operation): boolean => {
  if (known.kind === 'action') {
    return operation.kind === 'action' && known.action === operation.action;
  }
  return known.kind === operation.kind && 'id' in operation && known.id === operation.id;
};

const stepOf = (operation: Operation): GuardStep | ActionStep | TurnStep => {
  if (operation.kind === 'guard') {
    const { guard, params } = operation;
    return { kind: 'guard', guard, params, whenTrue: undefined, whenFalse: undefined };
  }
  if (operation.kind === 'turn') return { kind: 'turn', position: operation.position, byType: {} };
  return { kind: 'act', operation, next: undefined };
};
