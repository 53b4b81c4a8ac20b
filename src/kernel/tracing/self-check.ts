import type { AnyActorRef, AnyStateMachine, EventObject } from 'xstate';

import type { ChartRunner, Transitioned } from '../chart-runner.js';
import { plainRunner } from '../chart-runner.js';
import { inertSelf } from '../inert.js';
import { everyFeature } from './every-feature.js';
import { tracingRunner } from './tracing-runner.js';
import { transitionText } from './transition-text.js';

/** Different counts change the guards' answers: each path is taken for the first time, and then again. */
const COUNTS = [0, 0, 2, 2, 5, 0, 2, 5];
const PAUSE = 'xstate.after.pause.everyFeature.work.working';
const EVENTS = ['go', 'go', 'unknown', 'go', 'go', 'again', 'many', PAUSE, PAUSE, PAUSE, PAUSE];

/** How two runners of the same chart differ; undefined when they agree on everything. */
export const differenceBetween = (
  runnerOf: (chart: AnyStateMachine) => ChartRunner,
  otherOf: (chart: AnyStateMachine) => ChartRunner,
): string | undefined => {
  try {
    const chart = everyFeature();
    const runners = [runnerOf(chart), otherOf(chart)] as const;
    for (const count of COUNTS) {
      const difference = differenceFrom(runners, count);
      if (difference !== undefined) return difference;
    }
    return undefined;
  } catch (error) {
    return String(error);
  }
};

const differenceFrom = (
  [runner, other]: readonly [ChartRunner, ChartRunner],
  count: number,
): string | undefined => {
  const self: AnyActorRef = inertSelf('everyFeature', undefined);
  let left: Transitioned = runner.begin(self, { count });
  let right: Transitioned = other.begin(self, { count });
  let type = 'the start';
  for (const next of [...EVENTS, undefined]) {
    if (transitionText(left) !== transitionText(right)) {
      return `on '${type}' from ${count}: ${transitionText(left)} instead of ${transitionText(right)}`;
    }
    if (next === undefined || left.snapshot.status !== 'active') return undefined;
    type = next;
    const event: EventObject = { type };
    left = runner.advance(self, left.snapshot, event);
    right = other.advance(self, right.snapshot, event);
  }
  return undefined;
};

/** How the tracing runner differs from the transition functions of the installed XState. */
export const tracingDifference = (): string | undefined =>
  differenceBetween((chart) => tracingRunner(chart), plainRunner);
