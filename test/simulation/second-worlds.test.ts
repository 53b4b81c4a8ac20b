import { expect, it } from 'vitest';

import { expectClean, expectEventful } from './worlds.js';

it('breaks no promise in 2,500 more', async () => {
  const summary = await expectClean(2_500, 2_500);
  expectEventful(summary);
  expect(summary.runs).toBe(2_500);
}, 600_000);
