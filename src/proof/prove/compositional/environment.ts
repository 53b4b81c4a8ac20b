import type { AnyStateMachine, EventObject } from 'xstate';
import { assign, fromPromise, sendTo, setup } from 'xstate';

import type { Route } from '../../../model/commands.js';

/*
 * Stands in for the charts above a chart that is explored on its own: it passes messages on, records requests, and can
 * stop the chart. It decides nothing.
 */

/** A request of the chart that is answered before anything else happens, as in a run. */
export interface Heard {
  readonly type: 'permit.requested';
  readonly route: Route;
}

export interface Asking {
  readonly requestId: string;
  readonly route: Route;
}

export interface EnvironmentContext {
  readonly child: unknown;
  readonly heard: readonly Heard[];
  readonly questions: readonly Asking[];
  readonly outcome: unknown;
}

/** A message that the environment sends to the chart. */
export interface Said extends EventObject {
  readonly type: 'environment.says';
  readonly said: EventObject & { readonly requestId?: string };
  /** True when it answers the first recorded request. */
  readonly isAnswer: boolean;
}

export const STOPS = { type: 'environment.stops', kind: 'stopped' } as const;
export const REFUSES = { type: 'environment.stops', kind: 'refused' } as const;
export const CUTS_OFF = { type: 'environment.stops', kind: 'cut off' } as const;

interface Reported extends EventObject {
  readonly route?: Route;
  readonly requestId?: string;
  readonly output?: unknown;
  readonly kind?: EnvironmentOutcome['kind'];
}

/**
 * How the exploration of a chart ends: by itself, by a crash, stopped by its parent, by the spent call budget, or by
 * the end of the grace period.
 */
export interface EnvironmentOutcome {
  readonly kind: 'ended' | 'crashed' | 'stopped' | 'refused' | 'cut off';
  readonly output: unknown;
}

const heardIn = (context: EnvironmentContext, event: Reported): Partial<EnvironmentContext> => ({
  heard: [...context.heard, { type: 'permit.requested', route: event.route ?? [] }],
});

export const environmentOf = (chart: string, id: string): AnyStateMachine =>
  setup({
    types: {
      context: {} as EnvironmentContext,
      input: {},
      events: {} as Reported & Partial<Said>,
    },
    actions: {
      hear: assign(({ context, event }) => heardIn(context, event)),
      openQuestion: assign(({ context, event }) => ({
        questions: [
          ...context.questions,
          { requestId: event.requestId ?? '', route: event.route ?? [] },
        ],
      })),
      closeQuestion: assign(({ context, event }) => ({
        questions: context.questions.filter(({ requestId }) => requestId !== event.requestId),
      })),
      noteAnswer: assign(({ context, event }) => ({
        heard: event.isAnswer === true ? context.heard.slice(1) : context.heard,
        questions: context.questions.filter(({ requestId }) => event.said?.requestId !== requestId),
      })),
      passOn: sendTo(id, ({ event }) => event.said ?? { type: 'environment.nothing' }),
      keepOutcome: assign(({ event }) => ({
        outcome: { kind: 'ended', output: event.output } satisfies EnvironmentOutcome,
      })),
      noteCrash: assign({
        outcome: { kind: 'crashed', output: null } satisfies EnvironmentOutcome,
      }),
      noteStop: assign(({ event }) => ({
        outcome: { kind: event.kind ?? 'stopped', output: null } satisfies EnvironmentOutcome,
      })),
    },
    actors: { [chart]: fromPromise(() => Promise.reject(new Error('This actor is never called'))) },
  }).createMachine({
    id: 'environment',
    description: 'Stands in for the charts above the explored one.',
    context: ({ input }: { readonly input: unknown }) => ({
      child: input,
      heard: [],
      questions: [],
      outcome: null,
    }),
    initial: 'open',
    output: ({ context }: { readonly context: EnvironmentContext }) => context.outcome,
    states: {
      open: {
        invoke: {
          id,
          src: chart,
          input: ({ context }: { readonly context: EnvironmentContext }) => context.child,
          onDone: { target: 'over', actions: 'keepOutcome' },
          onError: { target: 'over', actions: 'noteCrash' },
        },
        on: {
          'permit.requested': { actions: 'hear' },
          'approval.requested': { actions: 'openQuestion' },
          'approval.closed': { actions: 'closeQuestion' },
          'environment.says': { actions: ['noteAnswer', 'passOn'] },
          'environment.stops': { target: 'over', actions: 'noteStop' },
        },
      },
      over: { type: 'final' },
    },
  } as never) as unknown as AnyStateMachine;
