/**
 * Copies the caller's overrides into fresh plain data, guided by the schema: each known option is read once, everything
 * else is an issue. Afterwards no object of the caller is read again: no getter, no proxy, no prototype.
 */

import type { Issue } from '../errors.js';
import { joinPath } from '../errors.js';
import { closestName } from '../closest-name.js';
import { describeValue } from './describe-value.js';
import type { Part } from './options.js';
import { optionPaths, partsOf } from './options.js';
import { maxApprovalAgents, policySchema } from './schema.js';

/** More than the error lists: a policy with a million unknown options costs no more than one with this many. */
const ISSUES_MAX = 100;

/** Options by name, undefined values left out. */
export type OptionTree = Readonly<Record<string, unknown>>;

/** The overrides as plain data, and all issues with their shape. */
export function readOverrides(overrides: unknown): {
  readonly tree: unknown;
  readonly issues: readonly Issue[];
} {
  const issues: Issue[] = [];
  const tree = readOption(policySchema, { overrides }, 'overrides', '', issues);
  return { tree, issues };
}

function readOption(
  option: Part,
  holder: object,
  name: string,
  path: string,
  issues: Issue[],
): unknown {
  try {
    const value: unknown = Reflect.get(holder, name);
    const isLeaf = partsOf(option) === undefined;
    const isTurnedOff = value === null && 'isNullable' in option && option.isNullable;
    if (isLeaf || isTurnedOff || value === undefined) {
      return copyLeaf(value);
    }
    return readSection(option, value, path, issues);
  } catch {
    const message = `Expected ${subject(path)} to be readable, but reading it threw an error`;
    issues.push({ code: 'unreadable-option', path, message });
    return undefined;
  }
}

function readSection(
  section: Part,
  input: unknown,
  path: string,
  issues: Issue[],
): OptionTree | undefined {
  if (!isPlainObject(input)) {
    const expectation = `${subject(path)} to be a plain object of options`;
    const message = `Expected ${expectation}, got ${describeValue(input)}`;
    issues.push({ code: 'invalid-option', path, message });
    return undefined;
  }
  const shape = new Map(Object.entries(partsOf(section) ?? {}));
  const tree: Record<string, unknown> = {};
  for (const name of Reflect.ownKeys(input)) {
    if (issues.length >= ISSUES_MAX) break;
    const option = shape.get(String(name));
    if (option === undefined || typeof name === 'symbol') {
      issues.push(unknownOption(path, String(name), [...shape.keys()]));
      continue;
    }
    const value = readOption(option, input, name, joinPath(path, name), issues);
    if (value !== undefined) {
      // Only names of the schema get here, so `__proto__` cannot.
      tree[name] = value;
    }
  }
  return tree;
}

/** A value that is safe to keep and to read: lists are copied, objects get an empty stand-in. */
function copyLeaf(value: unknown): unknown {
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    // One more than allowed is enough to refuse a sparse list of any length.
    const length = Math.min(list.length, maxApprovalAgents + 1);
    return Array.from({ length }, (_, index) => withoutObjects(list[index]));
  }
  return withoutObjects(value);
}

function withoutObjects(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) {
    return Array.isArray(value) ? [] : {};
  }
  // JSON has no negative zero: a stored policy must equal the one it was made from.
  return Object.is(value, -0) ? 0 : value;
}

/** Also true for plain objects of another realm; false for instances and for inherited options. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return false;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype !== 'object' || prototype === null) {
    return true;
  }
  return (
    Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'propertyIsEnumerable')
  );
}

function unknownOption(section: string, name: string, siblings: readonly string[]): Issue {
  const path = joinPath(section, name.slice(0, 100));
  const suggestion = suggestPath(section, name, siblings);
  const question = suggestion === undefined ? '' : `. Did you mean \`${suggestion}\`?`;
  return { code: 'unknown-option', path, message: `There is no option \`${path}\`${question}` };
}

/** First a sibling with a similar name; then the same name in another section. */
function suggestPath(
  section: string,
  name: string,
  siblings: readonly string[],
): string | undefined {
  const sibling = closestName(name, siblings);
  if (sibling !== undefined) {
    return joinPath(section, sibling);
  }
  return optionPaths(policySchema).find((path) => path.endsWith(`.${name}`));
}

function subject(path: string): string {
  return path === '' ? 'the policy' : `\`${path}\``;
}
