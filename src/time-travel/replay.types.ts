import type { Fact } from '../model/facts.js';
import type { OpenApproval, RunRecord } from '../journal/record.js';

/** A run as it was when one of its facts was told. */
export interface Moment {
  /** The number of the fact; 0 is before the first. */
  readonly sequence: number;
  /** The fact itself; null before the first. */
  readonly fact: Fact | null;
  /** The record as it was then: everything up to this fact, nothing after it. */
  readonly record: RunRecord;
  /** The open work. Facts of one entry are stored together: calls and timers are shown as of the end of their entry. */
  readonly open: OpenWork;
}

export interface OpenWork {
  /** Null when the present charts or policy differ from those of the run: see {@link RunReplay.mismatch}. */
  readonly calls: readonly OpenCall[] | null;
  /** Null for the same reason. */
  readonly timers: readonly OpenTimer[] | null;
  /** Questions that wait for a person. */
  readonly questions: readonly OpenApproval[];
}

/** A call in flight. */
export interface OpenCall {
  readonly key: string;
  readonly role: string;
  readonly agent: string;
  readonly stepId: string | null;
  readonly startedAt: number;
}

/** An armed timer. */
export interface OpenTimer {
  /** The address of its chart, and what it limits. */
  readonly name: string;
  readonly dueAt: number;
}

/** Steps through the facts of a stored run. It reads once, makes no calls and writes nothing. */
export interface RunReplay {
  readonly runId: string;
  readonly facts: readonly Fact[];
  /** Why calls and timers are unknown; null when they are known. */
  readonly mismatch: string | null;
  /** The current position; it starts before the first fact. */
  readonly moment: Moment;
  /** One fact forward; undefined, without moving, at the last one. */
  next(): Moment | undefined;
  /** One fact back; undefined, without moving, before the first one. */
  previous(): Moment | undefined;
  /** Moves to any fact by its number; 0 is before the first. Any other number throws a TimeTravelError. */
  goTo(sequence: number): Moment;
}
