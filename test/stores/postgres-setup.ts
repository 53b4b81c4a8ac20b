import type { TestProject } from 'vitest/node';

import { disposeCluster, newClusterFolder } from './postgres-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the shared PostgreSQL server, even before a test starts it. */
    readonly postgresFolder: string;
  }
}

/** Before all tests: only a folder. The first test that needs the server starts it (shared-postgres.ts). */
export const setup = (project: TestProject): (() => void) => {
  const folder = newClusterFolder();
  project.provide('postgresFolder', folder);
  return () => disposeCluster(folder);
};
