import type { Asked } from './replies.types.js';

/** The steps of earlier plans that each step of a new one depends on, in the order of its steps. */
export interface PlanLinks {
  /** Identifies the links. */
  readonly name: string;
  readonly after: readonly (readonly string[])[];
}

export type LinksAsked = Pick<Asked, 'waiting' | 'done'>;

/** The earlier steps of its own plan that each step depends on. */
export type Dependencies = readonly (readonly number[])[];

/**
 * How many dependencies a step may have. `all` includes every plan that a planner can make. `one` is enough when all
 * runs are explored:
 *
 * Guards see only whether a waiting step may start, not its dependencies. In any one run one dependency decides that:
 * the last one to complete, or the first one whose failure skipped the step. Until that one is settled the step waits;
 * then it is ready, or skipped. So in this run it could have depended on that one alone. A planner that may name any
 * single dependency for each of its steps has made such a plan.
 */
export type WaitsFor = 'all' | 'one';

export const NO_LINKS: PlanLinks = { name: '', after: [] };

/** Every plan can be listed so that each step depends on earlier ones only: in the order in which they start. */
export const dependenciesOf = (size: number, waitsFor: WaitsFor): Dependencies[] => {
  if (size === 0) return [[]];
  const earlier = Array.from({ length: size - 1 }, (_, index) => index);
  const choices = choicesAmong(earlier, waitsFor);
  return dependenciesOf(size - 1, waitsFor).flatMap((before) =>
    choices.map((last) => [...before, last]),
  );
};

/** The possible dependencies of a new plan's steps: none, waiting steps, or a completed one, which delays nothing. */
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
