import { expect, it } from 'vitest';

import { expectClean, expectEventful } from './worlds.js';

it('simulate() finds no violated invariant in 2,500 more worlds', async () => {
  const summary = await expectClean(2_500, 2_500);
  expectEventful(summary);
  expect(summary.runs).toBe(2_500);
}, 600_000);
