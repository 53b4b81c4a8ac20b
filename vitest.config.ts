import { defineConfig } from 'vitest/config';

// Type tests (test/types/*.test-d.ts) are checked by `npm run typecheck`, not here.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'threads',
    // A guard against tests that hang, not a limit on speed: CI machines are busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
