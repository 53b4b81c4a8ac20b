import type { InvariantName } from '../../testing/invariants/invariants.js';
import type { Simulation } from './run-world.js';
import type { Simulator } from './simulator.js';
import type { Omissions } from './world.js';

/** A failing world without everything that it fails without. */
export interface Shrunk {
  readonly omissions: Omissions;
  readonly simulation: Simulation;
}

/** Steps that may be left out: no plan of a simulated world is longer. */
const STEPS_MAX = 8;

/**
 * Leaves out whole kinds of faults, then steps, then single faults, one after the other, as long as the same promise is
 * broken.
 */
export const shrink = async (
  simulator: Simulator,
  failing: Simulation,
  omitted: Omissions,
): Promise<Shrunk> => {
  const broken = new Set(failing.violations.map(({ name }) => name));
  let smallest: Shrunk = { omissions: omitted, simulation: failing };
  const attempt = async (change: (omissions: Omissions) => Omissions): Promise<void> => {
    const omissions = change(smallest.omissions);
    const simulation = await simulator.run(failing.seed, omissions);
    if (breaksOne(simulation, broken)) smallest = { omissions, simulation };
  };
  for (const kind of failing.fired.keys()) {
    await attempt((before) => ({ ...before, kinds: [...(before.kinds ?? []), kind] }));
  }
  for (let step = STEPS_MAX - 1; step >= 0; step -= 1) {
    await attempt((before) => ({ ...before, steps: [...(before.steps ?? []), step] }));
  }
  for (const fault of smallest.simulation.faults) {
    await attempt((before) => ({ ...before, faults: [...(before.faults ?? []), fault] }));
  }
  return smallest;
};

const breaksOne = ({ violations }: Simulation, broken: ReadonlySet<InvariantName>): boolean =>
  violations.some(({ name }) => broken.has(name));
