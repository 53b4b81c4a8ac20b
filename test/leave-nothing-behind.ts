import { afterAll, vi } from 'vitest';

/* Runs with every test file: files share one process, so what a file has changed for itself ends with it. */

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  vi.resetConfig();
});
