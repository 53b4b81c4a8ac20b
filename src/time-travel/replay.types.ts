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
  /**
   * What had no answer yet. Facts that were decided together are written together: calls and timers are told as they
   * were once all of them were written.
   */
  readonly open: OpenWork;
}

export interface OpenWork {
  /** Null when the charts or the policy at hand are not those of the run: see {@link RunReplay.mismatch}. */
  readonly calls: readonly OpenCall[] | null;
  /** Null for the same reason. */
  readonly timers: readonly OpenTimer[] | null;
  /** Questions that wait for a person. */
  readonly questions: readonly OpenApproval[];
}

/** A call that was out. */
export interface OpenCall {
  readonly key: string;
  readonly role: string;
  readonly agent: string;
  readonly stepId: string | null;
  readonly startedAt: number;
}

/** A timer that was running. */
export interface OpenTimer {
  /** The chart it belongs to, by the children that lead to it, and what it limits. */
  readonly name: string;
  readonly dueAt: number;
}

/** Steps through the facts of a stored run. It reads once, makes no calls and writes nothing. */
export interface RunReplay {
  readonly runId: string;
  readonly facts: readonly Fact[];
  /** Why calls and timers cannot be told; null when they can. */
  readonly mismatch: string | null;
  /** Where the replay stands; it begins before the first fact. */
  readonly moment: Moment;
  /** One fact on; undefined, and nothing moves, at the last one. */
  next(): Moment | undefined;
  /** One fact back; undefined, and nothing moves, before the first one. */
  previous(): Moment | undefined;
  /** To any fact by its number; 0 is before the first. Any other number is a TimeTravelError. */
  goTo(sequence: number): Moment;
}
