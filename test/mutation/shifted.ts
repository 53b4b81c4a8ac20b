/* A value in which one number is one more, or one less. */

/** The keys that lead to a number, joined by dots: `settings.policy.limits.maxReplans`. */
export type NumberPath = string;

/** A copy along the path; everything else is shared. A number that is not there is left alone. */
export const shifted = <Value>(value: Value, path: NumberPath, by: number): Value =>
  shiftedAt(value, path.split('.'), by) as Value;

const shiftedAt = (value: unknown, keys: readonly string[], by: number): unknown => {
  const [key, ...rest] = keys;
  if (key === undefined) return typeof value === 'number' ? value + by : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    if (key === 'length') return withLength(value, by);
    return value.map((item: unknown, index) =>
      String(index) === key || key === ANY ? shiftedAt(item, rest, by) : item,
    );
  }
  if (!(key in value)) return value;
  return { ...value, [key]: shiftedAt((value as Record<string, unknown>)[key], rest, by) };
};

/** Every item of a list: guards look at lists of any length. */
export const ANY = '*';

/** One item too many is one that is there twice, or something empty. */
const withLength = (list: readonly unknown[], by: number): unknown[] => {
  if (by < 0) return list.slice(0, Math.max(0, list.length + by));
  const extra = Array.from({ length: Math.min(by, ITEMS_MAX) }, () => list.at(-1) ?? {});
  return [...list, ...extra];
};

/** However far a length is moved, nobody needs a list of a billion items to see what comes of it. */
const ITEMS_MAX = 20;
