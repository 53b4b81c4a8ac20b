import type { AnyStateMachine } from 'xstate';

import type { ChartRunner } from '../chart-runner.js';
import { plainRunner } from '../chart-runner.js';
import { tracingDifference } from './self-check.js';
import { tracingRunner } from './tracing-runner.js';

type RunnerOf = (chart: AnyStateMachine) => ChartRunner;

/**
 * The runner of each chart, one for all who run it: what XState was seen to do with a chart is learned once in a process.
 * At first use the fast path is compared with XState on a small chart. Where they differ, XState is asked every time.
 */
export const sharedRunners = (
  findDifference: () => string | undefined,
  warn: (message: string) => void,
): RunnerOf => {
  const runners = new WeakMap<AnyStateMachine, ChartRunner>();
  let make: RunnerOf | undefined;
  return (chart) => {
    const known = runners.get(chart);
    if (known !== undefined) return known;
    make ??= trustedRunner(findDifference(), warn);
    const runner = make(chart);
    runners.set(chart, runner);
    return runner;
  };
};

const trustedRunner = (
  difference: string | undefined,
  warn: (message: string) => void,
): RunnerOf => {
  if (difference === undefined) return (chart) => tracingRunner(chart);
  warn(
    'planwright: the fast path does not agree with this version of XState and is switched off; ' +
      `runs are correct and take more processor time. Please report it. The first difference: ${difference}`,
  );
  return plainRunner;
};

export const sharedRunner: RunnerOf = sharedRunners(tracingDifference, (message) => {
  // The one place where a process learns of it, before any orchestrator has an `onError`.
  // oxlint-disable-next-line no-console
  console.warn(message);
});
