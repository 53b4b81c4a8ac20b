import type { JsonValue } from '../canonical-json.js';

/** The output of one key; the outputs of several keys, from a sub-plan, as a list. */
export const outputBehind = (
  keys: readonly string[],
  outputs: (key: string) => JsonValue | undefined,
): JsonValue => {
  const values = keys.map((key) => outputs(key) ?? null);
  return values.length > 1 ? values : (values[0] ?? null);
};
