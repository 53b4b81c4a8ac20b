import type { Asked } from './replies.types.js';

/** Which steps of earlier plans each step of a new one waits for, in the order of its steps. */
export interface PlanLinks {
  /** Tells them from any other. */
  readonly name: string;
  readonly after: readonly (readonly string[])[];
}

export type LinksAsked = Pick<Asked, 'waiting' | 'done'>;

/** Which earlier steps of its own plan each step waits for. */
export type Dependencies = readonly (readonly number[])[];

/**
 * How much a step may wait for. `all` is everything that a planner can say. `one` is enough for whoever looks at all runs:
 *
 * A step that waits is not seen by what it waits for, only by whether it may start. In any one run some step decides that:
 * the last one that it waited for, or the first that failed and had it skipped. As long as that one is not settled, it
 * waits; when it is, it is ready, or skipped. So in this run it could as well have waited for that one alone, and nobody
 * had noticed. A planner that may name any single step for each of its steps has said so in one of its plans.
 */
export type WaitsFor = 'all' | 'one';

export const NO_LINKS: PlanLinks = { name: '', after: [] };

/** A plan can be listed so that every step waits for earlier ones only: in the order in which they start. */
export const dependenciesOf = (size: number, waitsFor: WaitsFor): Dependencies[] => {
  if (size === 0) return [[]];
  const earlier = Array.from({ length: size - 1 }, (_, index) => index);
  const choices = choicesAmong(earlier, waitsFor);
  return dependenciesOf(size - 1, waitsFor).flatMap((before) =>
    choices.map((last) => [...before, last]),
  );
};

/** What the steps of a new plan may wait for: nothing, steps that still wait, or one that is done, which holds up nobody. */
export const linksOf = (
  dependencies: Dependencies,
  { waiting, done }: LinksAsked,
  waitsFor: WaitsFor,
): PlanLinks[] => {
  const behindDone: PlanLinks[] =
    done === undefined || dependencies.length > 1
      ? []
      : [{ name: `, s1 behind ${done}, which is done`, after: [[done]] }];
  return [NO_LINKS, ...behindDone, ...behindWaiting(dependencies, waiting, waitsFor)];
};

const behindWaiting = (
  dependencies: Dependencies,
  waiting: readonly string[],
  waitsFor: WaitsFor,
): PlanLinks[] => {
  if (waiting.length === 0) return [];
  const choices = choicesAmong(waiting, waitsFor);
  const lists = dependencies.reduce<string[][][]>(
    (before, own) => {
      const isTaken = waitsFor === 'one' && own.length > 0;
      return before.flatMap((list) => (isTaken ? [[]] : choices).map((set) => [...list, set]));
    },
    [[]],
  );
  return lists
    .filter((list) => list.some((set) => set.length > 0))
    .map((after) => ({ name: nameOf(after), after }));
};

const choicesAmong = <Item>(items: readonly Item[], waitsFor: WaitsFor): Item[][] =>
  waitsFor === 'one'
    ? [[], ...items.map((item) => [item])]
    : items.reduce<Item[][]>((sets, item) => [...sets, ...sets.map((set) => [...set, item])], [[]]);

const nameOf = (after: readonly (readonly string[])[]): string => {
  const texts = after.flatMap((ids, position) =>
    ids.length === 0 ? [] : [`s${position + 1} behind ${ids.join(' and ')}`],
  );
  return `, ${texts.join(', ')}`;
};
