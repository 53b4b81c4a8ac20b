import type { Effect, Kernel, KernelInput, KernelState, KernelStep } from './kernel.types.js';

export interface Recorded {
  readonly at: number;
  readonly event: KernelInput;
}

export interface Replayed {
  readonly state: KernelState;
  readonly status: KernelStep['status'];
  /** Calls that have no answer yet and timers that have not fired, with the time they were started. */
  readonly open: readonly { readonly effect: Effect; readonly at: number }[];
}

/** Takes a run through everything that happened to it. `onStep` sees each step and may refuse it by throwing. */
export const replay = <Entry extends Recorded>(
  kernel: Kernel,
  entries: readonly Entry[],
  onStep: (entry: Entry, step: KernelStep) => void,
): Replayed => {
  let { initialState: state } = kernel;
  let status: KernelStep['status'] = 'active';
  const started: { effect: Effect; at: number }[] = [];
  for (const entry of entries) {
    const step = kernel.step(state, entry.event);
    onStep(entry, step);
    ({ state, status } = step);
    for (const effect of step.effects) started.push({ effect, at: entry.at });
  }
  const open = status === 'active' ? started.filter(({ effect }) => isOpen(effect, state)) : [];
  return { state, status, open };
};

const isOpen = (effect: Effect, state: KernelState): boolean => {
  switch (effect.kind) {
    case 'startCall':
      return state.calls.get(effect.address)?.generation === effect.generation;
    case 'armTimer':
      return state.timers.get(effect.timer)?.generation === effect.generation;
    case 'stopCall':
    case 'cancelTimer':
      return false;
  }
};
