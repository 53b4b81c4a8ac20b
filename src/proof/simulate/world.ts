import type { FaultKind } from './fault-kinds.js';
import { ALL_FAULT_KINDS, EDGE_FAULTS } from './fault-kinds.js';
import { Random } from './random.js';

/** What a world leaves out, to test whether it still fails without it. */
export interface Omissions {
  /** Whole kinds of faults. */
  readonly kinds?: readonly FaultKind[] | undefined;
  /** Single faults, as the trace names them: `agent-hangs@run-7/s1/1/worker`. */
  readonly faults?: readonly string[] | undefined;
  /** Steps, by their position in every plan, from 0. */
  readonly steps?: readonly number[] | undefined;
}

/** When a process crashes: at its `entry`th entry, at one of three places, and for how long it stays down. */
export interface CrashPoint {
  readonly entry: number;
  readonly place: 'before-write' | 'after-write' | 'in-call';
  readonly downtimeMs: number;
}

/** A timed action of a person. */
export interface PersonAction {
  readonly kind: FaultKind;
  readonly atMs: number;
}

/** When the store cannot be reached. */
export interface Outage {
  readonly fromMs: number;
  readonly durationMs: number;
}

/** A timed event with a duration. */
export interface Moment {
  readonly atMs: number;
  readonly durationMs: number;
}

/**
 * Long where there is one process at a time, because every renewal is a timer: a process that crashes releases its
 * runs.
 */
const LONG_LEASE_MS = 86_400_000;

/** Short where processes take over from each other. */
const SHORT_LEASE_MS = 3_000;

/** How long a process retries an unreachable store. */
export const STORE_RETRY_MS = 3_000;

/** Everything about a world that is known before it starts. The rest follows from its seed, name by name. */
export interface World {
  readonly seed: number;
  /** The kinds of faults in it. */
  readonly kinds: ReadonlySet<FaultKind>;
  /** From here on no fault happens, and people answer. */
  readonly healsAtMs: number;
  readonly crashes: readonly CrashPoint[];
  readonly actions: readonly PersonAction[];
  /** The store has its own clock, as a database server has. Otherwise all processes are on one machine. */
  readonly hasStoreClock: boolean;
  /** Several processes, with short leases; otherwise one at a time. */
  readonly hasFleet: boolean;
  readonly leaseMs: number;
  readonly outage: Outage | undefined;
  /** When the owner of the run sleeps, and for how long. */
  readonly sleeps: readonly Moment[];
  /** When the clock of the run's owner is set forward, and by how much. */
  readonly jumps: readonly Moment[];
  readonly omitted: {
    readonly faults: ReadonlySet<string>;
    readonly steps: ReadonlySet<number>;
  };
}

/** Actions that people take unasked. */
const PERSON_ACTIONS: readonly FaultKind[] = [
  'person-pauses',
  'person-skips',
  'person-extends',
  'person-speaks',
  'person-aborts',
  'human-unknown',
  'commands-flood',
  'commands-malformed',
];

/** Faults that end most other activity are rarer. */
const SHARES: Readonly<Partial<Record<FaultKind, number>>> = {
  'time-short': 0.25,
  'time-endless': 0.2,
  'person-aborts': 0.3,
  'planner-fails': 0.5,
  'second-process': 0.4,
  'process-sleeps': 0.4,
  'store-away': 0.5,
};

/** Kinds that were added later have separate random choices, so that the earlier worlds stay the same. */
const BY_NAME: ReadonlySet<FaultKind> = new Set(EDGE_FAULTS);

/** Makes a world from a seed. */
export const worldOf = (seed: number, omissions: Omissions = {}): World => {
  const random = new Random(`world ${seed}`);
  const without = new Set<FaultKind>(omissions.kinds);
  const share = random.pick([0.1, 0.25, 0.5, 0.8], 0.5);
  // Drawn before anything is left out, so that the rest of the world stays the same.
  const drawn = ALL_FAULT_KINDS.filter((kind) => {
    const dice = BY_NAME.has(kind) ? new Random(`world ${seed} ${kind}`) : random;
    return dice.chance(share * (SHARES[kind] ?? 1));
  });
  const kinds = new Set(drawn.filter((kind) => !without.has(kind)));
  const healsAtMs = random.pick([400, 2_000, 8_000, 60_000], 400);
  // A timer every second would take too long where a call may take a month.
  const hasFleet =
    !kinds.has('time-endless') && (kinds.has('second-process') || kinds.has('process-sleeps'));
  return {
    seed,
    kinds,
    healsAtMs,
    crashes: crashesOf(random, kinds),
    actions: actionsOf(random, kinds),
    hasFleet,
    leaseMs: hasFleet ? SHORT_LEASE_MS : LONG_LEASE_MS,
    ...edgesOf(seed, kinds, healsAtMs),
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

const actionsOf = (random: Random, kinds: ReadonlySet<FaultKind>): PersonAction[] => {
  const actions = PERSON_ACTIONS.flatMap((kind): PersonAction[] => {
    const times = Array.from({ length: random.integer(1, 2) }, () => actionTime(random));
    return times.map((atMs) => ({ kind, atMs }));
  });
  return actions.filter(({ kind }) => kinds.has(kind)).sort((a, b) => a.atMs - b.atMs);
};

/** Faults of clocks, store and processes, with separate random choices. */
const edgesOf = (
  seed: number,
  kinds: ReadonlySet<FaultKind>,
  healsAtMs: number,
): Pick<World, 'hasStoreClock' | 'outage' | 'sleeps' | 'jumps'> => {
  const random = new Random(`edges ${seed}`);
  const hasStoreClock = random.chance(0.7);
  const fromMs = actionTime(random);
  const longestMs = Math.max(0, healsAtMs - fromMs);
  const durationMs = Math.min(longestMs, random.pick([200, 1_000, 2_500, 7_000], 200));
  const atTimes = (kind: FaultKind, lengths: readonly number[]): Moment[] => {
    const moments = Array.from({ length: random.integer(1, 2) }, () => ({
      atMs: actionTime(random),
      durationMs: random.pick(lengths, 0),
    }));
    return kinds.has(kind) ? moments : [];
  };
  return {
    hasStoreClock,
    outage: kinds.has('store-away') ? { fromMs, durationMs } : undefined,
    sleeps: atTimes('process-sleeps', [1_000, 5_000, 7_000, 9_000]),
    jumps: atTimes('clock-jumps', [600, 3_000, 20_000, 3_600_000]),
  };
};

/** Early and close together: most runs are short. */
const actionTime = (random: Random): number =>
  random.integer(0, random.pick([0, 200, 1_000, 4_000], 0));
