/*
 * A process of its own, so that its memory can be measured: a million commands while the store is stuck, then the
 * store works again. Prints the results as one line of JSON.
 */
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import type { CommandResult } from '../../src/run/run.types.js';
import { memoryStore } from '../../src/services/memory-store.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { deferred } from '../scenarios/scripted.js';
import { slowAgent, steps } from '../scenarios/team.js';
import { usedHeapBytes } from './time-heap.js';

export interface FloodReport {
  readonly accepted: number;
  readonly reasons: Readonly<Record<string, number>>;
  /** Growth of the heap from the first hundred thousand commands to a million. */
  readonly heapGrowthBytes: number;
  readonly commandsPerSecond: number;
  /** The commands in the journal after the store worked again, in order. */
  readonly areSaidInOrder: boolean;
  readonly said: number;
  readonly status: string;
}

const COMMANDS = 1_000_000;
const WARM_UP = 100_000;

const clock = virtualClock();
const inner = memoryStore();
const isWorking = deferred<undefined>();
const orchestrator = composeOrchestrator(
  {
    agents: [slowAgent('worker', clock, 1_000)],
    clock,
    store: {
      ...inner,
      append: async (...entry) => {
        await isWorking.promise;
        await inner.append(...entry);
      },
    },
  },
  undefined,
);
const run = orchestrator.start({ goal: 'The goal', runId: 'run', plan: { steps: steps('a') } });

let accepted = 0;
const reasons: Record<string, number> = {};
const count = (result: CommandResult): void => {
  if (result.accepted) accepted += 1;
  else reasons[result.reason] = (reasons[result.reason] ?? 0) + 1;
};
const flood = async (from: number, to: number): Promise<void> => {
  for (let index = from; index < to; index += 1) {
    void run.say(`${index}`).then(count);
    // As from a busy socket: many at a time, with turns of the event loop between.
    if (index % 10_000 === 0) await clock.settle();
  }
  await clock.settle();
};

await flood(0, WARM_UP);
const warmBytes = usedHeapBytes();
const startedMs = performance.now();
await flood(WARM_UP, COMMANDS);
const tookMs = performance.now() - startedMs;
const heapGrowthBytes = usedHeapBytes() - warmBytes;

isWorking.resolve(undefined);
await clock.runUntil(run.done);
const texts = run
  .journal()
  .flatMap(({ facts }) => facts)
  .flatMap((fact) => (fact.type === 'conversation.said' ? [fact.text] : []));
const report: FloodReport = {
  accepted,
  reasons,
  heapGrowthBytes,
  commandsPerSecond: ((COMMANDS - WARM_UP) / tookMs) * 1_000,
  areSaidInOrder: texts.every((text, index) => text === `${index}`),
  said: texts.length,
  status: (await run.done).status,
};
process.stdout.write(`${JSON.stringify(report)}\n`);
