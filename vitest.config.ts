import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** Short files that take long: they start processes, compile, or play very many runs. */
const LONG =
  /test\/(?:bundle|crash|examples|generated|mutation|package|prove|simulation|stores)\/|(?:dags|-process|-flood)\.test\.ts$/;

/** On a new clone vitest knows only how large files are. A long one at the end would keep all cores but one waiting. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** `OPENAI_CLIENT=openai-7` has the tests use that client, in place of the one that users of Node 20 get. */
const openai = process.env['OPENAI_CLIENT'] ?? 'openai';

// Type tests (test/types/*.test-d.ts) are checked by `npm run typecheck`, not here.
export default defineConfig({
  resolve: { alias: [{ find: /^openai(?=$|\/)/, replacement: openai }] },
  test: {
    include: ['test/**/*.test.ts'],
    // Processes, not threads: a test that counts processor time or open handles counts its own.
    pool: 'forks',
    // Left to itself vitest keeps one core for its own work, which on two cores is half of all there is. One more than
    // there are cores, because tests of processes, servers and browsers wait for a fifth of the time.
    maxWorkers: availableParallelism() + 1,
    // Files share their modules, so a file leaves nothing behind that another could stumble over. With a new
    // world for each of them, loading the same modules again and again would be a fifth of the whole.
    isolate: false,
    // An orchestrator without `onError` prints the first error: hundreds of tests have an agent that fails.
    onConsoleLog: (log) => !log.startsWith('planwright: '),
    globalSetup: ['test/stores/postgres-setup.ts'],
    setupFiles: ['test/restore-globals.ts'],
    sequence: { sequencer: LongestFirst },
    // A guard against tests that hang, not a limit on speed: CI machines are busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
