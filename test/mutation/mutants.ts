import type { AnyStateMachine } from 'xstate';
import { StateMachine } from 'xstate';

import type { Guard } from './guards-asked.js';
import { guardsOf } from './guards-asked.js';
import type { GuardReference, Place } from './guard-sites.js';
import { guardSitesOf, withTransition } from './guard-sites.js';
import type { Comparison } from './numbers-compared.js';
import { keyOf } from './numbers-compared.js';
import { shifted } from './shifted.js';

/* Every small mistake in every guard of a chart, made from the chart. */

export type ChartName = 'orchestrator' | 'step' | 'agentCall' | 'approval' | 'breaker';

export const MUTATIONS = ['negated', 'always true', 'never taken', 'one more', 'one less'] as const;

export type Mutation = (typeof MUTATIONS)[number];

/** A chart with one mistake. */
export interface Mutant {
  /** Stable as long as the chart is: chart, place or number, and what is wrong. */
  readonly id: string;
  readonly chart: ChartName;
  readonly guard: string;
  readonly mutation: Mutation;
  /** What was noted of steps in which it could matter: answers of its guard, or a comparison that turns. */
  readonly clues: readonly string[];
  readonly mutate: (chart: AnyStateMachine) => AnyStateMachine;
}

/** Each transition with a guard: asked the wrong way round, not asked, and never taken. */
export const transitionMutants = (name: ChartName, chart: AnyStateMachine): Mutant[] =>
  guardSitesOf(chart).flatMap(({ place, guard, label }) =>
    (['negated', 'always true', 'never taken'] as const).map((mutation) => ({
      id: `${name} ${label} ${mutation}`,
      chart: name,
      guard: guard.type,
      mutation,
      clues: TELLING_ANSWERS[mutation].map((answer) =>
        answerClue(guard.type, guard.params, answer),
      ),
      mutate: CHANGES[mutation](place, guard),
    })),
  );

/** The answers that a mutant does not heed. */
const TELLING_ANSWERS = {
  negated: [true, false],
  'always true': [false],
  'never taken': [true],
} as const;

/** How an answer of a guard is noted. */
export const answerClue = (guard: string, params: unknown, answer: boolean): string =>
  `${guard} ${JSON.stringify(params ?? {})} ${String(answer)}`;

type Change = (place: Place, guard: GuardReference) => Mutant['mutate'];

const CHANGES: Readonly<Record<'negated' | 'always true' | 'never taken', Change>> = {
  negated: (place, guard) => (chart) => {
    const opposite = `not ${guard.type}`;
    const ask = guardsOf(chart)[guard.type];
    if (ask === undefined) throw new Error(`${chart.id} has no guard ${guard.type}`);
    const guards = {
      ...guardsOf(chart),
      [opposite]: ((args, params) => !ask(args, params)) satisfies Guard,
    };
    return remade(
      chart,
      place,
      (transition) => ({ ...transition, guard: { ...guard, type: opposite } }),
      guards,
    );
  },
  'always true': (place) => (chart) => remade(chart, place, withoutGuard),
  'never taken': (place) => (chart) => remade(chart, place, () => undefined),
};

const withoutGuard = (transition: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(transition).filter(([key]) => key !== 'guard'));

/** Each number that a guard compares: one more, or one less, wherever the guard is asked. */
export const numberMutants = (name: ChartName, comparisons: readonly Comparison[]): Mutant[] =>
  comparisons.map((comparison) => {
    const { guard, path, by } = comparison;
    return {
      id: `${name} ${keyOf(comparison)}`,
      chart: name,
      guard,
      mutation: by === 1 ? 'one more' : 'one less',
      clues: [keyOf(comparison)],
      mutate: misread(guard, path, by),
    };
  });

const misread =
  (guard: string, path: string, by: 1 | -1): Mutant['mutate'] =>
  (chart) => {
    const ask = guardsOf(chart)[guard];
    if (ask === undefined) throw new Error(`${chart.id} has no guard ${guard}`);
    const wrong: Guard = (args, params) => ask(shifted(args, path, by), params);
    return chart.provide({ guards: { [guard]: wrong } } as never);
  };

const remade = (
  chart: AnyStateMachine,
  place: Place,
  change: Parameters<typeof withTransition>[2],
  guards = guardsOf(chart),
): AnyStateMachine =>
  new StateMachine(
    withTransition(chart.config, place, change) as AnyStateMachine['config'],
    { ...chart.implementations, guards } as never,
  );
