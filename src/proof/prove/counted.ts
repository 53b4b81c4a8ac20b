/** A noun in singular and plural. */
export type Noun = readonly [one: string, several: string];

/** `1 question`, `2 questions`. */
export const counted = (count: number, [one, several]: Noun, text = String(count)): string =>
  `${text} ${count === 1 ? one : several}`;
