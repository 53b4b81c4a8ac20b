import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';

import type { ChartRunner, Transitioned } from '../../src/kernel/chart-runner.js';
import { plainRunner } from '../../src/kernel/chart-runner.js';
import { everyFeature } from '../../src/kernel/tracing/every-feature.js';
import { differenceBetween, tracingDifference } from '../../src/kernel/tracing/self-check.js';
import { fastRunner, trustedRunner } from '../../src/kernel/tracing/trusted-runner.js';
import { tracingRunner } from '../../src/kernel/tracing/tracing-runner.js';

/** The plain runner with one change in each transition. */
const changed =
  (change: (transitioned: Transitioned) => Transitioned) =>
  (chart: AnyStateMachine): ChartRunner => {
    const runner = plainRunner(chart);
    return {
      ...runner,
      advance: (self, snapshot, event) => change(runner.advance(self, snapshot, event)),
    };
  };

describe('the check of the fast path at first use', () => {
  it('finds no difference with the installed XState, and repeats most transitions', () => {
    const replayed = { count: 0 };
    const asked = { count: 0 };
    const counting = (chart: AnyStateMachine): ChartRunner => {
      const runner = tracingRunner(chart, () => (replayed.count += 1));
      return {
        ...runner,
        advance: (self, snapshot, event) => {
          asked.count += 1;
          return runner.advance(self, snapshot, event);
        },
      };
    };
    expect(differenceBetween(counting, plainRunner)).toBeUndefined();
    expect(tracingDifference()).toBeUndefined();
    expect(replayed.count / asked.count).toBeGreaterThan(0.5);
  });

  it('covers every built-in action of our charts', () => {
    const actions = new Set<string>();
    const noting = changed((transitioned) => {
      for (const { type } of transitioned.actions) actions.add(type);
      return transitioned;
    });
    expect(differenceBetween(noting, plainRunner)).toBeUndefined();
    expect([...actions].toSorted()).toEqual([
      'xstate.cancel',
      'xstate.emit',
      'xstate.raise',
      'xstate.sendTo',
      'xstate.spawnChild',
      'xstate.stopChild',
    ]);
    expect(everyFeature().config.type).toBe('parallel');
  });

  it.each([
    [
      'an action that is left out',
      ({ snapshot, actions }: Transitioned) => ({ snapshot, actions: actions.slice(1) }),
    ],
    [
      'two actions in another order',
      ({ snapshot, actions }: Transitioned) => ({ snapshot, actions: actions.toReversed() }),
    ],
    [
      'another context',
      ({ snapshot, actions }: Transitioned) => ({
        snapshot: Object.assign(Object.create(snapshot) as object, snapshot, {
          context: { count: 1_000 },
        }) as Transitioned['snapshot'],
        actions,
      }),
    ],
  ])('detects %s', (_, change) => {
    expect(differenceBetween(changed(change), plainRunner)).toContain("on '");
  });

  it('counts an exception as a difference: an internal shape of XState is not as expected', () => {
    const broken = (): ChartRunner => {
      throw new TypeError("Cannot read properties of undefined (reading 'id')");
    };
    expect(differenceBetween(broken, plainRunner)).toContain("reading 'id'");
  });
});

describe('the fast path', () => {
  it('is used with the installed version of XState', () => {
    expect(fastRunner()).toBeDefined();
  });

  it('is switched off, with one warning, when the check finds a difference', () => {
    const warnings: string[] = [];
    const runnerOf = trustedRunner(
      () => 'a difference',
      (message) => warnings.push(message),
    );
    expect(runnerOf).toBeUndefined();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('switched off');
    expect(warnings[0]).toContain('a difference');
  });
});
