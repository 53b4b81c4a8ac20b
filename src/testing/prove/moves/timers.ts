import type { Frame, Move } from '../model.types.js';

/** Any timer may be the next one to elapse: more than can happen, and so all that can happen. */
export const timerMoves = ({ state }: Frame): Move[] => {
  const moves: Move[] = [];
  state.timers.forEach(({ generation, address }, timer) => {
    moves.push({
      kind: 'timer',
      label: `${placeOf(address)}: ${timerName(timer, address)} elapses`,
      input: { kind: 'elapsed', timer, generation },
    });
  });
  return moves;
};

/** `xstate.after.stepBudget.step.performing` is `stepBudget`. */
export const timerName = (timer: string, address: string): string => {
  const parts = timer.slice(address.length + 1).split('.');
  return (parts[0] === 'xstate' ? parts[2] : parts[0]) ?? timer;
};

export const placeOf = (address: string): string => (address === '' ? 'the run' : address.slice(1));
