import type { Effect, Kernel, KernelInput, KernelState, KernelStep } from './kernel.types.js';

export interface Recorded {
  readonly event: KernelInput;
}

export interface Replayed {
  readonly state: KernelState;
  readonly status: KernelStep['status'];
}

/**
 * Takes a run through what happened to it, from its beginning or from a state that was kept. `onStep` sees each step
 * and may refuse it by throwing.
 */
export const replay = <Entry extends Recorded>(
  kernel: Kernel,
  entries: readonly Entry[],
  onStep: (entry: Entry, step: KernelStep) => void,
  from: KernelState = kernel.initialState,
): Replayed => {
  let state = from;
  let status: KernelStep['status'] = 'active';
  for (const entry of entries) {
    const step = kernel.step(state, entry.event);
    onStep(entry, step);
    ({ state, status } = step);
  }
  return { state, status };
};

/** What a run still waits for: calls without an answer, and timers that have not fired. */
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

/** What a state waits for. `timeOf` tells when a step was made. Calls come in the order in which they were made. */
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
