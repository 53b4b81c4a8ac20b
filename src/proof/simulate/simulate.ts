import type { Violation } from '../../testing/invariants/evidence.js';
import type { FaultKind } from './fault-kinds.js';
import { ALL_FAULT_KINDS } from './fault-kinds.js';
import type { Simulation } from './run-world.js';
import { shrink } from './shrink.js';
import type { SimulatorOptions } from './simulator.js';
import { createSimulator } from './simulator.js';
import { traceOf } from './trace.js';
import type { Omissions } from './world.js';

/** Which worlds are simulated. */
export interface SimulateOptions extends SimulatorOptions {
  /** The first seed. */
  readonly seed: number;
  /** How many worlds, one for each seed from the first on. @default 1 */
  readonly runs?: number | undefined;
  /** What is left out of every world: reproduces a failure that was shrunk. */
  readonly without?: Omissions | undefined;
  /** Called after every world. */
  readonly onRun?: ((simulation: Simulation) => void) | undefined;
}

/** A world in which a promise was broken. */
export interface SimulationFailure {
  readonly seed: number;
  readonly violations: readonly Violation[];
  /** What can be left out without making the failure disappear: pass it as `without` with the same seed. */
  readonly without: Omissions;
  /** The smallest failing world, line by line. */
  readonly trace: string;
}

/** The result of all worlds. */
export interface SimulationSummary {
  readonly runs: number;
  /** At most the first ten; empty when no promise was broken. */
  readonly failures: readonly SimulationFailure[];
  readonly failedRuns: number;
  /** The share of runs in which each kind of fault happened, 0 to 1. */
  readonly shares: Readonly<Record<FaultKind, number>>;
}

/** Shrinking a failure runs it dozens of times, so only this many are shrunk. */
const FAILURES_MAX = 10;

/**
 * Runs whole runs in simulated worlds: agents that hang, throw and return garbage, invalid plans, people who do not
 * answer, processes that crash. One seed is one world, the same every time. Real orchestrator, real charts, virtual
 * time. Checks every promise of `checkInvariants`, and some that only the simulation can see.
 *
 * @example
 * ```ts
 * const { failures } = await simulate({ seed: 1, runs: 500, policy: orchestrator.policy, agents: ['coder'] });
 * expect(failures.map(({ trace }) => trace)).toEqual([]);
 * ```
 */
export const simulate = async ({
  seed,
  runs = 1,
  without = {},
  onRun,
  ...options
}: SimulateOptions): Promise<SimulationSummary> => {
  const simulator = createSimulator(options);
  const failures: SimulationFailure[] = [];
  const counts = new Map<FaultKind, number>();
  let failedRuns = 0;
  for (let offset = 0; offset < runs; offset += 1) {
    const simulation = await simulator.run(seed + offset, without);
    onRun?.(simulation);
    for (const kind of simulation.fired.keys()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    if (simulation.violations.length === 0) continue;
    failedRuns += 1;
    if (failures.length >= FAILURES_MAX) continue;
    const shrunk = await shrink(simulator, simulation, without);
    failures.push({
      seed: simulation.seed,
      violations: simulation.violations,
      without: shrunk.omissions,
      trace: traceOf(shrunk.simulation),
    });
  }
  const shares = ALL_FAULT_KINDS.map((kind) => [kind, (counts.get(kind) ?? 0) / runs] as const);
  return {
    runs,
    failures,
    failedRuns,
    shares: Object.fromEntries(shares) as Record<FaultKind, number>,
  };
};
