import { expect } from 'vitest';
import type { AnyStateMachine } from 'xstate';

import type { ChartRunner } from '../../src/kernel/chart-runner.js';
import { tracingRunner } from '../../src/kernel/tracing/tracing-runner.js';
import { transitionText } from '../../src/kernel/tracing/transition-text.js';

/** How often a traced transition was compared with XState; tests assert that it happened at all. */
export const comparisons = { count: 0 };

const runnersOfCharts = new WeakMap<AnyStateMachine, ChartRunner>();

/**
 * Repeats traced transitions and also computes them with XState: both must be equal, down to every parameter. As in
 * production all runs of a chart share its traces, so traces of one policy are compared under the next.
 */
export const checkingRunner = (chart: AnyStateMachine): ChartRunner => {
  const known = runnersOfCharts.get(chart);
  if (known !== undefined) return known;
  const runner = tracingRunner(chart, (event, replayed, ask) => {
    comparisons.count += 1;
    expect(transitionText(replayed), `${chart.id} on ${event.type}`).toBe(transitionText(ask()));
  });
  runnersOfCharts.set(chart, runner);
  return runner;
};
