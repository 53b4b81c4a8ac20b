import { shortestMs } from '../cpu-time.js';

/*
 * Hostile texts that make a pattern slow: one short text repeated, after a prefix that lets the pattern begin and
 * before a suffix that makes it fail.
 */

const PUMPS = [
  ...['\n', ' ', '\t', '`', '<', '>', 'a', 'Z', '0', '-', '_', ':', '/', '.', '(', '"', '\0'],
  ...['\uD800', '\uDC00', '\u0301', '\u200d', '\u{1F600}', '<think>', '</think>', '```', '```\n'],
  ...['\n```', '```json\n', 'a ', ' a', '\n ', '08', 'pragma_', 'postgres://', 'Bearer ', '\\'],
] as const;

const FRAMES: readonly (readonly [string, string])[] = [
  ['', ''],
  ['', '!'],
  ['```json', '!'],
  ['```\n{', '\n```'],
  ['<think>', ''],
  ['a', '\n'],
];

/** Texts of about `length` characters each. */
export const hostileTexts = (length: number): readonly string[] =>
  PUMPS.flatMap((pump) => {
    const pumped = pump.repeat(Math.ceil(length / pump.length));
    return FRAMES.map(([before, after]) => `${before}${pumped}${after}`);
  });

const LENGTH = 4_000;
const ROUNDS = 5;

/**
 * How much more processor time the same work takes on texts that are four times as long: 4 when time is linear, 16
 * when it is quadratic. One hostile text that is read in quadratic time outweighs all others together.
 */
export const growthOf = async (work: (text: string) => unknown): Promise<number> => {
  const short = hostileTexts(LENGTH);
  const long = hostileTexts(4 * LENGTH);
  const read = (text: string): void => {
    readOnce(text);
    work(text);
  };
  short.forEach(read); // compiled before it is measured
  const shortMs = await shortestMs(ROUNDS, () => short.forEach(read));
  const longMs = await shortestMs(ROUNDS, () => long.forEach(read));
  return longMs / shortMs;
};

/**
 * Linear work beside what is measured: without it, a pattern that fails immediately takes too little time to divide
 * by.
 */
const readOnce = (text: string): number => {
  let sum = 0;
  for (let index = 0; index < text.length; index += 1) sum ^= text.charCodeAt(index);
  return sum;
};

/** Between linear and quadratic, with room for a busy machine on both sides. */
export const LINEAR_GROWTH_MAX = 9;
