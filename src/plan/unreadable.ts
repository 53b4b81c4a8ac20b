import { planSchema, stepSchema, votesSchema } from '../model/plan.js';

/** The member names that validation reads in a plan. */
const NAMES: readonly string[] = [
  ...new Set([planSchema, stepSchema, votesSchema].flatMap(({ shape }) => Object.keys(shape))),
];

/**
 * The path where reading a plan throws, by a getter or a proxy: `steps[0].task`; empty for the whole. Undefined when
 * all of it is readable.
 */
export const unreadablePath = (value: unknown, path = ''): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    const names = Array.isArray(value) ? Array.from(value.keys()) : NAMES;
    // A proxy that always throws is unreadable as a whole.
    Reflect.get(value, Symbol.toStringTag);
    for (const name of names) {
      const place = typeof name === 'number' ? `${path}[${name}]` : joined(path, name);
      const inner = read(value, name);
      const found = inner.isReadable ? unreadablePath(inner.value, place) : place;
      if (found !== undefined) return found;
    }
    return undefined;
  } catch {
    return path;
  }
};

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const read = (
  holder: object,
  name: PropertyKey,
): { readonly isReadable: boolean; readonly value?: unknown } => {
  try {
    return { isReadable: true, value: Reflect.get(holder, name) };
  } catch {
    return { isReadable: false };
  }
};
