import { listInside, readInside } from './inside.js';
import type { LineChange } from './line-diff.js';
import { lineDiff } from './line-diff.js';

/** The texts of all files of a project, by path. */
export type Snapshot = ReadonlyMap<string, string>;

export interface FileChange {
  readonly path: string;
  readonly kind: 'changed' | 'added' | 'removed';
  readonly lines: readonly LineChange[];
}

export const snapshotOf = async (folder: string): Promise<Snapshot> => {
  const texts = new Map<string, string>();
  for (const path of await listInside(folder)) {
    // A file that is too large to read is too large to have been written here.
    texts.set(path, await readInside(folder, path).catch(() => ''));
  }
  return texts;
};

/** The changed files, in the order of their paths. */
export const changesBetween = (before: Snapshot, after: Snapshot): FileChange[] => {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((path): FileChange[] => {
    const [old, current] = [before.get(path), after.get(path)];
    if (old === current) return [];
    const lines = lineDiff(old ?? '', current ?? '');
    if (old === undefined) return [{ path, kind: 'added', lines }];
    return [{ path, kind: current === undefined ? 'removed' : 'changed', lines }];
  });
};
