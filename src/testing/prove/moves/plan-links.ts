import type { Asked } from './replies.types.js';

/** Which steps of earlier plans each step of a new one waits for, in the order of its steps. */
export interface PlanLinks {
  /** Tells them from any other. */
  readonly name: string;
  readonly after: readonly (readonly string[])[];
}

export const NO_LINKS: PlanLinks = { name: '', after: [] };

/** Up to so many pairs of a new step and a waiting one, any of them may be linked: 16 ways. */
const FREE_PAIRS = 4;

/**
 * What the steps of a new plan may wait for: nothing, any steps that still wait, or one that is done, which holds up
 * nobody. Where there are too many to choose from, the first new step waits for each of them or for all, or all steps do.
 */
export const linksOf = (
  stepCount: number,
  { waiting, done }: Pick<Asked, 'waiting' | 'done'>,
): PlanLinks[] => {
  const behindDone: PlanLinks[] =
    done === undefined || stepCount > 1
      ? []
      : [{ name: `, s1 behind ${done}, which is done`, after: [[done]] }];
  return [NO_LINKS, ...behindDone, ...behindWaiting(stepCount, waiting)];
};

const behindWaiting = (stepCount: number, waiting: readonly string[]): PlanLinks[] => {
  if (waiting.length === 0) return [];
  const ways = stepCount * waiting.length <= FREE_PAIRS ? anyWay : someWays;
  return ways(stepCount, waiting).map((after) => ({ name: nameOf(after), after }));
};

const anyWay = (stepCount: number, waiting: readonly string[]): string[][][] => {
  const sets = waiting.reduce<string[][]>(
    (before, id) => [...before, ...before.map((set) => [...set, id])],
    [[]],
  );
  const lists = Array.from({ length: stepCount }).reduce<string[][][]>(
    (before) => before.flatMap((list) => sets.map((set) => [...list, set])),
    [[]],
  );
  return lists.filter((list) => list.some((set) => set.length > 0));
};

const someWays = (stepCount: number, waiting: readonly string[]): string[][][] => [
  ...waiting.map((id) => [[id]]),
  [[...waiting]],
  ...(stepCount > 1 ? [Array.from({ length: stepCount }, () => [...waiting])] : []),
];

const nameOf = (after: readonly (readonly string[])[]): string => {
  const texts = after.flatMap((ids, position) =>
    ids.length === 0 ? [] : [`s${position + 1} behind ${ids.join(' and ')}`],
  );
  return `, ${texts.join(', ')}`;
};
