import { afterAll, describe, expect, it } from 'vitest';

import { INVARIANTS } from '../../src/testing/invariants/invariants.js';
import { createSimulator } from '../../src/testing/simulate/simulator.js';
import type { PlantedBug } from './planted-bugs.js';
import { PLANTED_BUGS } from './planted-bugs.js';

/* A rig that finds nothing may be blind. Each of these bugs must be seen, by the promise that is meant to see it. */

const SEEDS_MAX = 2_000;

/** The first world in which a promise is broken, and which promises those are. */
const firstBroken = async ({ understudies }: PlantedBug) => {
  const simulator = createSimulator({}, understudies);
  for (let seed = 0; seed < SEEDS_MAX; seed += 1) {
    const { violations } = await simulator.run(seed);
    const names = new Set(violations.map(({ name }) => name));
    if (names.size > 0) return { seed, names };
  }
  return undefined;
};

describe('a planted bug', () => {
  const lines: string[] = [];

  it.each(PLANTED_BUGS)(
    '$bug: is caught as $caughtBy',
    async (planted) => {
      const found = await firstBroken(planted);
      expect(found?.names).toContain(planted.caughtBy);
      const { number } = INVARIANTS[planted.caughtBy];
      const invariant = `${planted.caughtBy} (${number})`.padEnd(24);
      lines.push(`  ${planted.bug.padEnd(48)} ${invariant} seed ${found?.seed}`);
    },
    120_000,
  );

  it('is one of many, and they are of many kinds', () => {
    expect(PLANTED_BUGS.length).toBeGreaterThanOrEqual(20);
    expect(new Set(PLANTED_BUGS.map(({ caughtBy }) => caughtBy)).size).toBeGreaterThanOrEqual(15);
  });

  afterAll(() => {
    process.stdout.write(`\nplanted bugs, and where they were caught:\n${lines.join('\n')}\n`);
  });
});
