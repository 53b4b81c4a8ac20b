/*
 * How many steps wait, where these are all alike, as it stands in the text of a state. From two on nothing depends on how
 * many there are but how often it goes on like that: such states are one that is looked at, and told apart by counting.
 */

const COUNT = /×(\d+)/;

/** From so many on states are looked at as one. */
export const MANY = 2;

export const countText = (count: number): string => `×${count}`;

/** Where it is not seen. */
export const UNCOUNTED = -1;

export const countIn = (text: string): number => Number(COUNT.exec(text)?.[1] ?? UNCOUNTED);

export const withCount = (text: string, count: number): string =>
  text.replace(COUNT, countText(count));

/** The text of the state that is looked at for this one. */
export const folded = (text: string): string => withCount(text, Math.min(MANY, countIn(text)));
