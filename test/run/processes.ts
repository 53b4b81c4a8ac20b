import type { Agent } from '../../src/agents/agent.js';
import type {
  Orchestrator,
  OrchestratorOptions,
} from '../../src/orchestrator/create-orchestrator.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { RunStore } from '../../src/model/run-store.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import type { TestAgent } from '../scenarios/team.js';
import { slowAgent } from '../scenarios/team.js';

export interface Process {
  readonly worker: TestAgent;
  readonly orchestrator: Orchestrator;
  readonly errors: unknown[];
  /** Kills the process: its timers never fire again, its calls have no effect, it no longer reaches the store. */
  kill(): void;
}

/** A separate process from the view of a store, on a clock that all processes share. */
export const processOn = (
  clock: VirtualClock,
  store: RunStore,
  options: Partial<OrchestratorOptions<readonly Agent[]>> = {},
): Process => {
  let isAlive = true;
  const errors: unknown[] = [];
  const worker = slowAgent('worker', clock, 100_000);
  const mortal: VirtualClock = {
    ...clock,
    setTimeout: (callback, delayMs) =>
      clock.setTimeout(() => {
        if (isAlive) callback();
      }, delayMs),
  };
  const dead = (): never => {
    throw new Error('The process is dead');
  };
  const orchestrator = composeOrchestrator(
    {
      agents: [worker],
      clock: mortal,
      store: {
        ...store,
        append: (...parameters) => (isAlive ? store.append(...parameters) : dead()),
      },
      onError: (error) => errors.push(error),
      policy: definePolicy({ time: { stepTimeoutMs: 3_600_000, limitMs: 86_400_000 } }),
      ...options,
    },
    undefined,
  );
  const kill = (): void => {
    isAlive = false;
  };
  return { worker, orchestrator, errors, kill };
};
