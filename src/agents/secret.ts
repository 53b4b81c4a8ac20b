import * as z from 'zod/mini';

import type { JsonValue } from '../canonical-json.js';

/** Stands in for a redacted value. */
export const REDACTED = '[redacted]';

/**
 * Schemas that were marked. The mark belongs to the schema object: `.optional()` and the like wrap it in another one.
 */
const marked = new WeakSet();

/**
 * Marks a part of an agent's output schema as secret. Dependent steps receive it; it is never stored.
 *
 * @example
 * const login = defineAgent({
 *   name: 'login',
 *   description: 'Gets a session',
 *   output: z.object({ user: z.string(), token: secret(z.string()) }),
 *   run: () => ({ user: 'ada', token: 'not in any journal' }),
 * });
 */
export const secret = <Schema extends z.core.$ZodType>(schema: Schema): Schema => {
  // A copy, so that the same schema may be used elsewhere without the mark.
  const copy = z.clone(schema);
  marked.add(copy);
  return copy;
};

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

interface SchemaParts {
  readonly isSecret: boolean;
  /** Schemas of the same value: inside wrappers, unions, intersections and pipes. */
  readonly inner: readonly unknown[];
  readonly members: Readonly<Record<string, unknown>>;
  readonly items: readonly unknown[];
  /** The schema of parts without their own: elements of an array, values of a record. */
  readonly rest: unknown;
}

/** The parts of a schema, from Zod's own description; anything else is a schema without parts. */
const partsOf = (schema: unknown): SchemaParts => {
  const definition = definitionOf(schema);
  const innerOf = (...names: string[]): unknown[] =>
    names.flatMap((name) => {
      const part = definition[name];
      return part === undefined || part === null ? [] : [part].flat();
    });
  const { shape, getter, items } = definition;
  return {
    isSecret: isMarked(schema),
    inner: [
      ...innerOf('innerType', 'options', 'left', 'right', 'in', 'out'),
      ...(typeof getter === 'function' ? [(getter as () => unknown)()] : []),
    ],
    members: typeof shape === 'object' && shape !== null ? (shape as Record<string, unknown>) : {},
    items: Array.isArray(items) ? items : [],
    rest:
      definition['element'] ??
      definition['valueType'] ??
      definition['rest'] ??
      definition['catchall'],
  };
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

/** Zod makes a copy for every `.min()` and `.describe()`, and the copy refers to its original. */
const isMarked = (schema: unknown): boolean => {
  for (let each = schema; typeof each === 'object' && each !== null; each = parentOf(each)) {
    if (marked.has(each)) return true;
  }
  return false;
};

const parentOf = (schema: object): unknown =>
  (schema as { readonly _zod?: { readonly parent?: unknown } })._zod?.parent;

/** Whether the schema marks anything as secret. */
export const hasSecrets = (schema: unknown, seen = new Set<unknown>()): boolean => {
  if (schema === undefined || seen.has(schema)) return false;
  seen.add(schema);
  const { isSecret, inner, members, items, rest } = partsOf(schema);
  const { keyType, parts: pieces } = definitionOf(schema);
  const parts = [...inner, ...Object.values(members), ...items, rest, keyType, pieces].flat();
  return isSecret || parts.some((part) => hasSecrets(part, seen));
};

const definitionOf = (schema: unknown): Readonly<Record<string, unknown>> => {
  const held = (schema as { readonly _zod?: { readonly def?: unknown } } | undefined)?._zod?.def;
  return typeof held === 'object' && held !== null ? (held as Record<string, unknown>) : {};
};
