import { describe, expect, it } from 'vitest';

import { withTransition } from './guard-sites.js';
import { Comparisons } from './numbers-compared.js';
import { shifted } from './shifted.js';

describe('a number that is misread', () => {
  it('is one more or less, and everything else is as it was', () => {
    const value = Object.freeze({ a: Object.freeze({ b: 2 }), c: [1, 2] });
    expect(shifted(value, 'a.b', 1)).toEqual({ a: { b: 3 }, c: [1, 2] });
    expect(shifted(value, 'c.length', -1)).toEqual({ a: { b: 2 }, c: [1] });
    expect(shifted(value, 'c.*', 1)).toEqual({ a: { b: 2 }, c: [2, 3] });
    expect(shifted(value, 'd.e', 1)).toEqual(value);
  });

  it('is one that is compared, not one that is only there', () => {
    const comparisons = new Comparisons();
    const ask = ({ context }: { readonly context: unknown }): boolean => {
      const { tries, limits } = context as {
        tries: number;
        limits: { most: number; gate: number };
      };
      return limits.gate !== 0 && tries < limits.most;
    };
    const question = (tries: number) => ({
      guard: 'canTry',
      ask,
      params: undefined,
      args: { context: { tries, limits: Object.freeze({ most: 3, gate: 70 }) }, event: {} },
      answer: tries < 3,
    });
    expect(comparisons.note(question(1))).toEqual([]);
    expect(comparisons.note(question(2))).toEqual([
      { guard: 'canTry', path: 'context.tries', by: 1 },
      { guard: 'canTry', path: 'context.limits.most', by: -1 },
    ]);
    expect(comparisons.note(question(3))).toEqual([
      { guard: 'canTry', path: 'context.tries', by: -1 },
      { guard: 'canTry', path: 'context.limits.most', by: 1 },
    ]);
    expect(comparisons.found).toHaveLength(4);
  });
});

describe('a transition that is gone', () => {
  it('leaves the others in their order, and the configuration as it was', () => {
    const config = {
      always: [{ guard: 'a' }, { guard: 'b' }, { target: 'c' }],
      on: { go: { guard: 'd' } },
    };
    expect(withTransition(config, ['always', 1], () => undefined)).toEqual({
      always: [{ guard: 'a' }, { target: 'c' }],
      on: { go: { guard: 'd' } },
    });
    expect(withTransition(config, ['on', 'go'], () => undefined)).toEqual({
      always: config.always,
      on: {},
    });
    expect(config.always).toHaveLength(3);
  });
});
