import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';

import { expectClean } from './worlds.js';

/* Every seed that ever found a bug is played in every test run. A world follows from its seed and this version. */

const seeds = z
  .array(z.strictObject({ seed: z.int().min(0), found: z.string().min(20) }))
  .parse(JSON.parse(readFileSync(new URL('./seeds.json', import.meta.url), 'utf8')));

it.each(seeds)('seed $seed violates no invariant any more: $found', async ({ seed }) => {
  expect((await expectClean(seed, 1)).runs).toBe(1);
});
