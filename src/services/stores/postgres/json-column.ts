import { jsonOf } from '../stored-json.js';

/*
 * jsonb refuses NUL and halves of surrogate pairs. They are stored as SUBSTITUTE (U+001A) and four hexadecimal digits,
 * and so is SUBSTITUTE itself. An escaped backslash starts no escape.
 */
const REFUSED = /\\(?:\\|u(0000|001a|d[89a-f][0-9a-f]{2}))/g;
const SUBSTITUTED = /\\(?:\\|u001a([0-9a-f]{4}))/g;

/** A value as the text of a column of type jsonb. */
export const columnOf = (value: unknown): string =>
  jsonOf(value).replace(REFUSED, (escape, hex?: string) =>
    hex === undefined ? escape : `\\u001a${hex}`,
  );

/** The JSON text of a value that was stored with `columnOf`. */
export const textIn = (column: unknown): string =>
  String(column).replace(SUBSTITUTED, (escape, hex?: string) =>
    hex === undefined ? escape : `\\u${hex}`,
  );
