import type { CallInput } from '../actors/call.types.js';
import { failed } from '../actors/outcome.js';
import type { KernelInput } from '../kernel/kernel.types.js';
import type { OpenCall } from '../kernel/replay.js';
import type { RunRecovered } from '../machines/orchestrator.types.js';
import type { StoredCommand } from '../services/run-store.js';

/** What happened to a run while nobody drove it. */
export interface Meanwhile {
  /** How often it was taken over from a process that died; undefined when it knows that. */
  readonly takeovers: number | undefined;
  readonly commands: readonly StoredCommand[];
  /** Keys of calls that are out as far as its state goes, and were never made. */
  readonly heldBack: readonly string[];
}

export const NOTHING_HAPPENED: Meanwhile = { takeovers: undefined, commands: [], heldBack: [] };

/** Before anything that was missed: a run that has died too often does nothing any more. */
export const FIRST_OF_ALL = Number.NEGATIVE_INFINITY;

/** Plans are checked without a key. */
export const keyOf = ({ input }: OpenCall): string => (input as Partial<CallInput>).key ?? '';

export const recovery = (takeovers: number): KernelInput => {
  const event: RunRecovered = { type: 'run.recovered', takeovers };
  return { kind: 'commanded', event };
};

/** What becomes of a call that nobody may make twice: whether it was made, and what came of it, is not known. */
export const interruption = ({ address, generation }: OpenCall): KernelInput => ({
  kind: 'answered',
  address,
  generation,
  output: failed('interrupted', 'The process ended while the call was out'),
});
