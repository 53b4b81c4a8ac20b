import type { EventObject } from 'xstate';

import type { FailureCode } from '../../../model/calls.js';
import type { Policy } from '../../../model/policy.js';
import { NOTHING } from '../metrics.js';
import type { Frame, Move, MoveKind } from '../model.types.js';
import type { EnvironmentContext, Heard } from './environment.js';
import { CUTS_OFF, REFUSES, STOPS } from './environment.js';

/* The messages of the charts above to a chart that is explored on its own. */

export const environmentIn = ({ state }: Frame): EnvironmentContext =>
  state.nodes.get('')?.snapshot.context as EnvironmentContext;

const says = (kind: MoveKind, label: string, said: object, isAnswer = false): Move => ({
  kind,
  label,
  input: {
    kind: 'commanded',
    event: { type: 'environment.says', said, isAnswer } as EventObject,
  },
});

export const sayMove = (kind: MoveKind, label: string, event: object): Move =>
  says(kind, label, event);

/** The run above has ended, or has stopped the chart. */
export const stopMove: Move = {
  kind: 'answer',
  label: 'It is stopped from above',
  input: { kind: 'commanded', event: STOPS },
};

/** The grace period has ended with a call in flight. */
export const cutOffMove: Move = {
  kind: 'answer',
  label: 'The grace period is over',
  input: { kind: 'commanded', event: CUTS_OFF },
};

/**
 * The run has no calls left and has ended: `refused` is the child that requested one, if it was not the chart itself.
 */
export const refusedMove = (refused?: string): Move => ({
  kind: 'answer',
  label: 'No calls are left',
  input: { kind: 'commanded', event: REFUSES },
  ...(refused === undefined ? {} : { refused }),
});

const downwards = ({ route }: Heard): readonly string[] => route.slice(0, -1);

/** A request is answered at once: in a run that happens within the same step of the kernel. */
export const replyMoves = ({ breaker, limits }: Policy, heard: Heard): Move[] => {
  const route = downwards(heard);
  const granted = says('answer', 'The call may go out', { type: 'permit.granted', route }, true);
  const isBudgeted =
    limits.maxAgentCalls !== null || limits.maxTokens !== null || limits.maxCostUsd !== null;
  const refused = (code: FailureCode): Move =>
    says('answer', `The call is refused: ${code}`, { type: 'permit.refused', route, code }, true);
  // Where calls are counted, a call that a breaker refuses counts, too.
  const cost = limits.maxAgentCalls === null ? NOTHING : { ...NOTHING, agentCalls: 1 };
  return [
    granted,
    ...(breaker === null ? [] : [{ ...refused('breaker-open'), cost }]),
    ...(isBudgeted ? [refused('budget-exhausted')] : []),
  ];
};

/** People answer what was asked. */
export const questionMoves = (frame: Frame): Move[] =>
  environmentIn(frame).questions.flatMap(({ requestId, route }) => {
    const way = route.slice(0, -1);
    return [
      sayMove('answer', `A person says yes to ${requestId}`, {
        type: 'approval.grant',
        requestId,
        answer: 'Yes',
        route: way,
      }),
      sayMove('answer', `A person says no to ${requestId}`, {
        type: 'approval.reject',
        requestId,
        reason: 'No',
        route: way,
      }),
    ];
  });

export const windDownMove = sayMove('answer', 'The run winds down', { type: 'run.windDown' });

/** A pause reaches every chart that may start something. */
export const pauseMoves: readonly Move[] = [
  sayMove('nudge', 'A person pauses the run', { type: 'run.hold' }),
  sayMove('nudge', 'A person unpauses the run', { type: 'run.release' }),
];
