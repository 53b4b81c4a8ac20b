import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { closestName } from '../src/closest-name.js';

describe('closestName', () => {
  it.each([
    ['maxReplan', 'maxReplans'],
    ['MAXREPLANS', 'maxReplans'],
    ['maxStep', 'maxSteps'],
    ['maxPralalel', 'maxParallel'],
  ])('finds the closest name to %s', (name, meant) => {
    expect(closestName(name, ['maxReplans', 'maxSteps', 'maxParallel'])).toBe(meant);
  });

  it.each(['', 'x', 'colour', 'replans for ever and ever', 'm'.repeat(100_000)])(
    'finds nothing when no name is close',
    (name) => {
      expect(closestName(name, ['maxReplans', 'maxSteps'])).toBeUndefined();
    },
  );

  it('finds every candidate by its own name', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z]{3,20}$/), { minLength: 1 }), (names) => {
        for (const name of names) {
          expect(closestName(name, names)).toBe(name);
        }
      }),
    );
  });
});
