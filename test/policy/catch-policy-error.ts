import { type Issue, PolicyError } from '../../src/errors.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';

/** Any value as overrides, as from a caller without types or from JSON. */
export function untyped(overrides: unknown): PolicyOverrides {
  return overrides as PolicyOverrides;
}

/** The issues that overrides are refused with; empty when they are accepted. */
export function issuesOf(overrides: unknown): readonly Issue[] {
  try {
    definePolicy(untyped(overrides));
    return [];
  } catch (error) {
    if (PolicyError.isInstance(error)) {
      return error.issues;
    }
    throw error;
  }
}

/** `limits.maxReplans` and 2 as `{ limits: { maxReplans: 2 } }`. */
export function nest(path: string, value: unknown): unknown {
  return path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
}

/** The value at a path of an object. */
export function at(tree: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (holder, name) =>
        typeof holder === 'object' && holder !== null ? Reflect.get(holder, name) : undefined,
      tree,
    );
}
