/*
 * The number of waiting steps in the text of a state, where they are all alike. From two on only the number of
 * repetitions depends on it: such states are explored as one, and separated by counting.
 */

const COUNT = /×(\d+)/;

/** From this number on states are explored as one. */
export const MANY = 2;

export const countText = (count: number): string => `×${count}`;

/** The number is not visible. */
export const UNCOUNTED = -1;

export const countIn = (text: string): number => Number(COUNT.exec(text)?.[1] ?? UNCOUNTED);

export const withCount = (text: string, count: number): string =>
  text.replace(COUNT, countText(count));

/** The text of the explored state that represents this one. */
export const folded = (text: string): string => withCount(text, Math.min(MANY, countIn(text)));
