import type { ProposedStep } from '../model/plan.js';

/**
 * The first dependency cycle as a path of ids that ends where it began, or undefined.
 * Iterative, because a chain of 100,000 steps must not overflow the stack.
 */
export const findCycle = (
  steps: readonly Pick<ProposedStep, 'id' | 'dependsOn'>[],
): string[] | undefined => {
  if (isInOrder(steps)) return undefined;
  const dependenciesById = new Map(steps.map((step) => [step.id, step.dependsOn]));
  const finished = new Set<string>();
  for (const { id } of steps) {
    const cycle = walkFrom(id, dependenciesById, finished);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
};

/** Most planners list a step after its dependencies: then there is no cycle. */
const isInOrder = (steps: readonly Pick<ProposedStep, 'id' | 'dependsOn'>[]): boolean => {
  const earlier = new Set<string>();
  for (const { id, dependsOn } of steps) {
    for (const dependency of dependsOn) if (!earlier.has(dependency)) return false;
    earlier.add(id);
  }
  return true;
};

const walkFrom = (
  startId: string,
  dependenciesById: ReadonlyMap<string, readonly string[]>,
  finished: Set<string>,
): string[] | undefined => {
  const path: { id: string; next: number }[] = [{ id: startId, next: 0 }];
  const onPath = new Set([startId]);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const dependency = finished.has(top.id) ? undefined : dependenciesById.get(top.id)?.[top.next];
    if (dependency === undefined) {
      finished.add(top.id);
      onPath.delete(top.id);
      path.pop();
      continue;
    }
    top.next += 1;
    if (onPath.has(dependency)) {
      const ids = path.map((entry) => entry.id);
      return [...ids.slice(ids.indexOf(dependency)), dependency];
    }
    if (!finished.has(dependency)) {
      onPath.add(dependency);
      path.push({ id: dependency, next: 0 });
    }
  }
  return undefined;
};
