import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';

// Type tests (test/types/*.test-d.ts) are checked by `npm run typecheck`, not here.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Processes, not threads: a test that counts processor time or open handles counts its own.
    pool: 'forks',
    // Left to itself vitest keeps one core for its own work, which on two cores is half of all there is.
    maxWorkers: availableParallelism(),
    // Files share their modules, so a file leaves nothing behind that another could stumble over. With a new
    // world for each of them, loading the same modules again and again would be a fifth of the whole.
    isolate: false,
    setupFiles: ['test/leave-nothing-behind.ts'],
    // A guard against tests that hang, not a limit on speed: CI machines are busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
