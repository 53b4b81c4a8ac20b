import { expect, it } from 'vitest';

import { expectClean, expectEventful, faultTable } from './worlds.js';

/* Five thousand worlds in two files, so that two cores share them. The seeds are fixed; `npm run simulate` has others. */

it('breaks no promise in 2,500 worlds, in each of which something else goes wrong', async () => {
  const summary = await expectClean(0, 2_500);
  expectEventful(summary);
  process.stdout.write(`\n${faultTable(summary)}\n`);
  expect(summary.runs).toBe(2_500);
}, 600_000);
