import type { JsonValue } from '../canonical-json.js';
import { definitionOf, hasSecrets, partsOf, REDACTED } from './secret.js';

/**
 * The value without the parts that its schema marks as secret. A part that is secret in one branch of a union is
 * removed.
 */
export const withoutSecrets = (schema: unknown, value: JsonValue): JsonValue => {
  const { isSecret, inner, members, items, rest } = partsOf(schema);
  if (isSecret || isRemade(schema)) return REDACTED;
  const own = inner.reduce<JsonValue>((reduced, each) => withoutSecrets(each, reduced), value);
  if (Array.isArray(own)) {
    return own.map((item: JsonValue, index) => withoutSecrets(items[index] ?? rest, item));
  }
  if (typeof own !== 'object' || own === null) return own;
  return Object.fromEntries(
    Object.entries(own).map(([name, member]) => [
      name,
      withoutSecrets(Object.hasOwn(members, name) ? members[name] : rest, member),
    ]),
  );
};

/**
 * Redacts what an agent returns besides finished work: a partial output, or an approval payload. The schema has not
 * checked it, so fields are matched by name: a field with the name of a marked one is removed wherever it is. Where the
 * value or the mark has no name, the whole value is removed.
 */
export const withoutNamedSecrets = (schema: unknown, value: JsonValue): JsonValue => {
  if (value === null || !hasSecrets(schema)) return value;
  const names = secretNames(schema);
  if (names === null || typeof value !== 'object' || Array.isArray(value)) return REDACTED;
  return withoutNames(value, names);
};

const withoutNames = (value: JsonValue, names: ReadonlySet<string>): JsonValue => {
  if (Array.isArray(value)) return value.map((item: JsonValue) => withoutNames(item, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      names.has(name) ? REDACTED : withoutNames(member, names),
    ]),
  );
};

/** The names of the fields that hold secrets, by the innermost name of each; null when one has no name. */
const secretNames = (
  schema: unknown,
  around: ReadonlySet<unknown> = new Set(),
): ReadonlySet<string> | null => {
  if (schema === undefined || around.has(schema)) return new Set();
  const within = new Set([...around, schema]);
  const { isSecret, inner, members, items, rest } = partsOf(schema);
  if (isSecret || isRemade(schema)) return null;
  const named = Object.entries(members).map(
    ([name, member]) => secretNames(member, within) ?? new Set([name]),
  );
  const unnamed = [...inner, ...items, rest].map((part) => secretNames(part, within));
  const all = [...named, ...unnamed];
  return all.includes(null) ? null : new Set(all.flatMap((names) => [...(names ?? [])]));
};

/**
 * Whether the position of a secret is unknown: a function may move it (a pipe, as every `transform` and codec is one,
 * or `overwrite`), or it is part of a name or of a longer text.
 */
const isRemade = (schema: unknown): boolean => {
  const { in: input, checks, keyType, parts } = definitionOf(schema);
  if ([input, keyType, parts].flat().some((part) => hasSecrets(part))) return true;
  return Array.isArray(checks) && checks.some(isOverwrite) && hasSecrets(schema);
};

const isOverwrite = (check: unknown): boolean => definitionOf(check)['check'] === 'overwrite';
