import { createOrchestrator, defineAgent, presets } from '../src/index.js';
import { runBareXState } from './bare-xstate.js';
import { journalBytes } from './journal-bytes.js';
import type { Finding } from './measure.js';
import { interleaved, report, timed } from './measure.js';
import { chainedSteps, createBenchOrchestrator, independentSteps, runPlan } from './planwright.js';

/*
 * Ratios only, each measured in one run: machines are noisy and differ.
 */

const ROUNDS = 5;

const perStep = async (): Promise<Finding[]> => {
  const wide = createBenchOrchestrator(16);
  const steps = independentSteps(2_000);
  const [bareMs = 0, oursMs = 0] = await interleaved(ROUNDS * 2 + 1, [
    () => runBareXState(2_000, 16),
    () => runPlan(wide, steps),
  ]);
  const detail = `bare ${(bareMs / 2).toFixed(1)} us, ours ${(oursMs / 2).toFixed(1)} us per step`;
  return [
    { name: 'cost per step over bare XState, 16 slots', value: oursMs / bareMs, limit: 8, detail },
  ];
};

/** Several small plans in one measurement, so that both sides last about as long. */
const repeated = (times: number, work: () => Promise<void>) => async (): Promise<void> => {
  for (let turn = 0; turn < times; turn += 1) await work();
};

const growth = async (): Promise<Finding[]> => {
  const wide = createBenchOrchestrator(16);
  const narrow = createBenchOrchestrator(1);
  const [smallWide = 0, largeWide = 0, smallChain = 0, largeChain = 0] = await interleaved(ROUNDS, [
    repeated(20, () => runPlan(wide, independentSteps(100))),
    () => runPlan(wide, independentSteps(10_000)),
    repeated(20, () => runPlan(narrow, chainedSteps(100))),
    () => runPlan(narrow, chainedSteps(10_000)),
  ]);
  const ratio = (small: number, large: number): number => large / 10_000 / (small / 2_000);
  const detail = (small: number, large: number): string =>
    `${(small / 2).toFixed(1)} us at 100 steps, ${(large / 10).toFixed(1)} us at 10,000`;
  return [
    {
      name: 'cost per step at 10,000 over 100, 16 wide',
      value: ratio(smallWide, largeWide),
      limit: 2,
      detail: detail(smallWide, largeWide),
    },
    {
      name: 'cost per step at 10,000 over 100, linear',
      value: ratio(smallChain, largeChain),
      limit: 2,
      detail: detail(smallChain, largeChain),
    },
  ];
};

const concurrency = async (): Promise<Finding[]> => {
  const sleep = (): Promise<string> => new Promise((resolve) => setTimeout(resolve, 10, 'done'));
  const sleeper = defineAgent({
    name: 'worker',
    description: 'Takes ten milliseconds',
    run: sleep,
  });
  const orchestrator = createOrchestrator({
    agents: [sleeper],
    policy: presets.boundedReplan({ limits: { maxParallel: 1 } }),
  });
  const steps = chainedSteps(10);
  const thousand = (one: () => Promise<void>) => async (): Promise<void> => {
    await Promise.all(Array.from({ length: 1_000 }, one));
  };
  const timers = async (): Promise<void> => {
    for (let step = 0; step < 10; step += 1) await sleep();
  };
  const [idealMs = 0, bareMs = 0, oursMs = 0] = await interleaved(ROUNDS, [
    thousand(timers),
    thousand(() => runBareXState(10, 1, sleep)),
    thousand(() => runPlan(orchestrator, steps)),
  ]);
  const ratio = (milliseconds: number): string => (milliseconds / idealMs).toFixed(1);
  const detail = `timers alone ${idealMs.toFixed(0)} ms, bare XState ${ratio(bareMs)}x, ours ${ratio(oursMs)}x`;
  const name = '1,000 runs of 10 steps of 10 ms over timers alone';
  return [{ name, value: oursMs / idealMs, limit: 10, detail }];
};

const heapAfter = async (runs: number): Promise<number> => {
  const orchestrator = createBenchOrchestrator(4);
  const steps = independentSteps(4);
  for (let run = 0; run < runs; run += 1) await runPlan(orchestrator, steps);
  await new Promise((resolve) => setTimeout(resolve, 50));
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

const leaks = async (): Promise<Finding[]> => {
  await heapAfter(1_000);
  const small = await heapAfter(1_000);
  const large = await heapAfter(10_000);
  const detail = `${(small / 1e6).toFixed(1)} MB after 1,000 runs, ${(large / 1e6).toFixed(1)} MB after 10,000`;
  return [{ name: 'heap after 10,000 runs over 1,000', value: large / small, limit: 1.05, detail }];
};

const large = async (): Promise<Finding[]> => {
  const steps = independentSteps(100_000);
  const orchestrator = createBenchOrchestrator(16);
  const smallMs = await timed(() => runPlan(orchestrator, steps.slice(0, 10_000)));
  const largeMs = await timed(() => runPlan(orchestrator, steps));
  const detail = `${(largeMs / 1000).toFixed(1)} s in all`;
  return [
    {
      name: 'cost per step at 100,000 over 10,000',
      value: largeMs / 10 / smallMs,
      limit: 2,
      detail,
    },
  ];
};

if (globalThis.gc === undefined) throw new Error('Run with --expose-gc, as `npm run bench` does');
const findings: Finding[] = [];
for (const bench of [perStep, growth, concurrency, leaks, large, journalBytes]) {
  findings.push(...(await bench()));
}
process.exitCode = report(findings) ? 0 : 1;
