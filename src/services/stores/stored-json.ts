import { JournalCorruptError } from '../../errors.js';
import type { StoredEntry } from '../../model/run-store.js';

/** Parses stored JSON; anything else is damage and throws. */
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

/** The members of an entry without their own column. */
export const bodyOf = (entry: StoredEntry): object => ({
  ...entry,
  sequence: undefined,
  at: undefined,
  kind: undefined,
});
