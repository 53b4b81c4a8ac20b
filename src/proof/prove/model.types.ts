import type { KernelInput, KernelState, KernelStep } from '../../kernel/kernel.types.js';
import type { Weights } from './metrics.js';
import type { ObservedKernel } from './observed-kernel.js';

/** A call that is out, as the chart asked for it. */
export interface OpenCall {
  readonly actor: string;
  readonly input: unknown;
}

/** A run between two events, with what its open calls were asked. */
export interface Frame {
  readonly state: KernelState;
  readonly calls: ReadonlyMap<string, OpenCall>;
}

/**
 * Who makes a move. Answers and timers bring a run nearer to its end. A `nudge` is a command that a person may give as
 * often as they like: each uses up one command. An `inner` move is a step's own business, seen from its plan: it uses
 * up the step's rank.
 */
export type MoveKind = 'answer' | 'timer' | 'nudge' | 'inner';

/** One thing that can happen next. */
export interface Move {
  readonly kind: MoveKind;
  /** A sentence. */
  readonly label: string;
  readonly input: KernelInput;
  /** What a child cost that is replaced by its contract. */
  readonly cost?: Weights;
  /** Where to read how the child came to that cost. */
  readonly detail?: string;
  /** The child whose next call is refused: the run is out of calls, and over. */
  readonly refused?: string;
}

/** Something that must never happen. */
export interface Violation {
  readonly rule: 'bound' | 'deadline' | 'rejection' | 'crash';
  readonly message: string;
}

/** What is explored: production charts in the production kernel, and everything that can happen to them. */
export interface System {
  readonly name: string;
  readonly kernel: ObservedKernel;
  readonly starts: readonly Move[];
  moves(frame: Frame): readonly Move[];
  /** The frame as far as guards can see it: frames with the same text have the same future. */
  textOf(frame: Frame): string;
  /** Where texts have a count of steps: states that stand, all together, for every state that looks like this one. */
  standInsFor?(frame: Frame): readonly Frame[];
  /** How an ended run is told from another. */
  endOf(step: KernelStep): string;
  /** What a call at an address costs at most that is stopped in the middle, by this move. */
  costOfStopped(call: OpenCall, address: string, move: Move): Weights;
  /** Where to read how it comes to that cost, as for a move. */
  detailOfStopped?(call: OpenCall): string | undefined;
  violations(frame: Frame): readonly Violation[];
  violationsOfStep(before: Frame, move: Move, step: KernelStep): readonly Violation[];
}
