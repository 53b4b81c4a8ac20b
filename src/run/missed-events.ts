import type { CallInput } from '../model/calls.js';
import { failed } from '../actors/outcome.js';
import type { JournalEntry } from '../journal/entry.js';
import { chartEntries } from '../journal/entry.js';
import type { KernelInput } from '../kernel/kernel.types.js';
import type { OpenCall } from '../kernel/replay.js';
import { unfinishedIn } from '../kernel/replay.js';
import type { RunRecovered } from '../model/run-recovered.js';
import type { RunUpgraded } from '../model/run-upgraded.js';
import type { RunParts, UnfinishedWork } from './live-run.types.js';
import type { ReplayedRun } from './replayed-run.js';

/** What happened to a run while it had no owner. */
export interface MissedEvents {
  /** The previous owner did not release it: most likely its process died. */
  readonly isTakeover: boolean;
  /** Set when it is resumed with other charts, another policy or another team. */
  readonly upgrade: RunUpgraded | undefined;
  /** Keys of calls that are in flight according to its state but were never made. */
  readonly heldBack: readonly string[];
}

const NOTHING_HAPPENED: MissedEvents = {
  isTakeover: false,
  upgrade: undefined,
  heldBack: [],
};

/** The open work of a run that is resumed, and the events that it handles first. */
export const unfinishedWork = (
  { entries, state }: ReplayedRun,
  { mayRepeat }: Pick<RunParts, 'mayRepeat'>,
  { isTakeover, upgrade, heldBack }: MissedEvents = NOTHING_HAPPENED,
): UnfinishedWork => {
  const steps = chartEntries(entries);
  const lastAt = entries.at(-1)?.at ?? 0;
  const { calls, timers } = unfinishedIn(state, (stepNumber) => steps[stepNumber]?.at ?? lastAt);
  const mayMake = (call: OpenCall): boolean =>
    mayRepeat(call.input as CallInput) || heldBack.includes(keyOf(call));
  const interrupted = calls.filter((call) => !mayMake(call));
  // A process that died with a call of this run in flight may have died of that call.
  const isSuspect = isTakeover && calls.length > 0;
  const missed = [
    ...upgraded(upgrade),
    // Handled first: a run that was recovered too often must make no call.
    ...(isSuspect ? [recovery(entries)] : []),
    ...interrupted.map((call) => interruption(call)),
  ];
  return { calls: calls.filter(mayMake), timers, missed, isSuspect };
};

/** Calls without a key have an empty one. */
const keyOf = ({ input }: OpenCall): string => (input as Partial<CallInput>).key ?? '';

/** The next takeover of a run with a call in flight; its journal counts the earlier ones. */
export const recovery = (entries: readonly JournalEntry[]): KernelInput => {
  const before = entries.filter(isRecovery).length;
  const event: RunRecovered = { type: 'run.recovered', takeovers: before + 1 };
  return { kind: 'commanded', event };
};

/** Tells that the run continues as another version. */
export const upgraded = (event: RunUpgraded | undefined): readonly KernelInput[] =>
  event === undefined ? [] : [{ kind: 'commanded', event }];

const isRecovery = ({ event }: JournalEntry): boolean =>
  event.kind === 'commanded' && event.event.type === 'run.recovered';

/** The answer to a call that must not be made twice: whether it was made, and its effect, is unknown. */
const interruption = ({ address, generation }: OpenCall): KernelInput => ({
  kind: 'answered',
  address,
  generation,
  output: failed('interrupted', 'The process ended while the call was in flight'),
});
