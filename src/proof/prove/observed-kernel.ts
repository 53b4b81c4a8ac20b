import type { AnyStateMachine } from 'xstate';

import type { ChartRunner } from '../../kernel/chart-runner.js';
import type { KernelCharts } from '../../kernel/kernel.js';
import { createKernel } from '../../kernel/kernel.js';
import type { Kernel, KernelInput, KernelState, KernelStep } from '../../kernel/kernel.types.js';
import { tracingRunner } from '../../kernel/tracing/tracing-runner.js';
import { Sightings } from '../paths/observe.js';

/** An error that a chart threw. */
export interface Crash {
  readonly chart: string;
  readonly error: unknown;
}

export interface ObservedStep extends KernelStep {
  /** The first chart that threw in this step, even if its parent handled the error. */
  readonly crash: Crash | undefined;
}

/** The production kernel, with the observed states and transitions of its charts. */
export interface ObservedKernel extends Kernel {
  readonly sightings: Sightings;
  step(state: KernelState, input: KernelInput): ObservedStep;
}

/** XState is called once for every path of a chart, so observing costs nothing. */
export const observedKernel = (charts: KernelCharts): ObservedKernel => {
  const sightings = new Sightings();
  const crashes: Crash[] = [];
  const kernel = createKernel(charts, (machine) => observedRunner(machine, sightings, crashes));
  return {
    ...kernel,
    sightings,
    step: (state, input) => {
      crashes.length = 0;
      const step = stepOrEnd(kernel, state, input);
      return { ...step, crash: crashes[0] };
    },
  };
};

/** A chart that throws on start makes the kernel throw: here that is one more ending of a run. */
const stepOrEnd = (kernel: Kernel, state: KernelState, input: KernelInput): KernelStep => {
  try {
    return kernel.step(state, input);
  } catch (error) {
    return { state, effects: [], emitted: [], status: 'error', output: undefined, error };
  }
};

const observedRunner = (
  machine: AnyStateMachine,
  sightings: Sightings,
  crashes: Crash[],
): ChartRunner => {
  const runner = tracingRunner(machine, undefined, (event) => {
    sightings.saw(event);
  });
  const noting = <Result>(run: () => Result): Result => {
    try {
      return run();
    } catch (error) {
      crashes.push({ chart: machine.id, error });
      throw error;
    }
  };
  let hasBegun = false;
  return {
    ...runner,
    begin: (self, input) => {
      if (!hasBegun) sightings.began(machine);
      hasBegun = true;
      return noting(() => runner.begin(self, input));
    },
    advance: (self, snapshot, event) => noting(() => runner.advance(self, snapshot, event)),
  };
};

/** Everything that several kernels observed. */
export const sightingsOf = (kernels: Iterable<ObservedKernel>): Sightings => {
  const all = new Sightings();
  for (const { sightings } of kernels) all.add(sightings);
  return all;
};
