import { afterAll, vi } from 'vitest';

/* Runs with every test file: files share one process, so changes of a file are undone at its end. */

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  vi.resetConfig();
});
