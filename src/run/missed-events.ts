import type { CallInput } from '../model/calls.js';
import { failed } from '../actors/outcome.js';
import type { JournalEntry } from '../journal/entry.js';
import type { KernelInput } from '../kernel/kernel.types.js';
import type { OpenCall } from '../kernel/replay.js';
import type { RunRecovered } from '../model/run-recovered.js';
import type { RunUpgraded } from '../model/run-upgraded.js';

/** What happened to a run while no process ran it. */
export interface MissedEvents {
  /** The process that ran it did not release it: most likely it died. */
  readonly isTakeover: boolean;
  /** Set when it goes on under other charts, another policy or with another team. */
  readonly upgrade: RunUpgraded | undefined;
  /** Keys of calls that are in flight as far as its state goes, and were never made. */
  readonly heldBack: readonly string[];
}

export const NOTHING_HAPPENED: MissedEvents = {
  isTakeover: false,
  upgrade: undefined,
  heldBack: [],
};

/** Plans are checked without a key. */
export const keyOf = ({ input }: OpenCall): string => (input as Partial<CallInput>).key ?? '';

/** The next takeover of a run with a call in flight: its journal has those before it. */
export const recovery = (entries: readonly JournalEntry[]): KernelInput => {
  const before = entries.filter(isRecovery).length;
  const event: RunRecovered = { type: 'run.recovered', takeovers: before + 1 };
  return { kind: 'commanded', event };
};

/** The run goes on as another version, and tells so. */
export const upgraded = (event: RunUpgraded): KernelInput => ({ kind: 'commanded', event });

const isRecovery = ({ event }: JournalEntry): boolean =>
  event.kind === 'commanded' && event.event.type === 'run.recovered';

/** The answer to a call that must not be made twice: whether it was made, and what it did, is not known. */
export const interruption = ({ address, generation }: OpenCall): KernelInput => ({
  kind: 'answered',
  address,
  generation,
  output: failed('interrupted', 'The process ended while the call was out'),
});
