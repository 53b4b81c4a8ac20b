import type { AnyStateMachine } from 'xstate';

/** What a guard is asked with. */
export interface GuardArguments {
  readonly context: unknown;
  readonly event: unknown;
}

export type Guard = (args: GuardArguments, params: unknown) => boolean;

/** One question to a guard, and its answer. */
export interface Asked {
  readonly guard: string;
  readonly ask: Guard;
  readonly args: GuardArguments;
  readonly params: unknown;
  readonly answer: boolean;
}

export const guardsOf = (chart: AnyStateMachine): Readonly<Record<string, Guard>> =>
  chart.implementations.guards as Record<string, Guard>;

/** The same chart, told of whenever one of its guards is asked. */
export const watchedGuards = (
  chart: AnyStateMachine,
  note: (asked: Asked) => void,
): AnyStateMachine => {
  const watched = Object.entries(guardsOf(chart)).map(([guard, ask]): [string, Guard] => [
    guard,
    (args, params) => {
      const answer = ask(args, params);
      note({ guard, ask, args, params, answer });
      return answer;
    },
  ]);
  return chart.provide({ guards: Object.fromEntries(watched) } as never);
};
