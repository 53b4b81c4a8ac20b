import type { AnyActorRef, AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';

import type { ChartRunner, RunnerOf, Transitioned } from './chart-runner.js';
import { plainRunner, savedSnapshot } from './chart-runner.js';

/** About a hundred steps. A front end with a few short runs never loads the fast path. */
const TRANSITIONS_BEFORE_FAST_PATH = 1_000;

/** Runners that all orchestrators of a process share. */
export interface SharedRunners {
  readonly runnerOf: RunnerOf;
  /** Loads the fast path now, for a journal that is about to be replayed. */
  readonly prepare: () => Promise<void>;
}

/**
 * One runner per chart. It calls XState every time until enough transitions happened to make the fast path worth
 * loading. A running chart switches over at its next event. When the fast path cannot be loaded or disagrees with
 * XState, the runner stays as it is.
 */
export const sharedRunners = (
  load: () => Promise<RunnerOf | undefined>,
  transitionsBefore = TRANSITIONS_BEFORE_FAST_PATH,
): SharedRunners => {
  const runners = new WeakMap<AnyStateMachine, ChartRunner>();
  let transitions = 0;
  let fastRunnerOf: RunnerOf | undefined;
  let loading: Promise<void> | undefined;
  const prepare = (): Promise<void> =>
    (loading ??= load().then(
      (loaded) => {
        fastRunnerOf = loaded;
      },
      () => undefined,
    ));
  const fastOf = (chart: AnyStateMachine): ChartRunner | undefined => {
    transitions += 1;
    if (transitions === transitionsBefore) void prepare();
    return fastRunnerOf?.(chart);
  };
  const runnerOf: RunnerOf = (chart) => {
    const known = runners.get(chart) ?? changingRunner(chart, fastOf);
    runners.set(chart, known);
    return known;
  };
  return { runnerOf, prepare };
};

const changingRunner = (
  chart: AnyStateMachine,
  fastOf: (chart: AnyStateMachine) => ChartRunner | undefined,
): ChartRunner => {
  const plain = plainRunner(chart);
  let fast: ChartRunner | undefined;
  const current = (): ChartRunner => (fast ??= fastOf(chart)) ?? plain;
  // The two runners do not share snapshots.
  const ofPlain = new WeakSet<object>();
  const noted = (transitioned: Transitioned): Transitioned => {
    if (fast === undefined) ofPlain.add(transitioned.snapshot);
    return transitioned;
  };
  const advance = (
    self: AnyActorRef,
    snapshot: AnyMachineSnapshot,
    event: EventObject,
  ): Transitioned => {
    const runner = current();
    const isForeign = runner !== plain && ofPlain.has(snapshot);
    const own = isForeign ? runner.restore(savedSnapshot(snapshot)) : snapshot;
    return noted(runner.advance(self, own, event));
  };
  return {
    begin: (self, input) => noted(current().begin(self, input)),
    advance,
    restore: (saved) => {
      const snapshot = current().restore(saved);
      if (fast === undefined) ofPlain.add(snapshot);
      return snapshot;
    },
  };
};

/** The runners of this process. */
export const { runnerOf: sharedRunner, prepare: prepareFastPath } = sharedRunners(async () =>
  (await import('./tracing/trusted-runner.js')).fastRunner(),
);
