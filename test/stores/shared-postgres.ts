import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { inject } from 'vitest';

import { startPostgres, urlOf } from './postgres-server.js';

/*
 * One server for all test files that need one. The first that needs it starts it, in any process, and
 * postgres-setup.ts stops it when all tests are done. Use your own schema in it.
 */

const PATIENCE_MS = 120_000;
const POLL_MS = 100;

/** The address of the shared server. */
export const sharedPostgres = async (): Promise<string> => {
  const folder = inject('postgresFolder');
  const isReady = join(folder, 'ready');
  if (isFirst(folder)) {
    startPostgres(folder);
    writeFileSync(isReady, '');
  }
  for (let waitedMs = 0; !existsSync(isReady); waitedMs += POLL_MS) {
    if (waitedMs > PATIENCE_MS) throw new Error('The shared PostgreSQL has not started');
    await sleep(POLL_MS);
  }
  return urlOf(folder);
};

/** Creating a folder succeeds in exactly one process. */
const isFirst = (folder: string): boolean => {
  try {
    mkdirSync(join(folder, 'starting'));
    return true;
  } catch {
    return false;
  }
};
