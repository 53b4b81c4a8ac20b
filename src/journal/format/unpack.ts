import { JournalCorruptError } from '../../errors.js';
import type { Vocabulary } from './vocabulary.js';
import { KEY, LIST, NEW_SHAPE, NUMBER, OUTPUT } from './vocabulary.js';

/** What `pack` was given. Throws JournalCorruptError for what it never gave. */
export const unpack = (packed: unknown, vocabulary: Vocabulary, output?: unknown): unknown => {
  if (typeof packed === 'string') {
    vocabulary.learnWord(packed);
    return packed;
  }
  if (typeof packed === 'number') {
    return packed < 0 ? -1 - packed : known(vocabulary.wordAt(packed));
  }
  if (typeof packed === 'boolean' || packed === null) return packed;
  return Array.isArray(packed) ? unpackList(packed, vocabulary, output) : corrupt();
};

const unpackList = (
  [tag, ...rest]: readonly unknown[],
  vocabulary: Vocabulary,
  output: unknown,
): unknown => {
  switch (tag) {
    case LIST:
      return rest.map((item) => unpack(item, vocabulary, output));
    case NUMBER:
      return Number(rest[0]);
    case OUTPUT:
      return output;
    case KEY:
      return unpack(`${vocabulary.keyPrefix}${String(rest[0])}`, vocabulary);
    case NEW_SHAPE: {
      const [names, ...values] = rest;
      if (!isNames(names)) return corrupt();
      vocabulary.learnShape(names);
      return unpackObject(names, values, vocabulary, output);
    }
    default:
      return typeof tag === 'number'
        ? unpackObject(known(vocabulary.shapeAt(tag)), rest, vocabulary, output)
        : corrupt();
  }
};

const unpackObject = (
  names: readonly string[],
  values: readonly unknown[],
  vocabulary: Vocabulary,
  output: unknown,
): object => {
  if (names.length !== values.length) return corrupt();
  const unpacked: Record<string, unknown> = {};
  names.forEach((name, index) => {
    unpacked[name] = unpack(values[index], vocabulary, output);
  });
  return unpacked;
};

/** No object of ours has a member that would replace its prototype. */
const isNames = (names: unknown): names is readonly string[] =>
  Array.isArray(names) && names.every((name) => typeof name === 'string' && name !== '__proto__');

const known = <Value>(value: Value | undefined): Value => {
  if (value === undefined) return corrupt();
  return value;
};

const corrupt = (): never => {
  throw new JournalCorruptError('torn', 'An entry of the journal does not make sense');
};
