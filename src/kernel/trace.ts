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

/** Everything known about one event in one configuration. */
export class Trace {
  root: TraceStep | undefined;

  add(operations: readonly Operation[], ending: Ending | undefined): void {
    let attach = (step: TraceStep): void => {
      this.root ??= step;
    };
    let current = this.root;
    for (const operation of operations) {
      const step: GuardStep | ActionStep = matching(current, operation) ?? stepOf(operation);
      if (step !== current) attach(step);
      if (step.kind === 'guard') {
        const result = operation.kind === 'guard' && operation.result;
        attach = (next) => {
          if (result) step.whenTrue ??= next;
          else step.whenFalse ??= next;
        };
        current = result ? step.whenTrue : step.whenFalse;
      } else {
        attach = (next) => {
          step.next ??= next;
        };
        current = step.next;
      }
    }
    if (current === undefined) attach({ kind: 'end', ending });
  }
}

const matching = (
  step: TraceStep | undefined,
  operation: Operation,
): GuardStep | ActionStep | undefined =>
  step === undefined ||
  step.kind === 'end' ||
  (step.kind === 'guard') !== (operation.kind === 'guard')
    ? undefined
    : step;

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
