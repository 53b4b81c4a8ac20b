import { afterAll, describe, expect, it } from 'vitest';

import { INVARIANTS } from '../../src/testing/invariants/invariants.js';
import { createSimulator } from '../../src/proof/simulate/simulator.js';
import type { PlantedBug } from './planted-bugs.js';
import { PLANTED_BUGS } from './planted-bugs.js';
import { PLANTED_EDGE_BUGS } from './planted-edge-bugs.js';

/*
 * A simulation that finds nothing may be blind. Each of these bugs must be detected by the invariant that is meant
 * for it.
 */

const SEEDS_MAX = 2_000;

const ALL_BUGS = [...PLANTED_BUGS, ...PLANTED_EDGE_BUGS];

/** The first world in which the expected invariant is violated. */
const firstBroken = async ({ replacements, plant, caughtBy, how }: PlantedBug) => {
  const simulator = createSimulator({}, replacements);
  const takeOut = plant?.();
  try {
    for (let seed = 0; seed < SEEDS_MAX; seed += 1) {
      const { violations } = await simulator.run(seed);
      const found = violations.find(
        ({ name, message }) => name === caughtBy && (how?.test(message) ?? true),
      );
      if (found !== undefined) return { seed, message: found.message };
    }
    return undefined;
  } finally {
    takeOut?.();
  }
};

describe('a planted bug', () => {
  const lines: string[] = [];

  it.each(ALL_BUGS)(
    '$bug: is caught as $caughtBy',
    async (planted) => {
      const found = await firstBroken(planted);
      expect(found?.message, `seeds 0 to ${SEEDS_MAX - 1}`).toBeTypeOf('string');
      const { number } = INVARIANTS[planted.caughtBy];
      const invariant = `${planted.caughtBy} (${number})`.padEnd(24);
      lines.push(`  ${planted.bug.padEnd(48)} ${invariant} seed ${found?.seed}`);
    },
    120_000,
  );

  it('is one of many, of many kinds', () => {
    expect(ALL_BUGS.length).toBeGreaterThanOrEqual(30);
    expect(new Set(ALL_BUGS.map(({ caughtBy }) => caughtBy)).size).toBeGreaterThanOrEqual(20);
  });

  afterAll(() => {
    process.stdout.write(`\nplanted bugs, and where they were caught:\n${lines.join('\n')}\n`);
  });
});
