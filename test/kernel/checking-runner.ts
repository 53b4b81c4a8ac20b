import { expect } from 'vitest';
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';

import type { ChartRunner, Transitioned } from '../../src/kernel/chart-runner.js';
import { tracingRunner } from '../../src/kernel/tracing-runner.js';

/** How often a replay was compared with XState; tests assert that it happened at all. */
export const comparisons = { count: 0 };

const runnersOfCharts = new WeakMap<AnyStateMachine, ChartRunner>();

/**
 * Replays what XState did before and asks XState all the same: both must say the same, down to every parameter. As in
 * production all who run a chart share what was learned of it, so what one policy led to is held against the next.
 */
export const checkingRunner = (chart: AnyStateMachine): ChartRunner => {
  const known = runnersOfCharts.get(chart);
  if (known !== undefined) return known;
  const runner = tracingRunner(chart, (event, replayed, ask) => {
    comparisons.count += 1;
    expect(plain(replayed), `${chart.id} on ${event.type}`).toEqual(plain(ask()));
  });
  runnersOfCharts.set(chart, runner);
  return runner;
};

/** Everything that is said, without the objects that say it. */
const plain = ({ snapshot, actions }: Transitioned): unknown => ({
  ...plainSnapshot(snapshot),
  actions: actions.map(({ type, params }) => ({ type, params: plainParams(type, params) })),
});

const plainSnapshot = (snapshot: AnyMachineSnapshot): object => ({
  value: snapshot.value as unknown,
  status: snapshot.status,
  tags: [...snapshot.tags],
  context: snapshot.context as unknown,
  output: snapshot.output as unknown,
  children: snapshot.status === 'active' ? Object.keys(snapshot.children as object) : [],
});

const plainParams = (type: string, params: unknown): unknown => {
  switch (type) {
    case 'xstate.spawnChild': {
      const { id, src, input } = params as { id: string; src: string; input: unknown };
      return { id, src, input };
    }
    case 'xstate.stopChild':
      return (params as { id: string } | undefined)?.id;
    case 'xstate.sendTo': {
      const { to, event } = params as { to: { id: string }; event: unknown };
      return { to: to.id, event };
    }
    case 'xstate.raise': {
      const { event, id, delay } = params as { event: unknown; id: unknown; delay: unknown };
      return { event, id, delay };
    }
    default:
      return params;
  }
};
