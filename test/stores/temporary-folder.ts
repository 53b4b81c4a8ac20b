import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/*
 * A folder for test files, in memory where possible: SQLite behaves the same there, but thousands of commits do not
 * wait for a disk.
 */
const parent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export interface TemporaryFolder {
  /** A path in the folder that no earlier call has returned. */
  newPath(): string;
  readonly path: string;
  readonly dispose: () => void;
}

export const temporaryFolder = (): TemporaryFolder => {
  const path = mkdtempSync(join(parent, 'planwright-stores-'));
  let count = 0;
  return {
    path,
    newPath: () => join(path, `store-${(count += 1)}.db`),
    dispose: () => rmSync(path, { recursive: true, force: true }),
  };
};
