import type { KernelInput } from '../kernel/kernel.types.js';
import type { Fact } from '../model/facts.js';

/** The run continues as another run. Charts do not receive it: the run no longer has any. */
export interface CarriedOver {
  readonly kind: 'carriedOver';
  /** The id of the run that replaces it. */
  readonly successor: string;
}

/**
 * A closing process released the run before it made these calls. Charts do not receive it: for them a call is in flight
 * as soon as it is decided on.
 */
export interface HeldBack {
  readonly kind: 'heldBack';
  readonly keys: readonly string[];
  /** The token of that process. Only the very next owner can know that the calls were not made, and may make them. */
  readonly token: number;
}

/** One event of a run and everything that followed from it. Plain JSON, never changed. */
export interface JournalEntry {
  /** Position in the journal, from 0 without gaps. */
  readonly sequence: number;
  readonly at: number;
  readonly event: KernelInput | CarriedOver | HeldBack;
  readonly facts: readonly Fact[];
  /** Keys of the calls that this entry starts: stored before any of them is made. */
  readonly intents: readonly string[];
}

/** An entry whose event the charts received. */
export interface ChartEntry extends JournalEntry {
  readonly event: KernelInput;
}

/** The entries that can be replayed on charts. */
export const chartEntries = (entries: readonly JournalEntry[]): readonly ChartEntry[] =>
  entries.filter(isChartEntry);

const isChartEntry = (entry: JournalEntry): entry is ChartEntry =>
  entry.event.kind !== 'carriedOver' && entry.event.kind !== 'heldBack';
