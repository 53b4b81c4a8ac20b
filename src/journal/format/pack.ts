import type { JsonValue } from '../../canonical-json.js';
import type { Vocabulary } from './vocabulary.js';
import { KEY, LIST, NEW_SHAPE, NUMBER, OUTPUT } from './vocabulary.js';

/**
 * A value as a journal holds it: see vocabulary.ts. Learns on the way. `output` is what is not written a second time: the
 * very same object, where it stands, becomes a mark.
 */
export const pack = (value: unknown, vocabulary: Vocabulary, output?: object): JsonValue => {
  if (typeof value === 'string') return packText(value, vocabulary);
  if (typeof value === 'number') return packNumber(value);
  if (typeof value === 'boolean') return value;
  // What JSON would leave out of a list.
  if (typeof value !== 'object' || value === null) return null;
  if (value === output) return [OUTPUT];
  return Array.isArray(value)
    ? packList(value, vocabulary, output)
    : packObject(value as Readonly<Record<string, unknown>>, vocabulary, output);
};

const packText = (text: string, vocabulary: Vocabulary): JsonValue => {
  const known = vocabulary.numberOfWord(text);
  if (known !== undefined) return known;
  vocabulary.learnWord(text);
  const { keyPrefix } = vocabulary;
  return text.startsWith(keyPrefix) ? [KEY, text.slice(keyPrefix.length)] : text;
};

const packNumber = (value: number): JsonValue => {
  if (Number.isSafeInteger(value) && value >= 0) return -1 - value;
  return [NUMBER, Number.isFinite(value) ? value : String(value)];
};

const packList = (
  items: readonly unknown[],
  vocabulary: Vocabulary,
  output: object | undefined,
): JsonValue => {
  const packed: JsonValue[] = [LIST];
  for (const item of items) packed.push(pack(item, vocabulary, output));
  return packed;
};

const packObject = (
  value: Readonly<Record<string, unknown>>,
  vocabulary: Vocabulary,
  output: object | undefined,
): JsonValue => {
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  const known = vocabulary.numberOfShape(names);
  const packed: JsonValue[] = known === undefined ? [NEW_SHAPE, names] : [known];
  if (known === undefined) vocabulary.learnShape(names);
  for (const name of names) packed.push(pack(value[name], vocabulary, output));
  return packed;
};
