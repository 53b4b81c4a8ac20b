import type { AnyMachineSnapshot } from 'xstate';

import type { BuiltinAction, Guard, Selector } from '../xstate-shapes.js';

/*
 * What XState did once, so that it need not be worked out again: the guards it asked, in order, and the actions it
 * took, in order. Where a guard answers otherwise than before, or another event is raised, the way forks.
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
      /** What makes the params anew, where they depend on context and event. */
      readonly makeParams: Selector | undefined;
    }
  /** The timer of an `after`. */
  | { readonly kind: 'arm'; readonly id: string; readonly delay: string }
  | { readonly kind: 'cancel'; readonly id: string }
  /** The actor of an `invoke`, and its end when the state is left. */
  | { readonly kind: 'invoke'; readonly id: string; readonly src: string; readonly input: unknown }
  | { readonly kind: 'stop'; readonly id: string }
  /** From here on it is about an event that the chart raised to itself: the one at this position of those it raised. */
  | { readonly kind: 'turn'; readonly position: number; readonly type: string };

/** An operation that changes something. */
export type Deed = Exclude<Operation, { kind: 'guard' | 'turn' }>;

export interface Ending {
  /** Nodes, value, tags and status; everything that does not depend on context, event or children. */
  readonly template: AnyMachineSnapshot;
  /** The types of what the chart raised to itself on the way, in order. */
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
  readonly operation: Deed;
  next: TraceStep | undefined;
}

/** What is raised may differ from time to time: the way forks by its type. */
interface TurnStep {
  readonly kind: 'turn';
  readonly position: number;
  readonly byType: Record<string, TraceStep | undefined>;
}

interface EndStep {
  readonly kind: 'end';
  /** Undefined where XState has to be asked every time. */
  readonly ending: Ending | undefined;
}

export type TraceStep = GuardStep | ActionStep | TurnStep | EndStep;

/** Where XState has to be asked every time. */
const UNKNOWN: EndStep = { kind: 'end', ending: undefined };

/** Everything known about one event in one configuration. */
export class Trace {
  root: TraceStep | undefined;

  add(operations: readonly Operation[], ending: Ending | undefined): void {
    let place: Place = { holder: this, key: 'root' };
    for (const operation of operations) {
      const known = stepAt(place);
      // Same answers, other deeds: what happened depends on more than guards, and cannot be learned.
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

/** Where the next step of a way stands, or will stand. */
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
