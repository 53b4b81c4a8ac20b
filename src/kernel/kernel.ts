import type { AnyStateMachine } from 'xstate';

import type { ChartRunner, RunnerOf } from './chart-runner.js';
import type { Kernel, KernelInput, KernelState, KernelStep } from './kernel.types.js';
import { Macrostep } from './macrostep.js';
import { prepareFastPath, sharedRunner } from './shared-runner.js';

export interface KernelCharts {
  /** The name of the chart a run starts with. */
  readonly root: string;
  /** Charts by the name other charts call them; every other name is an external call. */
  readonly machines: Readonly<Record<string, AnyStateMachine>>;
  /**
   * Constant members of contexts, by name. The root chart receives them with its input, and a saved state refers to
   * them.
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
 * Runs a whole tree of charts as one pure function: an event goes in; the next state, the facts and the effects come
 * out. All messages between charts are handled within the same step, in the order of XState's own interpreter. XState's
 * transition functions decide. In a process with enough transitions they decide the first time; when the same event
 * meets the same states again, the recorded transition is repeated, with its guards evaluated and its actions taken
 * again (see `tracing`).
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
    runners,
    constants,
  };
};
