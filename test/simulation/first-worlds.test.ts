import { expect, it } from 'vitest';

import { expectClean, expectEventful, faultTable } from './worlds.js';

/* Ten thousand worlds in two files, so that two cores share them. The seeds are fixed; `npm run simulate` has others. */

it('breaks no promise in 5,000 worlds, in each of which something else goes wrong', async () => {
  const summary = await expectClean(0, 5_000);
  expectEventful(summary);
  process.stdout.write(`\n${faultTable(summary)}\n`);
  expect(summary.runs).toBe(5_000);
}, 600_000);
