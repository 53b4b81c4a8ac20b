import type { TestProject } from 'vitest/node';

import { disposeCluster, newClusterFolder } from './postgres-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the shared PostgreSQL server is, or will be when a test asks for it. */
    readonly postgresFolder: string;
  }
}

/** Before all tests: only a folder. The server is started by the first test that asks for it (shared-postgres.ts). */
export const setup = (project: TestProject): (() => void) => {
  const folder = newClusterFolder();
  project.provide('postgresFolder', folder);
  return () => disposeCluster(folder);
};
