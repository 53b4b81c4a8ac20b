import type { FaultKind } from './fault-kinds.js';
import { ALL_FAULT_KINDS, STORE_FAULTS } from './fault-kinds.js';
import { Random } from './random.js';

/** What a world leaves out, to find out whether it still goes wrong without it. */
export interface Omissions {
  /** Whole kinds of faults. */
  readonly kinds?: readonly FaultKind[] | undefined;
  /** Single faults, as the trace names them: `agent-hangs@run-7/s1/1/worker`. */
  readonly faults?: readonly string[] | undefined;
  /** Steps, by the place they would have had in every plan, from 0. */
  readonly steps?: readonly number[] | undefined;
}

/** When a process dies: at its `entry`th entry in all, at one of three places, and for how long it stays away. */
export interface CrashPoint {
  readonly entry: number;
  readonly place: 'before-write' | 'after-write' | 'in-call';
  readonly downtimeMs: number;
}

/** What a person does, and when. */
export interface Errand {
  readonly kind: FaultKind;
  readonly atMs: number;
}

/** Everything about a world that is known before it begins. The rest follows from its seed, name by name. */
export interface World {
  readonly seed: number;
  /** The faults there are in it. */
  readonly kinds: ReadonlySet<FaultKind>;
  /** From here on nothing goes wrong any more, and people do what they are asked. */
  readonly healsAtMs: number;
  readonly crashes: readonly CrashPoint[];
  readonly errands: readonly Errand[];
  readonly omitted: {
    readonly faults: ReadonlySet<string>;
    readonly steps: ReadonlySet<number>;
  };
}

/** Things people do of their own accord. */
const ERRANDS: readonly FaultKind[] = [
  'person-pauses',
  'person-skips',
  'person-extends',
  'person-speaks',
  'person-aborts',
  'human-unknown',
  'commands-flood',
  'commands-malformed',
];

/** Faults after which little else happens are rarer than others. */
const SHARES: Readonly<Partial<Record<FaultKind, number>>> = {
  'time-short': 0.25,
  'time-endless': 0.2,
  'person-aborts': 0.3,
  'planner-fails': 0.5,
};

/** Kinds that came later have dice of their own: the worlds there were before stay as they were, but for them. */
const BY_NAME: ReadonlySet<FaultKind> = new Set(STORE_FAULTS);

/** Makes a world of a seed. */
export const worldOf = (seed: number, omissions: Omissions = {}): World => {
  const random = new Random(`world ${seed}`);
  const without = new Set<FaultKind>(omissions.kinds);
  const share = random.pick([0.1, 0.25, 0.5, 0.8], 0.5);
  // Drawn before anything is left out, so that the rest of the world stays as it was.
  const drawn = ALL_FAULT_KINDS.filter((kind) => {
    const dice = BY_NAME.has(kind) ? new Random(`world ${seed} ${kind}`) : random;
    return dice.chance(share * (SHARES[kind] ?? 1));
  });
  const kinds = new Set(drawn.filter((kind) => !without.has(kind)));
  const healsAtMs = random.pick([400, 2_000, 8_000, 60_000], 400);
  return {
    seed,
    kinds,
    healsAtMs,
    crashes: crashesOf(random, kinds),
    errands: errandsOf(random, kinds),
    omitted: { faults: new Set(omissions.faults), steps: new Set(omissions.steps) },
  };
};

const crashesOf = (random: Random, kinds: ReadonlySet<FaultKind>): CrashPoint[] => {
  const count = random.pick([1, 1, 2, 3], 1);
  const points = Array.from({ length: count }, (): CrashPoint => ({
    entry: random.integer(0, 12),
    place: random.pick(['before-write', 'after-write', 'in-call'] as const, 'after-write'),
    downtimeMs: random.pick([1, 500, 3_000, 100_000], 1),
  }));
  if (kinds.has('crash-downtime')) return points;
  return kinds.has('crash') ? points.map((point) => ({ ...point, downtimeMs: 0 })) : [];
};

const errandsOf = (random: Random, kinds: ReadonlySet<FaultKind>): Errand[] => {
  const errands = ERRANDS.flatMap((kind): Errand[] => {
    const times = Array.from({ length: random.integer(1, 2) }, () => errandTime(random));
    return times.map((atMs) => ({ kind, atMs }));
  });
  return errands.filter(({ kind }) => kinds.has(kind)).sort((a, b) => a.atMs - b.atMs);
};

/** Early and close together: most runs are short. */
const errandTime = (random: Random): number =>
  random.integer(0, random.pick([0, 200, 1_000, 4_000], 0));
