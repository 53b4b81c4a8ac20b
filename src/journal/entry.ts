import type { KernelInput } from '../kernel/kernel.types.js';
import type { Fact } from '../model/facts.js';

/** The run goes on as another one. No chart hears of it: those that ran it are not there any more. */
export interface CarriedOver {
  readonly kind: 'carriedOver';
  /** The id of the run that takes its place. */
  readonly successor: string;
}

/**
 * A process that was told to close has given the run back, with calls that were decided on and not made. No chart hears
 * of it: for them a call is out as soon as it is decided on.
 */
export interface HeldBack {
  readonly kind: 'heldBack';
  readonly keys: readonly string[];
  /** Whose they were. They are known to be unmade only to the very next owner, who may make them. */
  readonly token: number;
}

/** One thing that happened to a run and everything that followed from it. Plain JSON, never changed. */
export interface JournalEntry {
  /** Position in the journal, from 0 without gaps. */
  readonly sequence: number;
  readonly at: number;
  readonly event: KernelInput | CarriedOver | HeldBack;
  readonly facts: readonly Fact[];
  /** Keys of the calls that start because of it: written down before any of them is made. */
  readonly intents: readonly string[];
}

/** An entry of something that happened to the charts. */
export interface ChartEntry extends JournalEntry {
  readonly event: KernelInput;
}

/** The entries that charts can be taken through. */
export const chartEntries = (entries: readonly JournalEntry[]): readonly ChartEntry[] =>
  entries.filter(isChartEntry);

const isChartEntry = (entry: JournalEntry): entry is ChartEntry =>
  entry.event.kind !== 'carriedOver' && entry.event.kind !== 'heldBack';
