import type { KernelInput } from '../kernel/kernel.types.js';
import type { Fact } from './facts.js';

/** One thing that happened to a run and everything that followed from it. Plain JSON, never changed. */
export interface JournalEntry {
  /** Position in the journal, from 0 without gaps. */
  readonly sequence: number;
  readonly at: number;
  readonly event: KernelInput;
  readonly facts: readonly Fact[];
  /** Keys of the calls that start because of it: written down before any of them is made. */
  readonly intents: readonly string[];
}
