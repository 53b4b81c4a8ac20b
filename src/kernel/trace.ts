import type { AnyMachineSnapshot } from 'xstate';

import type { BuiltinAction, Guard } from './xstate-shapes.js';

/*
 * What XState did once, so that it need not be worked out again: the guards it asked, in order, and the actions it
 * took, in order. Where a guard answers otherwise than before, the way forks.
 */

export type Operation =
  | {
      readonly kind: 'guard';
      readonly guard: Guard;
      readonly params: unknown;
      readonly result: boolean;
    }
  /** A named action of the chart. */
  | { readonly kind: 'action'; readonly action: BuiltinAction; readonly params: unknown }
  /** The timer of an `after`. */
  | { readonly kind: 'arm'; readonly id: string; readonly delay: string }
  | { readonly kind: 'cancel'; readonly id: string }
  /** The actor of an `invoke`, and its end when the state is left. */
  | { readonly kind: 'invoke'; readonly id: string; readonly src: string; readonly input: unknown }
  | { readonly kind: 'stop'; readonly id: string };

export interface Ending {
  /** Nodes, value, tags and status; everything that does not depend on context, event or children. */
  readonly template: AnyMachineSnapshot;
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
  readonly operation: Exclude<Operation, { kind: 'guard' }>;
  next: TraceStep | undefined;
}

interface EndStep {
  readonly kind: 'end';
  /** Undefined where XState has to be asked every time. */
  readonly ending: Ending | undefined;
}

export type TraceStep = GuardStep | ActionStep | EndStep;

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
  | { readonly holder: GuardStep; readonly key: 'whenTrue' | 'whenFalse' };

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
  return isSameAct(step.operation, operation);
};

const isSameAct = (known: ActionStep['operation'], operation: Operation): boolean => {
  if (known.kind === 'action') {
    return operation.kind === 'action' && known.action === operation.action;
  }
  return known.kind === operation.kind && 'id' in operation && known.id === operation.id;
};

const stepOf = (operation: Operation): GuardStep | ActionStep =>
  operation.kind === 'guard'
    ? {
        kind: 'guard',
        guard: operation.guard,
        params: operation.params,
        whenTrue: undefined,
        whenFalse: undefined,
      }
    : { kind: 'act', operation, next: undefined };
