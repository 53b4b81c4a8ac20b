import type { AnyStateMachine } from 'xstate';

import type { ChartRunner } from '../../kernel/chart-runner.js';
import type { KernelCharts } from '../../kernel/kernel.js';
import { createKernel } from '../../kernel/kernel.js';
import type { Kernel } from '../../kernel/kernel.types.js';
import { tracingRunner } from '../../kernel/tracing-runner.js';
import { Sightings } from '../paths/observe.js';

/** The production kernel, with what its charts were seen to do so far. */
export interface ObservedKernel extends Kernel {
  readonly sightings: Sightings;
}

/** XState is asked once for every way that a chart can take, so looking on costs nothing. */
export const observedKernel = (charts: KernelCharts): ObservedKernel => {
  const sightings = new Sightings();
  return { ...createKernel(charts, (machine) => observedRunner(machine, sightings)), sightings };
};

const observedRunner = (machine: AnyStateMachine, sightings: Sightings): ChartRunner => {
  const runner = tracingRunner(machine, undefined, (event) => {
    sightings.saw(event);
  });
  let hasBegun = false;
  return {
    ...runner,
    begin: (self, input) => {
      if (!hasBegun) sightings.began(machine);
      hasBegun = true;
      return runner.begin(self, input);
    },
  };
};

/** All that several kernels were seen to do. */
export const sightingsOf = (kernels: Iterable<ObservedKernel>): Sightings => {
  const all = new Sightings();
  for (const { sightings } of kernels) all.add(sightings);
  return all;
};
