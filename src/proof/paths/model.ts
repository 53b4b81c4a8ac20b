import type { ActorLogic, AnyStateMachine, EventObject, Snapshot } from 'xstate';

import type { ChartRunner } from '../../kernel/chart-runner.js';
import type { KernelCharts } from '../../kernel/kernel.js';
import { createKernel } from '../../kernel/kernel.js';
import type { Kernel, KernelInput, KernelState, KernelStep } from '../../kernel/kernel.types.js';
import { effectiveDelayMs } from '../../services/clock.js';
import type { Act } from './acts.js';
import { observingRunner, Sightings } from './observe.js';

/* A tree of charts as a model for a graph library: the production kernel, and time. */

/** An external event of a tree of charts. `says` is a sentence and identifies it. */
export type Happening = {
  readonly says: string;
  /** True for a fault. */
  readonly isFault?: boolean;
} & (
  | {
      readonly type: 'answered';
      readonly address: string;
      readonly output: unknown;
      /** The act of the callee, where there is one. */
      readonly act?: Act;
    }
  | { readonly type: 'broken'; readonly address: string; readonly error: unknown }
  /** A late answer to a call that has ended. */
  | {
      readonly type: 'late';
      readonly address: string;
      readonly generation: number;
      /** The key of the answered try. */
      readonly key?: string;
    }
  /** The next due timer fires. */
  | { readonly type: 'elapsed' }
  | { readonly type: 'told'; readonly event: EventObject }
);

export interface OpenCall {
  readonly address: string;
  readonly generation: number;
  readonly actor: string;
  readonly input: unknown;
}

interface DueTimer {
  readonly timer: string;
  readonly generation: number;
  readonly dueMs: number;
}

/** The state of the tree after one event, and how it got there. */
export type ModelState = Snapshot<unknown> & {
  readonly kernel: KernelState;
  readonly step: KernelStep;
  readonly nowMs: number;
  /** Earliest first; ties in the order in which they were armed. */
  readonly timers: readonly DueTimer[];
  readonly calls: readonly OpenCall[];
  /** The call that was given up last. */
  readonly abandoned: OpenCall | null;
  readonly states: readonly string[];
  readonly transitions: readonly string[];
  readonly via: { readonly from: ModelState; readonly happening: Happening } | null;
};

export type Model = ActorLogic<ModelState, Happening, undefined>;

export interface ModelOptions {
  readonly charts: KernelCharts;
  /** The input of the root chart. */
  readonly input: unknown;
}

/** The kernel as XState actor logic: a graph library can move it from state to state. */
export const createModel = ({ charts, input }: ModelOptions): Model => {
  let sightings = new Sightings();
  const runnerOf = (machine: AnyStateMachine): ChartRunner =>
    observingRunner(machine, () => sightings);
  const kernel: Kernel = createKernel(charts, runnerOf);
  const stepped = (
    before: ModelState | null,
    kernelInput: KernelInput,
    happening: Happening | null,
  ): ModelState => {
    sightings = new Sightings();
    const step = kernel.step(before?.kernel ?? kernel.initialState, kernelInput);
    const nowMs = before === null ? 0 : timeAfter(before, happening);
    return {
      ...statusOf(step),
      kernel: step.state,
      step,
      nowMs,
      timers: timersAfter(before, step, nowMs),
      ...callsAfter(before, step),
      states: [...sightings.states],
      transitions: [...sightings.transitions],
      via: before === null || happening === null ? null : { from: before, happening },
    };
  };
  return {
    getInitialSnapshot: () => stepped(null, { kind: 'started', input }, null),
    transition: (state, happening) => stepped(state, inputFor(state, happening), happening),
    getPersistedSnapshot: (state) => state,
  };
};

const startedBy = ({ effects }: KernelStep): OpenCall[] =>
  effects.flatMap((effect) => {
    if (effect.kind !== 'startCall') return [];
    const { address, generation, actor, input } = effect;
    return [{ address, generation, actor, input }];
  });

const statusOf = ({ status, output, error }: KernelStep): Snapshot<unknown> =>
  ({ status, output, error }) as Snapshot<unknown>;

/** The input for the kernel. A call or timer that does not exist gets an unused generation. */
export const inputFor = (state: ModelState, happening: Happening): KernelInput => {
  switch (happening.type) {
    case 'answered': {
      const { address, output } = happening;
      return { kind: 'answered', address, generation: generationAt(state, address), output };
    }
    case 'broken': {
      const { address, error } = happening;
      return { kind: 'broken', address, generation: generationAt(state, address), error };
    }
    case 'late': {
      const { address, generation } = happening;
      return { kind: 'answered', address, generation, output: undefined };
    }
    case 'elapsed': {
      const { timer, generation } = state.timers[0] ?? { timer: '', generation: NO_GENERATION };
      return { kind: 'elapsed', timer, generation };
    }
    case 'told':
      return { kind: 'commanded', event: happening.event };
  }
};

const NO_GENERATION = -1;

const generationAt = ({ kernel }: ModelState, address: string): number =>
  kernel.calls.get(address)?.generation ?? NO_GENERATION;

const timeAfter = ({ nowMs, timers }: ModelState, happening: Happening | null): number =>
  happening?.type === 'elapsed' ? Math.max(nowMs, timers[0]?.dueMs ?? nowMs) : nowMs;

const timersAfter = (
  before: ModelState | null,
  { state, effects }: KernelStep,
  nowMs: number,
): DueTimer[] => {
  const armed = effects.flatMap((effect) =>
    effect.kind === 'armTimer'
      ? [
          {
            timer: effect.timer,
            generation: effect.generation,
            dueMs: nowMs + effectiveDelayMs(effect.delayMs),
          },
        ]
      : [],
  );
  return [...(before?.timers ?? []), ...armed]
    .filter(({ timer, generation }) => state.timers.get(timer)?.generation === generation)
    .sort((left, right) => left.dueMs - right.dueMs || left.generation - right.generation);
};

const callsAfter = (
  before: ModelState | null,
  step: KernelStep,
): Pick<ModelState, 'calls' | 'abandoned'> => {
  const known = before?.calls ?? [];
  const isOpen = ({ address, generation }: OpenCall): boolean =>
    step.state.calls.get(address)?.generation === generation;
  const stopped = step.effects.findLast((effect) => effect.kind === 'stopCall');
  const abandoned = known.find(
    ({ address, generation }) => stopped?.address === address && stopped.generation === generation,
  );
  return {
    calls: [...known, ...startedBy(step)].filter(isOpen),
    abandoned: abandoned ?? before?.abandoned ?? null,
  };
};
