import type { JournalEntry } from '../../journal/entry.js';
import type { JournalFormat } from '../../journal/format/journal-format.js';
import { formatOf } from '../../journal/read-journal.js';
import type { Run } from '../../run/run.types.js';
import type { RunClaim, RunHeader, RunStore, StoredEntry } from '../../services/run-store.js';
import { memoryStore } from '../../services/memory-store.js';
import type { VirtualClock } from '../../services/virtual-clock.js';
import { virtualClock } from '../../services/virtual-clock.js';
import type { InvariantName } from '../invariants/invariants.js';
import { INVARIANTS } from '../invariants/invariants.js';
import type { Violation } from '../invariants/evidence.js';
import type { FaultKind } from './fault-kinds.js';
import { Ledger } from './ledger.js';
import type { Setting } from './policies.js';
import { Random } from './random.js';
import type { CrashPoint, World } from './world.js';

/** One life of the process that drives the run. A crash ends it, with all of its timers and calls. */
export interface Life {
  readonly number: number;
  readonly timers: Set<unknown>;
  isAlive: boolean;
  /** A write failed: the run is over for this process, and goes on in the store. */
  hasLostStore: boolean;
  run: Run | undefined;
}

/** Where one world is played: its clock, its store, the life that is on, and what was seen. */
export class Stage {
  readonly runId: string;
  readonly world: World;
  readonly setting: Setting;
  readonly clock: VirtualClock = virtualClock();
  store: RunStore = memoryStore();
  /** What was written down, as it was before it was packed for the store. */
  readonly journal: JournalEntry[] = [];
  readonly ledger = new Ledger();
  /** How often each kind of fault happened. */
  readonly fired = new Map<FaultKind, number>();
  /** Every fault that happened, as `kind@where`. */
  readonly faults: string[] = [];
  readonly violations: Violation[] = [];
  readonly lives: Life[] = [];
  /** The right to write, while somebody has it. */
  claim: RunClaim | undefined;
  /** For how long nobody drove the run. */
  downtimeMs = 0;
  #format: JournalFormat | undefined;
  #crashCount = 0;
  #onCrash: (point: CrashPoint) => void = () => undefined;

  constructor(world: World, setting: Setting) {
    this.world = world;
    this.setting = setting;
    this.runId = `run-${world.seed}`;
  }

  get isHealed(): boolean {
    return this.clock.now() >= this.world.healsAtMs;
  }

  get life(): Life | undefined {
    const last = this.lives.at(-1);
    return last?.isAlive === true ? last : undefined;
  }

  /** Dice of this world for one purpose: the same whatever else happens. */
  random(purpose: string): Random {
    return new Random(`${this.world.seed} ${purpose}`);
  }

  /** The fault that happens here, if one does: one of those the world has, by chance. */
  fault(where: string, candidates: readonly FaultKind[], share: number): FaultKind | undefined {
    if (this.isHealed) return undefined;
    const random = this.random(`fault ${where}`);
    const possible = candidates.filter((kind) => this.world.kinds.has(kind));
    const kind = random.chance(share) ? random.pick(possible) : undefined;
    return kind !== undefined && this.happens(kind, where) ? kind : undefined;
  }

  /** Notes a fault, unless this very one is left out. */
  happens(kind: FaultKind, where: string): boolean {
    const name = `${kind}@${where}`;
    if (this.world.omitted.faults.has(name)) return false;
    this.faults.push(name);
    this.fired.set(kind, (this.fired.get(kind) ?? 0) + 1);
    return true;
  }

  expect(isKept: boolean, name: InvariantName, message: string): void {
    if (isKept) return;
    const { number: invariant } = INVARIANTS[name];
    this.violations.push({ name, invariant, sequence: null, message });
  }

  beginLife(onCrash: (point: CrashPoint) => void): Life {
    const life: Life = {
      number: this.lives.length,
      timers: new Set(),
      isAlive: true,
      hasLostStore: false,
      run: undefined,
    };
    this.lives.push(life);
    this.#onCrash = onCrash;
    return life;
  }

  isAlive(lifeNumber: number): boolean {
    return this.lives[lifeNumber]?.isAlive === true;
  }

  /** There is a place for the journal; or another one, with what is left of it. */
  open(store: RunStore, header: RunHeader, entries: readonly StoredEntry[] = []): void {
    this.store = store;
    this.#format = formatOf(header);
    this.journal.length = 0;
    this.#keep(entries);
  }

  /** Writes entries down; false when the process died of it, before or after. */
  write(append: () => void, entries: readonly StoredEntry[]): boolean {
    if (this.crashesAt('before-write')) return false;
    append();
    this.ledger.take(this.#keep(entries).flatMap(({ facts }) => facts));
    return !this.crashesAt('after-write');
  }

  #keep(entries: readonly StoredEntry[]): readonly JournalEntry[] {
    const kept = entries.flatMap((entry) => this.#format?.decode(entry) ?? []);
    this.journal.push(...kept);
    return kept;
  }

  /** Whether the process dies here and now. If so it is dead already. */
  crashesAt(place: CrashPoint['place']): boolean {
    const point = this.world.crashes[this.#crashCount];
    if (point?.place !== place || this.journal.length < point.entry || this.isHealed) return false;
    const kind = point.downtimeMs > 0 ? 'crash-downtime' : 'crash';
    this.#crashCount += 1;
    if (!this.happens(kind, `${place} ${this.journal.length}`)) return false;
    this.#die(point);
    return true;
  }

  /** The life that is on is over, with its timers; what it has written stays. */
  endLife(downtimeMs: number): void {
    const { life } = this;
    if (life === undefined) return;
    life.isAlive = false;
    for (const timer of life.timers) this.clock.clearTimeout(timer);
    life.timers.clear();
    if (this.claim !== undefined) void this.store.release(this.runId, this.claim.token);
    this.downtimeMs += downtimeMs;
  }

  #die(point: CrashPoint): void {
    if (this.life === undefined) return;
    this.endLife(point.downtimeMs);
    this.#onCrash(point);
  }
}
