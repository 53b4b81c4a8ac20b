import { rmSync } from 'node:fs';
import { cp, lstat, mkdtemp, realpath, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative, sep } from 'node:path';

/** A working copy of a project. The original is not changed. */
export interface ProjectCopy {
  readonly folder: string;
  /** Where the journal of the run goes: beside the copy, not into it. */
  readonly journalPath: string;
  remove(): void;
}

export const copyProject = async (original: string): Promise<ProjectCopy> => {
  const source = await realpath(original);
  // The real path, without links, so that a path inside starts with it.
  const parent = await mkdtemp(join(await realpath(tmpdir()), 'planwright-'));
  const folder = join(parent, basename(source));
  const filter = async (path: string): Promise<boolean> => {
    const parts = relative(source, path).split(sep);
    if (parts.includes('node_modules') || parts.includes('.git')) return false;
    return !(await lstat(path)).isSymbolicLink();
  };
  await cp(source, folder, { recursive: true, filter });
  await linkDependencies(source, folder);
  return {
    folder,
    journalPath: join(parent, 'journal.sqlite'),
    remove: () => {
      rmSync(parent, { recursive: true, force: true });
    },
  };
};

/** Tests need the packages of the project; the tools do not follow links, so agents cannot change them. */
const linkDependencies = async (source: string, folder: string): Promise<void> => {
  const packages = join(source, 'node_modules');
  try {
    await lstat(packages);
  } catch {
    return;
  }
  await symlink(packages, join(folder, 'node_modules'), 'junction');
};
