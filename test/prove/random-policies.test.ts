import { describe, expect, it } from 'vitest';

import type { Turned } from '../../scripts/sweep-knobs.js';
import { configurationOf, randomFrom, turnedAtRandom } from '../../scripts/sweep-knobs.js';
import { compareProofs } from '../../scripts/sweep-proofs.js';

/* The first policies of `npm run sweep`, which tries as many as fit into its time. */

const PROOFS_MIN = 40;
const STATE_LIMITS = { statesMax: 1_500, statesForWholeRunMax: 150 } as const;

const provedWith = (seed: number, alwaysTurned: readonly string[]) => {
  const random = randomFrom(seed);
  const wrong: { differences: readonly string[]; turned: Turned }[] = [];
  const methods: string[] = [];
  while (methods.length < PROOFS_MIN) {
    const turned = turnedAtRandom(random, 0.15, alwaysTurned);
    const comparison = compareProofs(turned, STATE_LIMITS);
    if (typeof comparison === 'string') continue;
    methods.push(...comparison.methods);
    const { differences } = comparison;
    if (differences.length > 0) wrong.push({ differences, turned });
  }
  return { methods, wrong };
};

describe('bounds() of random policies', () => {
  it.each([
    ['any option may be set', 3, []],
    ['agent calls have a budget', 5, ['limits.maxAgentCalls']],
    ['replans depend on the first plan', 9, ['replan.maxByComplexity', 'limits.maxReplans']],
  ] as const)('is never below a maximum that prove() finds, when %s', (_, seed, alwaysTurned) => {
    const { methods, wrong } = provedWith(seed, alwaysTurned);
    expect(wrong.map(({ turned, ...rest }) => ({ ...rest, ...configurationOf(turned) }))).toEqual(
      [],
    );
    expect(new Set(methods)).toEqual(new Set(['compositional', 'wholeRun']));
  });
});
