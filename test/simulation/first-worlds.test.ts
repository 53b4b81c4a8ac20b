import { expect, it } from 'vitest';

import { expectClean, expectEventful, faultTable } from './worlds.js';

/*
 * Five thousand worlds in two files, so that two cores share them. The seeds are fixed; `npm run simulate` has
 * others.
 */

it('simulate() finds no violated invariant in 2,500 worlds with different faults', async () => {
  const summary = await expectClean(0, 2_500);
  expectEventful(summary);
  process.stdout.write(`\n${faultTable(summary)}\n`);
  expect(summary.runs).toBe(2_500);
}, 600_000);
