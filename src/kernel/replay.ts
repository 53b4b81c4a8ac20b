import type { Effect, Kernel, KernelInput, KernelState, KernelStep } from './kernel.types.js';

export interface Recorded {
  readonly event: KernelInput;
}

export interface Replayed {
  readonly state: KernelState;
  readonly status: KernelStep['status'];
}

/**
 * Feeds recorded events through the kernel, from the start or from a stored state. `onStep` sees each step and may
 * refuse it by throwing.
 */
export const replay = <Entry extends Recorded>(
  kernel: Kernel,
  entries: readonly Entry[],
  onStep: (entry: Entry, step: KernelStep) => void,
  from: KernelState = kernel.initialState,
): Replayed => {
  let state = from;
  let status: KernelStep['status'] = 'active';
  for (const recorded of entries) {
    const event = renumbered(state, recorded.event);
    const entry = event === recorded.event ? recorded : { ...recorded, event };
    const step = kernel.step(state, event);
    onStep(entry, step);
    ({ state, status } = step);
  }
  return { state, status };
};

/**
 * The recorded event, with the generation that the call or timer has here. A policy that arms one more timer shifts all
 * later generations. A recorded event was current when it happened, so the address is enough to find its call or timer.
 */
const renumbered = (state: KernelState, input: KernelInput): KernelInput => {
  if (input.kind === 'started' || input.kind === 'commanded') return input;
  const waiting =
    input.kind === 'elapsed' ? state.timers.get(input.timer) : state.calls.get(input.address);
  if (waiting === undefined || waiting.generation === input.generation) return input;
  return { ...input, generation: waiting.generation };
};

/** The open work of a run: calls without an answer, and timers that have not fired. */
export interface Unfinished {
  readonly calls: readonly OpenCall[];
  readonly timers: readonly OpenTimer[];
}

export type OpenCall = Extract<Effect, { kind: 'startCall' }>;

export interface OpenTimer {
  readonly timer: string;
  readonly generation: number;
  readonly dueAtMs: number;
}

/** The open work of a state. `timeOf` returns the time of a step. Calls come in the order in which they were made. */
export const unfinishedIn = (
  state: KernelState,
  timeOf: (stepNumber: number) => number,
): Unfinished => {
  const calls: OpenCall[] = [];
  state.calls.forEach(({ generation, actor, input }, address) => {
    calls.push({ kind: 'startCall', address, generation, actor, input });
  });
  const timers: OpenTimer[] = [];
  state.timers.forEach(({ generation, delayMs, since }, timer) => {
    timers.push({ timer, generation, dueAtMs: timeOf(since) + delayMs });
  });
  return {
    calls: calls.sort((left, right) => left.generation - right.generation),
    timers: timers.sort(
      (left, right) => left.dueAtMs - right.dueAtMs || left.generation - right.generation,
    ),
  };
};
