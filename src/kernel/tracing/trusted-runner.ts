import type { RunnerOf } from '../chart-runner.js';
import { tracingDifference } from './self-check.js';
import { tracingRunner } from './tracing-runner.js';

/**
 * The fast path, after a comparison with XState on a small chart. Undefined where they differ, after one warning:
 * XState is then called every time.
 */
export const trustedRunner = (
  findDifference: () => string | undefined,
  warn: (message: string) => void,
): RunnerOf | undefined => {
  const difference = findDifference();
  if (difference === undefined) return (chart) => tracingRunner(chart);
  warn(
    'planwright: the fast path does not agree with this version of XState and is switched off; ' +
      `runs are correct and take more processor time. Please report it. The first difference: ${difference}`,
  );
  return undefined;
};

/** Loaded by `shared-runner.ts`. */
export const fastRunner = (): RunnerOf | undefined =>
  trustedRunner(tracingDifference, (message) => {
    // Warns once per process: no orchestrator's `onError` stands for the whole process.
    // oxlint-disable-next-line no-console
    console.warn(message);
  });
