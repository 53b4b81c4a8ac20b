import * as z from 'zod/mini';

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
export const partsOf = (schema: unknown): SchemaParts => {
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

export const definitionOf = (schema: unknown): Readonly<Record<string, unknown>> => {
  const held = (schema as { readonly _zod?: { readonly def?: unknown } } | undefined)?._zod?.def;
  return typeof held === 'object' && held !== null ? (held as Record<string, unknown>) : {};
};
