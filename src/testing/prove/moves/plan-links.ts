import type { Asked } from './replies.types.js';

/** Which steps of earlier plans each step of a new one waits for, in the order of its steps. */
export interface PlanLinks {
  /** Tells them from any other. */
  readonly name: string;
  readonly after: readonly (readonly string[])[];
}

export type LinksAsked = Pick<Asked, 'request' | 'waiting' | 'done'>;

export const NO_LINKS: PlanLinks = { name: '', after: [] };

/**
 * Up to so many pairs of a new step and a waiting one, any of them may be linked: with one replan all that there are in
 * plans of three steps, with more of them 16 ways for each plan.
 */
const freePairs = ({ request }: Pick<Asked, 'request'>): number =>
  request.role === 'planner' && request.maxReplans > 1 ? 4 : 6;

/**
 * What the steps of a new plan may wait for: nothing, any steps that still wait, or one that is done, which holds up
 * nobody. Where there are too many to choose from, the first new step waits for each of them or for all, or all steps do.
 */
export const linksOf = (stepCount: number, asked: LinksAsked): PlanLinks[] => {
  const { waiting, done } = asked;
  const behindDone: PlanLinks[] =
    done === undefined || stepCount > 1
      ? []
      : [{ name: `, s1 behind ${done}, which is done`, after: [[done]] }];
  const isFree = stepCount * waiting.length <= freePairs(asked);
  return [NO_LINKS, ...behindDone, ...behindWaiting(stepCount, waiting, isFree)];
};

const behindWaiting = (
  stepCount: number,
  waiting: readonly string[],
  isFree: boolean,
): PlanLinks[] => {
  if (waiting.length === 0) return [];
  const ways = isFree ? anyWay : someWays;
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
