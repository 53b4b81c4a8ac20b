import type { CallInput } from '../model/calls.js';
import type { JournalEntry } from '../journal/entry.js';
import { chartEntries } from '../journal/entry.js';
import type { Effect, Kernel, KernelState } from '../kernel/kernel.types.js';
import { replay } from '../kernel/replay.js';
import type { OpenCall, OpenTimer } from './replay.types.js';
import { stepMismatch } from './same-facts.js';

/** The open work after each entry of a journal, or why it is unknown. */
export interface OpenByEntry {
  readonly mismatch: string | null;
  after(entryIndex: number): { calls: readonly OpenCall[]; timers: readonly OpenTimer[] };
}

/** Replays the run once. States share unchanged parts, so keeping all of them costs little. */
export const openByEntry = (
  kernel: Kernel,
  runId: string,
  entries: readonly JournalEntry[],
): OpenByEntry => {
  const states: Pick<KernelState, 'calls' | 'timers'>[] = [];
  const calls = new Map<number, OpenCall>();
  const timers = new Map<number, OpenTimer>();
  let mismatch: string | null = null;
  try {
    replay(kernel, chartEntries(entries), (entry, step) => {
      mismatch ??= stepMismatch(runId, entry, step)?.message ?? null;
      if (mismatch !== null) throw new Error(mismatch);
      for (const effect of step.effects) note(effect, entry.at, calls, timers);
      states[entry.sequence] = { calls: step.state.calls, timers: step.state.timers };
    });
  } catch (error) {
    // Charts of another version may do anything with unknown events.
    mismatch ??= error instanceof Error ? error.message : 'The journal does not replay';
  }
  return {
    mismatch,
    after: (entryIndex) => {
      const state = states[entryIndex];
      return {
        calls: found(state?.calls.values(), calls),
        timers: found(state?.timers.values(), timers),
      };
    },
  };
};

/** Generations are given out once, to calls and timers alike. */
const note = (
  effect: Effect,
  at: number,
  calls: Map<number, OpenCall>,
  timers: Map<number, OpenTimer>,
): void => {
  if (effect.kind === 'armTimer') {
    timers.set(effect.generation, { name: effect.timer, dueAt: at + effect.delayMs });
    return;
  }
  if (effect.kind !== 'startCall') return;
  const { key, request } = effect.input as CallInput;
  const { role, agent, stepId } = request;
  calls.set(effect.generation, { key, role, agent, stepId, startedAt: at });
};

const found = <Value>(
  nodes: Iterable<{ readonly generation: number }> | undefined,
  known: ReadonlyMap<number, Value>,
): Value[] => [...(nodes ?? [])].flatMap(({ generation }) => known.get(generation) ?? []);
