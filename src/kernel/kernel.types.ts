import type { AnyActorRef, AnyMachineSnapshot, EventObject } from 'xstate';

import type { SavedSnapshot } from './chart-runner.js';

/*
 * The vocabulary of the kernel: what goes in, what comes out, and what has to be kept in between. An address names an
 * actor by the ids that lead to it, '/slot-2/agentCall'; the root chart's address is ''.
 */

/** One chart that runs. */
export interface ChartNode {
  /** The name of its machine. */
  readonly chart: string;
  readonly id: string;
  readonly parent: string | undefined;
  readonly snapshot: AnyMachineSnapshot;
  /** What XState is told the actor is. Never started; it only has an id, a parent and a system. */
  readonly self: AnyActorRef;
}

/** One call that is out. */
export interface CallNode {
  readonly id: string;
  readonly parent: string;
  /** Tells this call from an earlier one at the same address, so that late answers are dropped. */
  readonly generation: number;
  /** What is called, and with what: enough to make the call once more. */
  readonly actor: string;
  readonly input: unknown;
}

export interface TimerNode {
  readonly address: string;
  readonly event: EventObject;
  readonly generation: number;
  readonly delayMs: number;
  /** The number of the step that armed it: when that was is for whoever keeps the times of steps. */
  readonly since: number;
}

/** A whole run between two events. Never changed in place. */
export interface KernelState {
  readonly nodes: ReadonlyMap<string, ChartNode>;
  readonly calls: ReadonlyMap<string, CallNode>;
  readonly timers: ReadonlyMap<string, TimerNode>;
  /** The last generation given out. */
  readonly generation: number;
  /** How many steps led here: the number of the next one, from 0. */
  readonly steps: number;
}

/** What can happen to a run. Plain JSON: this is what the journal keeps. */
export type KernelInput =
  | { readonly kind: 'started'; readonly input: unknown }
  | {
      readonly kind: 'commanded';
      readonly event: EventObject;
      /** Set for a command that came through the store: it is answered by the entry that has it. */
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

/** What the world has to do next. */
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
  /** What the charts announced, in order. */
  readonly emitted: readonly EventObject[];
  /** Not 'active' any more once the root chart has ended. */
  readonly status: 'active' | 'done' | 'error';
  readonly output: unknown;
  readonly error: unknown;
}

export interface Kernel {
  /** The run after one more thing happened to it. Pure: same state, same input, same step. */
  step(state: KernelState, input: KernelInput): KernelStep;
  readonly initialState: KernelState;
  /** Loads what makes many steps quick, such as those of a journal. Never rejects: without it steps take longer. */
  prepare(): Promise<void>;
  /** A state as plain JSON, for whoever keeps it. */
  save(state: KernelState): SavedState;
  /** The state that was saved: whatever happens to it has the same consequences. Throws when the charts are others. */
  restore(saved: SavedState): KernelState;
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
