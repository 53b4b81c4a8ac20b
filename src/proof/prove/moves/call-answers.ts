import type { CallInput, CallOutcome } from '../../../model/calls.js';
import type { Frame, Move, OpenCall } from '../model.types.js';
import { askedAt } from './asked.js';
import type { Repertoire } from './replies.js';
import { repliesTo } from './replies.js';
import type { Reply } from './replies.types.js';
import { placeOf } from './timers.js';

/** Every answer to every open call, where charts make real calls. */
export const answerMoves = (repertoire: Repertoire, frame: Frame): Move[] =>
  [...frame.calls].flatMap(([address, call]) => answersTo(repertoire, frame, address, call));

const answersTo = (
  repertoire: Repertoire,
  frame: Frame,
  address: string,
  call: OpenCall,
): Move[] => {
  const { request } = call.input as CallInput;
  const replies = repliesTo(repertoire, askedAt(frame, address, request)).map((reply) =>
    answerMove(frame, address, `${request.agent} ${reply.label}`, outcomeOf(reply)),
  );
  return [...replies, brokenMove(frame, address)];
};

/** A call ends with an error instead of an outcome: the caller has a bug. */
export const brokenMove = ({ state }: Frame, address: string): Move => ({
  kind: 'answer',
  label: `${placeOf(address)} breaks`,
  input: {
    kind: 'broken',
    address,
    generation: state.calls.get(address)?.generation ?? 0,
    error: 'It broke',
  },
});

const outcomeOf = (reply: Reply): CallOutcome =>
  'answer' in reply
    ? { kind: 'answered', answer: reply.answer, output: 'work', usage: reply.usage }
    : { kind: 'failed', code: reply.code, reason: 'It failed' };

export const answerMove = (
  { state }: Frame,
  address: string,
  label: string,
  output: unknown,
): Move => ({
  kind: 'answer',
  label: `${placeOf(address.slice(0, address.lastIndexOf('/')))}: ${label}`,
  input: {
    kind: 'answered',
    address,
    generation: state.calls.get(address)?.generation ?? 0,
    output,
  },
});
