import type { AnyStateMachine } from 'xstate';

import type { ChartRunner, RunnerOf } from './chart-runner.js';
import type { Kernel, KernelInput, KernelState, KernelStep } from './kernel.types.js';
import { Macrostep } from './macrostep.js';
import { restoredState, savedState } from './saved-state.js';
import { prepareFastPath, sharedRunner } from './shared-runner.js';

export interface KernelCharts {
  /** The name of the chart a run starts with. */
  readonly root: string;
  /** Charts by the name other charts call them; every other name is a call into the world. */
  readonly machines: Readonly<Record<string, AnyStateMachine>>;
  /**
   * What contexts hold under these names and nothing ever changes. The chart a run starts with is given them with its
   * input, and a saved state refers to them.
   */
  readonly constants?: Readonly<Record<string, unknown>>;
}

const EMPTY: KernelState = {
  nodes: new Map(),
  calls: new Map(),
  timers: new Map(),
  generation: 0,
  steps: 0,
};

const withConstants = (runner: ChartRunner, constants: object): ChartRunner => ({
  ...runner,
  begin: (self, input) => runner.begin(self, { ...(input as object), ...constants }),
});

/**
 * Runs a whole tree of charts as one pure function: one thing happens, and out come the next state, the facts and
 * what is to be done. Everything the charts say to each other happens within the same step, in the order in which
 * XState's own interpreter does it. XState's transition functions decide. In a process that runs enough, they decide the
 * first time; when the same event meets the same states again, what they were seen to do is repeated with guards asked and
 * actions taken anew (see `tracing`).
 */
export const createKernel = (
  { root, machines, constants = {} }: KernelCharts,
  runnerOf: RunnerOf = sharedRunner,
): Kernel => {
  const runners = new Map(
    Object.entries(machines).map(([name, machine]) => [
      name,
      name === root ? withConstants(runnerOf(machine), constants) : runnerOf(machine),
    ]),
  );
  return {
    initialState: EMPTY,
    prepare: runnerOf === sharedRunner ? prepareFastPath : () => Promise.resolve(),
    step: (state: KernelState, input: KernelInput): KernelStep => {
      const macrostep = new Macrostep(runners, state);
      macrostep.perform(root, input);
      return macrostep.result();
    },
    save: (state) => savedState(state, constants),
    restore: (saved) => restoredState(saved, runners, constants),
  };
};
