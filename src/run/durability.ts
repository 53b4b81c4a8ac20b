import type { Issue } from '../errors.js';

/** How runs in a store are held, and when somebody else may take them. */
export interface DurabilityOptions {
  /**
   * How long a run belongs to the process that runs it after it was last heard of. Renewed three times within that
   * time while the run lives; a dead process's runs are free when it is over.
   *
   * @default 30_000
   */
  readonly leaseMs?: number;
  /**
   * How often a run looks for commands from other processes, where the store cannot tell that there are some.
   *
   * @default 1_000
   */
  readonly pollMs?: number;
  /**
   * How long a command to a run elsewhere waits for the answer of its owner. After that it is known to be durable, and
   * nothing more.
   *
   * @default 10_000
   */
  readonly answerMs?: number;
}

export type Durability = Required<DurabilityOptions>;

export const defaultDurability: Durability = {
  leaseMs: 30_000,
  pollMs: 1_000,
  answerMs: 10_000,
};

const LEAST: Durability = { leaseMs: 10, pollMs: 1, answerMs: 0 };
/** A lease or a pause of a day is a mistake in the unit. */
const MOST: Durability = {
  leaseMs: 86_400_000,
  pollMs: 86_400_000,
  answerMs: 86_400_000,
};

export const durabilityIssues = (options: unknown): Issue[] => {
  if (options === undefined) return [];
  if (typeof options !== 'object' || options === null) {
    return [{ code: 'invalid-option', path: 'durability', message: 'Expected an object' }];
  }
  return Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    const path = `durability.${name}`;
    if (!Object.hasOwn(defaultDurability, name)) {
      return [{ code: 'unknown-option', path, message: 'There is no such option' }];
    }
    const [least, most] = [LEAST[name as keyof Durability], MOST[name as keyof Durability]];
    if (value === undefined || isWhole(value, least, most)) return [];
    const message = `Expected a whole number from ${least} to ${most}, got ${typeof value === 'number' ? value : typeof value}`;
    return [{ code: 'invalid-option', path, message }];
  });
};

const isWhole = (value: unknown, least: number, most: number): boolean =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
