import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { describe, expect, it } from 'vitest';

import type { ChartRunner, RunnerOf } from '../../src/kernel/chart-runner.js';
import { plainRunner } from '../../src/kernel/chart-runner.js';
import { inertSelf } from '../../src/kernel/inert.js';
import { sharedRunners } from '../../src/kernel/shared-runner.js';
import { everyFeature } from '../../src/kernel/tracing/every-feature.js';
import { tracingRunner } from '../../src/kernel/tracing/tracing-runner.js';
import { transitionText } from '../../src/kernel/tracing/transition-text.js';

const self = inertSelf('everyFeature', undefined);
const EVENTS = ['go', 'unknown', 'go', 'go', 'again', 'many'];

/** The transitions of a chart from its start on; `between` runs before every event. */
const texts = async (
  runner: ChartRunner,
  between: () => Promise<void> = () => Promise.resolve(),
): Promise<string[]> => {
  let step = runner.begin(self, { count: 0 });
  const told = [transitionText(step)];
  for (const type of EVENTS) {
    await between();
    if (step.snapshot.status !== 'active') break;
    step = runner.advance(self, step.snapshot, { type });
    told.push(transitionText(step));
  }
  return told;
};

/** Tracing runners that count their calls. */
const counted = (): { readonly runnerOf: RunnerOf; readonly asked: string[] } => {
  const asked: string[] = [];
  const runnerOf = (chart: AnyStateMachine): ChartRunner => {
    const runner = tracingRunner(chart);
    return {
      begin: (...given) => (asked.push('begin'), runner.begin(...given)),
      advance: (...given) => (asked.push('advance'), runner.advance(...given)),
      restore: (saved): AnyMachineSnapshot => (asked.push('restore'), runner.restore(saved)),
    };
  };
  return { runnerOf, asked };
};

describe('the runners that all orchestrators of a process share', () => {
  it.each([1, 2, 3, 5])(
    'switch to the fast path after %d transitions, in the middle of a run, and nothing else changes',
    async (transitionsBefore) => {
      const { runnerOf, asked } = counted();
      const shared = sharedRunners(() => Promise.resolve(runnerOf), transitionsBefore);
      const chart = everyFeature();
      const told = await texts(shared.runnerOf(chart), () => Promise.resolve());
      expect(told).toEqual(await texts(plainRunner(chart)));
      expect(asked.slice(0, 2)).toEqual(['restore', 'advance']);
      expect(asked.filter((each) => each === 'restore')).toHaveLength(1);
    },
  );

  it('load nothing before there were enough transitions', async () => {
    let loads = 0;
    const shared = sharedRunners(() => {
      loads += 1;
      return Promise.resolve(undefined);
    }, 1_000);
    const chart = everyFeature();
    expect(shared.runnerOf(chart)).toBe(shared.runnerOf(chart));
    await texts(shared.runnerOf(chart));
    expect(loads).toBe(0);
    for (let run = 0; run < 1_000; run += 1) shared.runnerOf(chart).begin(self, { count: 0 });
    expect(loads).toBe(1);
  });

  it('begin on the fast path when it was prepared, and prepare it once', async () => {
    const { runnerOf, asked } = counted();
    let loads = 0;
    const shared = sharedRunners(() => {
      loads += 1;
      return Promise.resolve(runnerOf);
    });
    await Promise.all([shared.prepare(), shared.prepare()]);
    await texts(shared.runnerOf(everyFeature()));
    expect(loads).toBe(1);
    expect(asked[0]).toBe('begin');
    expect(asked).not.toContain('restore');
  });

  it.each([
    ['cannot be loaded', () => Promise.reject(new Error('The network is gone'))],
    ['does not agree with XState', () => Promise.resolve(undefined)],
  ])('use XState every time when the fast path %s', async (_, load) => {
    const shared = sharedRunners(load, 1);
    const chart = everyFeature();
    expect(await texts(shared.runnerOf(chart))).toEqual(await texts(plainRunner(chart)));
  });
});
