/**
 * `npm run simulate`: simulates worlds on all cores, prints broken invariants, and ends with 1 if there are any.
 *
 *   npm run simulate -- --runs 100000             worlds 0 to 99,999
 *   npm run simulate -- --runs 1000 --seed 5000   worlds 5,000 to 5,999
 *   npm run simulate -- --seed 42                 one world, with its journal
 *   npm run simulate -- --seed 42 --without '{"kinds":["crash"]}'
 */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

import { z } from 'zod';

import type { FaultKind } from '../src/proof/simulate/fault-kinds.js';
import { ALL_FAULT_KINDS } from '../src/proof/simulate/fault-kinds.js';
import type { SimulationFailure, SimulationSummary } from '../src/proof/simulate/simulate.js';
import { simulate } from '../src/proof/simulate/simulate.js';
import { createSimulator } from '../src/proof/simulate/simulator.js';
import { traceOf } from '../src/proof/simulate/trace.js';

/** A worker simulates this many worlds, reports the results, and continues. */
const BATCH = 500;

interface Batch {
  readonly seed: number;
  readonly runs: number;
}

const omissionsSchema = z.strictObject({
  kinds: z.array(z.enum(ALL_FAULT_KINDS as [FaultKind, ...FaultKind[]])).optional(),
  faults: z.array(z.string()).optional(),
  steps: z.array(z.int()).optional(),
});

const options = {
  runs: { type: 'string' },
  seed: { type: 'string' },
  without: { type: 'string' },
} as const;

const wholeNumber = (name: string, text: string): number => {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new Error(`Expected --${name} to be a whole number, got '${text}'`);
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({ options });
  const seed = wholeNumber('seed', values.seed ?? '0');
  if (values.seed !== undefined && values.runs === undefined) {
    await showOne(seed, values.without ?? '{}');
    return;
  }
  const runs = wholeNumber('runs', values.runs ?? '10000');
  const batches = Array.from({ length: Math.ceil(runs / BATCH) }, (_, index): Batch => ({
    seed: seed + index * BATCH,
    runs: Math.min(BATCH, runs - index * BATCH),
  }));
  const startedAt = performance.now();
  const summaries = await playAll(batches, runs);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  printFaults(summaries, runs);
  const failedRuns = summaries.reduce((sum, summary) => sum + summary.failedRuns, 0);
  for (const failure of summaries.flatMap(({ failures }) => failures)) printFailure(failure);
  console.log(`${runs} worlds from seed ${seed} in ${seconds} s: ${failedRuns} with violations`);
  process.exitCode = failedRuns > 0 ? 1 : 0;
};

const showOne = async (seed: number, without: string): Promise<void> => {
  const omissions = omissionsSchema.parse(JSON.parse(without));
  const simulation = await createSimulator().run(seed, omissions);
  console.log(traceOf(simulation));
  process.exitCode = simulation.violations.length > 0 ? 1 : 0;
};

const playAll = async (batches: Batch[], runs: number): Promise<SimulationSummary[]> => {
  const summaries: SimulationSummary[] = [];
  let played = 0;
  const count = Math.max(1, Math.min(availableParallelism(), batches.length));
  const workers = Array.from({ length: count }, async () => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: 'play' });
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
      const summary = await playIn(worker, batch);
      summaries.push(summary);
      played += summary.runs;
      const failed = summary.failedRuns > 0 ? `, ${summary.failedRuns} with violations` : '';
      console.log(`${played} of ${runs} worlds${failed}`);
    }
    await worker.terminate();
  });
  await Promise.all(workers);
  return summaries;
};

const playIn = async (worker: Worker, batch: Batch): Promise<SimulationSummary> => {
  worker.postMessage(batch);
  const [summary] = (await once(worker, 'message')) as [SimulationSummary];
  return summary;
};

const printFaults = (summaries: readonly SimulationSummary[], runs: number): void => {
  for (const kind of ALL_FAULT_KINDS) {
    const happened = summaries.reduce((sum, each) => sum + each.shares[kind] * each.runs, 0);
    console.log(`  ${kind.padEnd(24)} ${((100 * happened) / runs).toFixed(1).padStart(5)} %`);
  }
};

const printFailure = ({ seed, without, trace }: SimulationFailure): void => {
  console.log(`\n${trace}`);
  const again = `npm run simulate -- --seed ${seed} --without '${JSON.stringify(without)}'`;
  console.log(`again: ${again}\n`);
};

if (isMainThread) {
  await main();
} else if (workerData === 'play') {
  parentPort?.on('message', ({ seed, runs }: Batch) => {
    void simulate({ seed, runs }).then((summary) => parentPort?.postMessage(summary));
  });
}
