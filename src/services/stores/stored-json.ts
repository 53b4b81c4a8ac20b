import { JournalCorruptError } from '../../errors.js';

/** What a store has written as JSON; anything that is not is damage, and never a guess. */
export function parseStored(text: unknown, what: string): unknown {
  if (typeof text !== 'string') throw tornError(what);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw tornError(what, { cause });
  }
}

export const tornError = (what: string, options?: ErrorOptions): JournalCorruptError =>
  new JournalCorruptError('torn', `${what} cannot be read: the store is damaged`, options);

/** JSON has no undefined. */
export const jsonOf = (value: unknown): string =>
  JSON.stringify(value === undefined ? null : value);
