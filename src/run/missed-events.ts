import type { CallInput } from '../model/calls.js';
import { failed } from '../actors/outcome.js';
import type { JournalEntry } from '../journal/entry.js';
import type { KernelInput } from '../kernel/kernel.types.js';
import type { OpenCall } from '../kernel/replay.js';
import type { RunRecovered } from '../model/run-recovered.js';
import type { RunUpgraded } from '../model/run-upgraded.js';

/** What happened to a run while it had no owner. */
export interface MissedEvents {
  /** The previous owner did not release it: most likely its process died. */
  readonly isTakeover: boolean;
  /** Set when it is resumed with other charts, another policy or another team. */
  readonly upgrade: RunUpgraded | undefined;
  /** Keys of calls that are in flight according to its state but were never made. */
  readonly heldBack: readonly string[];
}

export const NOTHING_HAPPENED: MissedEvents = {
  isTakeover: false,
  upgrade: undefined,
  heldBack: [],
};

/** Calls without a key have an empty one. */
export const keyOf = ({ input }: OpenCall): string => (input as Partial<CallInput>).key ?? '';

/** The next takeover of a run with a call in flight; its journal counts the earlier ones. */
export const recovery = (entries: readonly JournalEntry[]): KernelInput => {
  const before = entries.filter(isRecovery).length;
  const event: RunRecovered = { type: 'run.recovered', takeovers: before + 1 };
  return { kind: 'commanded', event };
};

/** Tells that the run continues as another version. */
export const upgraded = (event: RunUpgraded): KernelInput => ({ kind: 'commanded', event });

const isRecovery = ({ event }: JournalEntry): boolean =>
  event.kind === 'commanded' && event.event.type === 'run.recovered';

/** The answer to a call that must not be made twice: whether it was made, and its effect, is unknown. */
export const interruption = ({ address, generation }: OpenCall): KernelInput => ({
  kind: 'answered',
  address,
  generation,
  output: failed('interrupted', 'The process ended while the call was in flight'),
});
