import type { FaultKind } from './fault-kinds.js';
import type { Random } from './random.js';
import type { Stage } from './stage.js';

/** Somebody was asked something. */
export interface Asked {
  readonly key: string;
  readonly signal: AbortSignal;
  readonly fault: FaultKind | undefined;
  readonly random: Random;
}

/** A promise that nobody keeps. */
export const never = (): Promise<never> => new Promise(() => undefined);

/** What is said instead of the right thing. */
const GARBAGE: Readonly<Partial<Record<FaultKind, (stage: Stage, random: Random) => unknown>>> = {
  'agent-rejects': (_, random) => rejection(random),
  'agent-silent': () => undefined,
  'agent-floods': ({ setting }) => ({ text: 'x'.repeat(setting.policy.limits.maxOutputBytes) }),
  'agent-misshapen': () => '{"by": "wor',
  'agent-unserializable': () => ({ count: 1n, seen: new Map() }),
  'agent-cyclic': () => circular(),
};

/**
 * Answers a call as its fault will have it, or after a while with what is right. Here the world sees every call: who was
 * asked under which key, in which life, and whether it was asked before.
 */
export const answer = (stage: Stage, asked: Asked, right: () => unknown): unknown => {
  if (stage.crashesAt('in-call')) return never();
  const { key, fault, random, signal } = asked;
  const settle = watch(stage, key, signal);
  if (fault === 'agent-hangs') return never();
  if (fault === 'agent-throws') {
    settle();
    throw new TypeError('Thrown before there was a promise');
  }
  const garbage = fault === undefined ? undefined : GARBAGE[fault];
  const value = garbage === undefined ? right : () => garbage(stage, random);
  return after(stage, delayOf(stage, random, fault), value, settle);
};

/** Nobody is asked before that is written down; whoever was answered is never asked again, and nobody twice in one life. */
const watch = (stage: Stage, key: string, signal: AbortSignal): (() => void) => {
  const { ledger } = stage;
  const life = stage.lives.length - 1;
  const call = { life, signal, isSettled: false };
  const isDurable = ledger.intended.has(key);
  stage.expect(isDurable, 'causes-first', `${key} is called before that is written down`);
  const before = ledger.seen(key, call);
  const isNew = !ledger.answered.has(key) && before.every((other) => other.life !== life);
  stage.expect(isNew, 'calls-once', `${key} is called again, and was answered or is still out`);
  return () => {
    call.isSettled = true;
  };
};

const after = async (
  stage: Stage,
  delayMs: number,
  value: () => unknown,
  settle: () => void,
): Promise<unknown> => {
  if (delayMs > 0) await stage.clock.sleep(delayMs);
  settle();
  return value();
};

/** Mostly quick, sometimes at once, sometimes slow. A healed world does not dawdle. */
const delayOf = (stage: Stage, random: Random, fault: FaultKind | undefined): number => {
  if (fault === 'agent-late') return timeoutMs(stage) + 5;
  if (fault === 'agent-on-the-tick') return timeoutMs(stage);
  if (stage.isHealed) return random.integer(0, 5);
  return random.integer(0, random.pick([0, 10, 100, 900], 0));
};

const timeoutMs = ({ setting: { policy } }: Stage): number =>
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
