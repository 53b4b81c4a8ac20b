/** Freezes a tree of plain data, so that nobody can raise a limit while a run is under way. */
export function deepFreeze<Tree extends object>(tree: Tree): Tree {
  const branches: readonly unknown[] = Object.values(tree);
  for (const branch of branches) {
    if (typeof branch === 'object' && branch !== null) {
      deepFreeze(branch);
    }
  }
  return Object.freeze(tree);
}
