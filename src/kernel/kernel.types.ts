import type { ChartRunner } from './chart-runner.js';
import type { AnyActorRef, AnyMachineSnapshot, EventObject } from 'xstate';

import type { SavedSnapshot } from './chart-runner.js';

/*
 * The types of the kernel: inputs, outputs and state. An address names an actor by the ids that lead to it,
 * '/slot-2/agentCall'; the root chart's address is ''.
 */

/** One running chart. */
export interface ChartNode {
  /** The name of its machine. */
  readonly chart: string;
  readonly id: string;
  readonly parent: string | undefined;
  readonly snapshot: AnyMachineSnapshot;
  /** The actor reference that XState sees. Never started; it only has an id, a parent and a system. */
  readonly self: AnyActorRef;
}

/** One call in flight. */
export interface CallNode {
  readonly id: string;
  readonly parent: string;
  /** Tells this call from an earlier one at the same address, so that late answers are dropped. */
  readonly generation: number;
  /** The called actor and its input: enough to repeat the call. */
  readonly actor: string;
  readonly input: unknown;
}

export interface TimerNode {
  readonly address: string;
  readonly event: EventObject;
  readonly generation: number;
  readonly delayMs: number;
  /** The number of the step that armed it. The driver knows the time of each step. */
  readonly since: number;
}

/** A whole run between two events. Never mutated. */
export interface KernelState {
  readonly nodes: ReadonlyMap<string, ChartNode>;
  readonly calls: ReadonlyMap<string, CallNode>;
  readonly timers: ReadonlyMap<string, TimerNode>;
  /** The last generation given out. */
  readonly generation: number;
  /** How many steps led here: the number of the next one, from 0. */
  readonly steps: number;
}

/** An event of a run. Plain JSON: the journal stores it. */
export type KernelInput =
  | { readonly kind: 'started'; readonly input: unknown }
  | {
      readonly kind: 'commanded';
      readonly event: EventObject;
      /** Set for a command that came through the store: the entry that holds it answers it. */
      readonly commandId?: string;
    }
  | {
      readonly kind: 'answered';
      readonly address: string;
      readonly generation: number;
      readonly output: unknown;
    }
  | {
      readonly kind: 'broken';
      readonly address: string;
      readonly generation: number;
      readonly error: unknown;
    }
  | { readonly kind: 'elapsed'; readonly timer: string; readonly generation: number };

/** An effect that the driver performs. */
export type Effect =
  | {
      readonly kind: 'startCall';
      readonly address: string;
      readonly generation: number;
      readonly actor: string;
      readonly input: unknown;
    }
  | { readonly kind: 'stopCall'; readonly address: string; readonly generation: number }
  | {
      readonly kind: 'armTimer';
      readonly timer: string;
      readonly generation: number;
      readonly delayMs: number;
    }
  | { readonly kind: 'cancelTimer'; readonly timer: string; readonly generation: number };

export interface KernelStep {
  readonly state: KernelState;
  readonly effects: readonly Effect[];
  /** The facts that the charts emitted, in order. */
  readonly emitted: readonly EventObject[];
  /** 'active' until the root chart has ended. */
  readonly status: 'active' | 'done' | 'error';
  readonly output: unknown;
  readonly error: unknown;
}

export interface Kernel {
  /** The run after one more event. Pure: same state, same input, same step. */
  step(state: KernelState, input: KernelInput): KernelStep;
  readonly initialState: KernelState;
  /** Loads the fast path before many steps, such as those of a journal. Never rejects: without it steps take longer. */
  prepare(): Promise<void>;
  /** Its charts by name, and the constant members of their contexts: for saved states. */
  readonly runners: ReadonlyMap<string, ChartRunner>;
  readonly constants: Readonly<Record<string, unknown>>;
}

/** One chart of a saved state. */
export interface SavedNode extends SavedSnapshot {
  readonly address: string;
  readonly chart: string;
  readonly id: string;
  readonly parent?: string;
  /** What its context has of the kernel's constants; they are not saved. */
  readonly constants: readonly string[];
}

/** A state between two events, as plain JSON. */
export interface SavedState {
  readonly nodes: readonly SavedNode[];
  readonly calls: readonly (CallNode & { readonly address: string })[];
  readonly timers: readonly (TimerNode & { readonly timer: string })[];
  readonly generation: number;
  readonly steps: number;
}
