import { defineConfig } from 'vitest/config';

// Type tests (test/types/*.test-d.ts) are checked by `npm run typecheck`, not here.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'threads',
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
