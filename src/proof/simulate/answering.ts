import type { FaultKind } from './fault-kinds.js';
import type { Life } from './life.js';
import type { Random } from './random.js';
import type { Environment } from './environment.js';

/** One call of an agent or a role. */
export interface Asked {
  readonly key: string;
  readonly signal: AbortSignal;
  readonly fault: FaultKind | undefined;
  readonly random: Random;
}

/** A promise that never settles. */
export const never = (): Promise<never> => new Promise(() => undefined);

/** Invalid answers by kind of fault. */
const GARBAGE: Readonly<
  Partial<Record<FaultKind, (environment: Environment, random: Random) => unknown>>
> = {
  'agent-rejects': (_, random) => rejection(random),
  'agent-silent': () => undefined,
  'agent-floods': ({ setting }) => ({ text: 'x'.repeat(setting.policy.limits.maxOutputBytes) }),
  'agent-misshapen': () => '{"by": "wor',
  'agent-unserializable': () => ({ count: 1n, seen: new Map() }),
  'agent-cyclic': () => circular(),
};

/**
 * Answers a call according to its fault, or correctly after a while. The simulation records every call here: its key,
 * its process, and whether it was made before.
 */
export const answer = (environment: Environment, asked: Asked, right: () => unknown): unknown => {
  const { caller: life } = environment;
  if (life === undefined || environment.crashesAt('in-call', life)) return never();
  const { key, fault, random, signal } = asked;
  const settle = watch(environment, life, key, signal);
  if (fault === 'agent-hangs') return never();
  if (fault === 'agent-throws') {
    settle();
    throw new TypeError('Thrown before there was a promise');
  }
  const garbage = fault === undefined ? undefined : GARBAGE[fault];
  const value = garbage === undefined ? right : () => garbage(environment, random);
  return after(life, delayOf(environment, random, fault), value, settle);
};

/**
 * A call is durable before it is made. A call whose answer is durable is never made again, by any process, and no owner
 * makes one twice.
 */
const watch = (
  environment: Environment,
  life: Life,
  key: string,
  signal: AbortSignal,
): (() => void) => {
  const { ledger } = environment;
  const call = { life: life.number, claim: life.claims, signal, isSettled: false };
  const isDurable = ledger.intended.has(key);
  environment.expect(
    isDurable,
    'told-implies-durable',
    `${key} is called before its entry is durable`,
  );
  const before = ledger.seen(key, call);
  const isOpen = !ledger.answered.has(key);
  environment.expect(
    isOpen,
    'answered-once',
    `life ${life.number} calls ${key}, which was answered`,
  );
  const isNew = before.every((other) => other.life !== call.life || other.claim !== call.claim);
  environment.expect(isNew, 'calls-once', `${key} is called again by the same owner`);
  return () => {
    call.isSettled = true;
  };
};

/** The answer reaches the calling process, unless it has died. */
const after = (
  life: Life,
  delayMs: number,
  value: () => unknown,
  settle: () => void,
): Promise<unknown> =>
  new Promise((resolve) => {
    const arrive = (): void => {
      settle();
      resolve(new Promise((answer) => answer(value())));
    };
    if (delayMs > 0) life.after(delayMs, arrive);
    else arrive();
  });

/** Mostly quick, sometimes immediate, sometimes slow. Healed worlds answer quickly. */
const delayOf = (
  environment: Environment,
  random: Random,
  fault: FaultKind | undefined,
): number => {
  if (fault === 'agent-late') return timeoutMs(environment) + 5;
  if (fault === 'agent-on-the-tick') return timeoutMs(environment);
  if (environment.isHealed) return random.integer(0, 5);
  return random.integer(0, random.pick([0, 10, 100, 900], 0));
};

const timeoutMs = ({ setting: { policy } }: Environment): number =>
  policy.time.stepTimeoutMs ?? policy.time.limitMs;

const rejection = (random: Random): Promise<never> => {
  const reason: unknown = random.pick([undefined, null, 0, '', Symbol('s'), {}, circular()]);
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- that is the fault
  return Promise.reject(reason);
};

const circular = (): unknown => {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
};
