import { PlanwrightError } from '../../errors.js';
import { toFailure } from '../../failure.js';

/*
 * The assertions of the contract. They need neither Node nor a test framework, so they work in any runner and in a
 * browser.
 */

/** Throws unless both are the same JSON; undefined members count as missing. */
export function expectSame(what: string, actual: unknown, expected: unknown): void {
  const difference = firstDifference(actual, expected, '');
  if (difference !== undefined) throw new Error(`${what}: ${difference}`);
}

/** Throws unless the work is refused with an error of this package with this code. */
export async function expectRefused(
  what: string,
  code: string,
  work: () => unknown,
): Promise<void> {
  const outcome = await outcomeOf(work);
  if (outcome.ok)
    throw new Error(`${what}: expected a refusal with code '${code}', but it was accepted`);
  expectCode(what, code, outcome.error);
}

function expectCode(what: string, code: string, error: unknown): void {
  if (PlanwrightError.isInstance(error) && error.code === code) return;
  const { name, message } = toFailure(error);
  throw new Error(`${what}: expected a refusal with code '${code}', got ${name}: ${message}`, {
    cause: error,
  });
}

/** Throws unless the work throws an error of this class. */
export async function expectThrown(
  what: string,
  type: new (message: string) => Error,
  work: () => unknown,
): Promise<void> {
  const outcome = await outcomeOf(work);
  if (outcome.ok) throw new Error(`${what}: expected a ${type.name}, but it was accepted`);
  if (!(outcome.error instanceof type)) {
    throw new Error(`${what}: expected a ${type.name}, got ${toFailure(outcome.error).name}`);
  }
}

/** Throws unless the condition holds. */
export function expectThat(what: string, holds: boolean): void {
  if (!holds) throw new Error(what);
}

/** How many of the attempts were accepted; every other one must be refused with this code. */
export async function countAccepted(
  what: string,
  code: string,
  attempts: readonly (() => unknown)[],
): Promise<number> {
  const outcomes = await Promise.all(attempts.map(outcomeOf));
  let accepted = 0;
  for (const outcome of outcomes) {
    if (outcome.ok) accepted += 1;
    else expectCode(what, code, outcome.error);
  }
  return accepted;
}

type Outcome = { readonly ok: true } | { readonly ok: false; readonly error: unknown };

/** A store may throw synchronously or return a promise that rejects; both are a refusal. */
async function outcomeOf(work: () => unknown): Promise<Outcome> {
  try {
    await work();
    return { ok: true };
  } catch (error) {
    return { ok: false, error };
  }
}

function firstDifference(actual: unknown, expected: unknown, path: string): string | undefined {
  if (Object.is(actual, expected)) return undefined;
  if (
    !isObject(actual) ||
    !isObject(expected) ||
    Array.isArray(actual) !== Array.isArray(expected)
  ) {
    const place = path === '' ? '' : ` at ${path}`;
    return `expected ${shown(expected)}${place}, got ${shown(actual)}`;
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const difference = firstDifference(actual[key], expected[key], `${path}/${key}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const SHOWN_CHARACTERS_MAX = 300;

const shown = (value: unknown): string => {
  const text = value === undefined ? 'undefined' : JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}...` : text;
};
