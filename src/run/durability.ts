import { unknownOptions } from '../closest-name.js';
import type { Issue } from '../errors.js';

/** How a process owns its runs in a store, and when another process may claim them. */
export interface DurabilityOptions {
  /**
   * How long a lease lasts after its last renewal. One lease covers all runs of a process; it is renewed three times
   * within that time. The runs of a dead process can be claimed when its lease has ended.
   *
   * @default 30_000
   */
  readonly leaseMs?: number;
  /**
   * How often a process polls for commands from other processes: one query for all its runs. A store with notifications
   * is polled ten times less often.
   *
   * @default 1_000
   */
  readonly pollMs?: number;
  /**
   * How long a command to a run in another process waits for the owner's answer. After that the command is durable, and
   * is handled when the owner reads it.
   *
   * @default 10_000
   */
  readonly answerMs?: number;
  /**
   * How long a run keeps its unsaved events and retries while its store cannot be reached. Commands are refused during
   * that time. Afterwards this process gives the run up.
   *
   * @default leaseMs
   */
  readonly storeRetryMs?: number;
}

export type Durability = Required<DurabilityOptions>;

const defaultDurability: Durability = {
  leaseMs: 30_000,
  pollMs: 1_000,
  answerMs: 10_000,
  storeRetryMs: 30_000,
};

/** The options with their defaults. */
export const durabilityOf = (options: DurabilityOptions = {}): Durability => ({
  ...defaultDurability,
  storeRetryMs: options.leaseMs ?? defaultDurability.leaseMs,
  ...definedOnly(options),
});

const definedOnly = (options: DurabilityOptions): DurabilityOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

const LEAST: Durability = { leaseMs: 10, pollMs: 1, answerMs: 0, storeRetryMs: 0 };
/** Upper limits: a lease or a poll interval of a day is a mistake in the unit. */
const MOST: Durability = {
  leaseMs: 86_400_000,
  pollMs: 86_400_000,
  answerMs: 86_400_000,
  storeRetryMs: 86_400_000,
};

export const durabilityIssues = (options: unknown): Issue[] => {
  if (options === undefined) return [];
  if (typeof options !== 'object' || options === null) {
    return [{ code: 'invalid-option', path: 'durability', message: 'Expected an object' }];
  }
  const known = Object.keys(defaultDurability);
  const unknown = unknownOptions(options, known, 'durability');
  if (unknown.length > 0) return unknown;
  return Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    const path = `durability.${name}`;
    const [least, most] = [LEAST[name as keyof Durability], MOST[name as keyof Durability]];
    if (value === undefined || isWhole(value, least, most)) return [];
    const message = `Expected a whole number from ${least} to ${most}, got ${typeof value === 'number' ? value : typeof value}`;
    return [{ code: 'invalid-option', path, message }];
  });
};

export const isWhole = (value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): boolean =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
