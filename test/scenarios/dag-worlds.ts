import { steps } from './team.js';

/**
 * For each step the numbers of the earlier steps it depends on. Every plan without a cycle can be written this way.
 */
export type Dag = readonly (readonly number[])[];

/** A plan, and the steps of it that fail whenever they are called. */
export interface World {
  readonly dag: Dag;
  readonly failing: readonly number[];
}

const subsetsOf = <Item>(items: readonly Item[]): Item[][] =>
  items.reduce<Item[][]>(
    (subsets, item) => [...subsets, ...subsets.map((subset) => [...subset, item])],
    [[]],
  );

const numbersUpTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

export const dagsOf = (size: number): Dag[] =>
  numbersUpTo(size).reduce<Dag[]>(
    (dags, index) =>
      dags.flatMap((dag) => subsetsOf(numbersUpTo(index)).map((dependsOn) => [...dag, dependsOn])),
    [[]],
  );

/** Every plan of up to so many steps, with every subset of failing steps. */
export const worldsUpTo = (size: number): World[] =>
  numbersUpTo(size + 1).flatMap((count) =>
    dagsOf(count).flatMap((dag) =>
      subsetsOf(numbersUpTo(count)).map((failing) => ({ dag, failing })),
    ),
  );

/**
 * The same world in a normal form: a step behind a failure is never called, so whether it would fail does not matter.
 * Only for policies that skip the dependents of a failure.
 */
export const asCalled = ({ dag, failing }: World): World => {
  const isDone = dag.reduce<boolean[]>((done, dependsOn, index) => {
    const isCalled = dependsOn.every((dependency) => done[dependency] === true);
    return [...done, isCalled && !failing.includes(index)];
  }, []);
  const isCalled = (index: number): boolean =>
    dag[index]?.every((dependency) => isDone[dependency] === true) === true;
  return { dag, failing: failing.filter(isCalled) };
};

const permutationsOf = (size: number): number[][] =>
  numbersUpTo(size).reduce<number[][]>(
    (permutations, item) =>
      permutations.flatMap((permutation) =>
        numbersUpTo(item + 1).map((place) => permutation.toSpliced(place, 0, item)),
      ),
    [[]],
  );

const permutationsBySize = numbersUpTo(6).map(permutationsOf);

/** Worlds that differ only in the names of their steps have the same text. */
const shapeOf = ({ dag, failing }: World): string => {
  const size = dag.length;
  let smallest = Infinity;
  for (const names of permutationsBySize[size] ?? []) {
    let code = 0;
    for (const index of failing) code += 2 ** (names[index] ?? 0);
    for (const [index, dependsOn] of dag.entries()) {
      const row = size * ((names[index] ?? 0) + 1);
      for (const dependency of dependsOn) code += 2 ** (row + (names[dependency] ?? 0));
    }
    smallest = Math.min(smallest, code);
  }
  return `${size}:${smallest}`;
};

/** One world of every shape. */
export const shapesIn = (worlds: readonly World[]): World[] => {
  const byShape = new Map<string, World>();
  for (const world of worlds) {
    const shape = shapeOf(world);
    if (!byShape.has(shape)) byShape.set(shape, world);
  }
  return [...byShape.values()];
};

/** One world of every kind; kinds differ in their text. */
export const distinctIn = (worlds: readonly World[]): World[] => [
  ...new Map(worlds.map((world) => [JSON.stringify(world), world])).values(),
];

/** Every step has its own agent, so that each breaker sees only one step. */
export const TEAM = ['worker0', 'worker1', 'worker2', 'worker3', 'worker4'];

export const planOf = (dag: Dag): ReturnType<typeof steps> =>
  steps(
    ...dag.map(
      (dependsOn, index) =>
        `${TEAM[index] ?? ''}:s${index}<${dependsOn.map((on) => `s${on}`).join()}`,
    ),
  );
