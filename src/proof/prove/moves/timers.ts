import type { Frame, Move } from '../model.types.js';
import { TICK, timerName } from '../timer-name.js';

/** Any timer may be the next one to elapse: that includes more than can happen, and so everything that can. */
export const timerMoves = ({ state }: Frame): Move[] => {
  const moves: Move[] = [];
  state.timers.forEach(({ generation, address }, timer) => {
    const name = timerName(timer, address);
    moves.push({
      kind: name === TICK ? 'inner' : 'timer',
      label: `${placeOf(address)}: ${name} elapses`,
      input: { kind: 'elapsed', timer, generation },
    });
  });
  return moves;
};

export const placeOf = (address: string): string => (address === '' ? 'the run' : address.slice(1));
