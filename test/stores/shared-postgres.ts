import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { inject } from 'vitest';

import { startPostgres, urlOf } from './postgres-server.js';

/*
 * One server for all test files that want one. It is started by the first that asks, in whichever process, and stopped
 * by postgres-setup.ts when all tests are done. Use a schema of your own in it.
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

/** Making a folder succeeds once, whoever tries. */
const isFirst = (folder: string): boolean => {
  try {
    mkdirSync(join(folder, 'starting'));
    return true;
  } catch {
    return false;
  }
};
