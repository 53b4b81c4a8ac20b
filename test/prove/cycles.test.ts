import { describe, expect, it } from 'vitest';

import { NOTHING } from '../../src/proof/prove/metrics.js';
import { Circles } from '../../src/proof/prove/witness/circles.js';

const costing = (agentCalls: number) => ({ ...NOTHING, agentCalls });

const after = (...moves: Parameters<Circles['note']>[]): readonly [boolean, boolean] => {
  const circles = new Circles();
  for (const move of moves) circles.note(...move);
  return [circles.isCircular, circles.isCostly];
};

describe('a path that returns to an earlier state', () => {
  it('is a cycle when no person and no agent acted on it', () => {
    expect(after(['a', 'answer', NOTHING], ['b', 'timer', NOTHING])).toEqual([false, false]);
    expect(
      after(['a', 'answer', NOTHING], ['b', 'timer', NOTHING], ['a', 'answer', NOTHING]),
    ).toEqual([true, false]);
  });

  it('is no cycle when a person sent a command, or a step acted on its own', () => {
    expect(
      after(['a', 'answer', NOTHING], ['b', 'nudge', NOTHING], ['a', 'nudge', NOTHING]),
    ).toEqual([false, false]);
    expect(after(['a', 'answer', NOTHING], ['a', 'inner', NOTHING])).toEqual([false, false]);
  });

  it('is unbounded when it costs something, whatever caused it', () => {
    expect(
      after(['a', 'answer', costing(1)], ['b', 'nudge', costing(1)], ['a', 'nudge', costing(2)]),
    ).toEqual([false, true]);
    expect(after(['a', 'answer', NOTHING], ['a', 'inner', { ...NOTHING, depth: 1 }])).toEqual([
      false,
      false,
    ]);
  });
});
