/*
 * A process of its own: ten thousand runs, each with its own timers, and what is left of them. Prints one line of
 * JSON.
 */
import { writeSync } from 'node:fs';

import { defineAgent } from '../../src/agents/agent.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { steps } from '../scenarios/team.js';
import { usedHeapBytes } from './time-heap.js';

export interface LeakReport {
  readonly statuses: Readonly<Record<string, number>>;
  /** The most timers at one time, as proof that there were any. */
  readonly mostTimers: number;
  readonly timersLeft: number;
  readonly heapGrowthPercent: number;
}

const RUNS = 10_000;
/** Enough for the compiler to be done with all code that runs here. */
const WARM_UP_RUNS = 3_000;
const AT_ONCE = 50;

const liveTimers = (): number =>
  process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;

let mostTimers = 0;
const statuses: Record<string, number> = {};
const orchestrator = composeOrchestrator(
  {
    agents: [
      // Not the agents of other tests: those keep their inputs.
      defineAgent({
        name: 'worker',
        description: 'Listens for the end, as an agent should',
        run: (call) => {
          mostTimers = Math.max(mostTimers, liveTimers());
          call.signal.addEventListener('abort', () => undefined);
          return `did ${call.step.id}`;
        },
      }),
      defineAgent({ name: 'architect', description: 'Waits for a person', run: () => 'designed' }),
    ],
    policy: definePolicy({ approval: { agents: ['architect'] } }),
  },
  undefined,
);

/** One half waits for a person and is answered, the other half is aborted while it waits. */
const oneRun = async (index: number): Promise<void> => {
  const plan = { steps: steps('a', 'architect:b<a') };
  const run = orchestrator.start({ goal: 'The goal', plan });
  run.subscribe((fact) => {
    if (fact.type !== 'approval.requested') return;
    void (index % 2 === 0 ? run.approve(fact.requestId) : run.abort());
  });
  const { status } = await run.done;
  statuses[status] = (statuses[status] ?? 0) + 1;
};

const manyRuns = async (count: number): Promise<void> => {
  for (let first = 0; first < count; first += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, offset) => oneRun(first + offset)));
  }
};

await manyRuns(WARM_UP_RUNS);
for (const status of Object.keys(statuses)) statuses[status] = 0;
const beforeBytes = usedHeapBytes();
await manyRuns(RUNS);
const afterBytes = usedHeapBytes();
const report: LeakReport = {
  statuses,
  mostTimers,
  timersLeft: liveTimers(),
  heapGrowthPercent: (afterBytes / beforeBytes - 1) * 100,
};
writeSync(1, `${JSON.stringify(report)}\n`);
// A leaked timer would keep the process, and with it the test, waiting.
process.exit();
