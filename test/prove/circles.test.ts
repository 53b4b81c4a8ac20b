import { describe, expect, it } from 'vitest';

import { NOTHING } from '../../src/proof/prove/metrics.js';
import { Circles } from '../../src/proof/prove/witness/circles.js';

const costing = (agentCalls: number) => ({ ...NOTHING, agentCalls });

const after = (...moves: Parameters<Circles['note']>[]): readonly [boolean, boolean] => {
  const circles = new Circles();
  for (const move of moves) circles.note(...move);
  return [circles.isCircular, circles.isCostly];
};

describe('a way that comes back to where it was', () => {
  it('is a circle when nobody said a word', () => {
    expect(after(['a', 'answer', NOTHING], ['b', 'timer', NOTHING])).toEqual([false, false]);
    expect(
      after(['a', 'answer', NOTHING], ['b', 'timer', NOTHING], ['a', 'answer', NOTHING]),
    ).toEqual([true, false]);
  });

  it('is none when a person nudged the run, or a step did something of its own', () => {
    expect(
      after(['a', 'answer', NOTHING], ['b', 'nudge', NOTHING], ['a', 'nudge', NOTHING]),
    ).toEqual([false, false]);
    expect(after(['a', 'answer', NOTHING], ['a', 'inner', NOTHING])).toEqual([false, false]);
  });

  it('has no bound when it cost something, whoever prompted it', () => {
    expect(
      after(['a', 'answer', costing(1)], ['b', 'nudge', costing(1)], ['a', 'nudge', costing(2)]),
    ).toEqual([false, true]);
    expect(after(['a', 'answer', NOTHING], ['a', 'inner', { ...NOTHING, depth: 1 }])).toEqual([
      false,
      false,
    ]);
  });
});
