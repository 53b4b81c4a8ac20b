import type { KernelInput } from '../kernel/kernel.types.js';
import type { Fact } from './facts.js';

/** The run goes on as another one. No chart hears of it: those that ran it are not there any more. */
export interface CarriedOver {
  readonly kind: 'carriedOver';
  /** The id of the run that takes its place. */
  readonly successor: string;
}

/** One thing that happened to a run and everything that followed from it. Plain JSON, never changed. */
export interface JournalEntry {
  /** Position in the journal, from 0 without gaps. */
  readonly sequence: number;
  readonly at: number;
  readonly event: KernelInput | CarriedOver;
  readonly facts: readonly Fact[];
  /** Keys of the calls that start because of it: written down before any of them is made. */
  readonly intents: readonly string[];
}

/** An entry of something that happened to the charts. */
export interface ChartEntry extends JournalEntry {
  readonly event: KernelInput;
}

/** The entries that charts can be taken through: all but the end of a run that was carried over. */
export const chartEntries = (entries: readonly JournalEntry[]): readonly ChartEntry[] =>
  entries.filter((entry): entry is ChartEntry => entry.event.kind !== 'carriedOver');
