import type { KernelInput, KernelState, KernelStep } from '../../kernel/kernel.types.js';
import type { Weights } from './metrics.js';
import type { ObservedKernel } from './observed-kernel.js';

/** A call in flight, as the chart requested it. */
export interface OpenCall {
  readonly actor: string;
  readonly input: unknown;
}

/** A run between two events, with the requests of its open calls. */
export interface Frame {
  readonly state: KernelState;
  readonly calls: ReadonlyMap<string, OpenCall>;
}

/**
 * The kind of a move. Answers and timers bring a run closer to its end. A `nudge` is a command that a person may give
 * any number of times: each uses up one command. An `inner` move belongs to a step, seen from its plan: it lowers the
 * step's rank.
 */
export type MoveKind = 'answer' | 'timer' | 'nudge' | 'inner';

/** One event that can happen next. */
export interface Move {
  readonly kind: MoveKind;
  /** A sentence. */
  readonly label: string;
  readonly input: KernelInput;
  /** The cost of a child that is replaced by its contract. */
  readonly cost?: Weights;
  /** The name of the path to the child's cost. */
  readonly detail?: string;
  /** The child whose next call is refused: the run has no calls left and ends. */
  readonly refused?: string;
}

/** A broken rule. */
export interface Violation {
  readonly rule: 'bound' | 'deadline' | 'rejection' | 'crash';
  readonly message: string;
}

/** The explored system: production charts in the production kernel, and every event that can happen to them. */
export interface System {
  readonly name: string;
  readonly kernel: ObservedKernel;
  readonly starts: readonly Move[];
  moves(frame: Frame): readonly Move[];
  /** The part of the frame that guards can see: frames with the same text have the same future. */
  textOf(frame: Frame): string;
  /** Where texts contain a number of steps: states that together represent every state that looks like this one. */
  standInsFor?(frame: Frame): readonly Frame[];
  /** The name of an ending. */
  endOf(step: KernelStep): string;
  /** The maximum cost of a call at an address that this move stops. */
  costOfStopped(call: OpenCall, address: string, move: Move): Weights;
  /** The name of the path to that cost, as for a move. */
  detailOfStopped?(call: OpenCall): string | undefined;
  violations(frame: Frame): readonly Violation[];
  violationsOfStep(before: Frame, move: Move, step: KernelStep): readonly Violation[];
}
