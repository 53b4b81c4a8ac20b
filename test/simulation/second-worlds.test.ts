import { expect, it } from 'vitest';

import { expectClean, expectEventful } from './worlds.js';

it('breaks no promise in 5,000 more', async () => {
  const summary = await expectClean(5_000, 5_000);
  expectEventful(summary);
  expect(summary.runs).toBe(5_000);
}, 600_000);
