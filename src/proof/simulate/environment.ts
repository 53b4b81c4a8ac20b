import { StoreUnavailableError } from '../../errors.js';
import type { JournalEntry } from '../../journal/entry.js';
import type { Fact } from '../../model/facts.js';
import type { CommandResult } from '../../run/run.types.js';
import type { InvariantName } from '../../testing/invariants/invariants.js';
import { INVARIANTS } from '../../testing/invariants/invariants.js';
import type { Violation } from '../../testing/invariants/evidence.js';
import type { VirtualClock } from '../../testing/virtual-clock.js';
import { virtualClock } from '../../testing/virtual-clock.js';
import type { FaultKind } from './fault-kinds.js';
import { Ledger } from './ledger.js';
import { Life } from './life.js';
import type { Setting } from './policies.js';
import { Random } from './random.js';
import { Truth } from './truth.js';
import type { CrashPoint, World } from './world.js';

/** The maximum error of a simulated machine's clock, in both directions. */
const SKEW_MS = 10_000;

/** The environment of one simulated world: its clock, store, processes, and observations. */
export class Environment {
  readonly runId: string;
  readonly world: World;
  readonly setting: Setting;
  readonly clock: VirtualClock = virtualClock();
  readonly ledger = new Ledger();
  readonly truth: Truth;
  /** How often each kind of fault happened. */
  readonly fired = new Map<FaultKind, number>();
  /** Every fault that happened, as `kind@where`. */
  readonly faults: string[] = [];
  readonly violations: Violation[] = [];
  readonly lives: Life[] = [];
  /** The process whose agent is being called. */
  caller: Life | undefined;
  /** How long no process could drive the run: this time does not count against its deadlines. */
  downtimeMs = 0;
  deaths = 0;
  sleepAtNextWriteMs: number | undefined;
  /** Facts delivered to subscribers, by position. */
  readonly told = new Map<number, Fact>();
  /** Accepted commands to the owner's own process. */
  acceptedAnswers = 0;
  /** Answers to commands through the store. */
  readonly answers = new Map<string, CommandResult>();
  /** The true time of the end. */
  endedAtMs = 0;
  /** Planted bug: leases use the caller's clock, although the store has one. */
  readonly #trustsCallers: boolean;
  /** A store without a clock is used on one machine: all processes share its clock. */
  #machineOffsetMs = 0;
  #crashCount = 0;
  #onCrash: (life: Life, point: CrashPoint) => void = () => undefined;

  constructor(world: World, setting: Setting, trustsCallers = false) {
    this.world = world;
    this.setting = setting;
    this.runId = `run-${world.seed}`;
    this.truth = new Truth(this);
    this.#trustsCallers = trustsCallers;
  }

  get isHealed(): boolean {
    return this.clock.now() >= this.world.healsAtMs;
  }

  /** The process that drives the run, according to the store, when it is awake. */
  get driving(): Life | undefined {
    const { owner } = this.truth;
    return owner?.isAwake === true && owner.run !== undefined ? owner : undefined;
  }

  /** Random choices of this world for one purpose, independent of all others. */
  random(purpose: string): Random {
    return new Random(`${this.world.seed} ${purpose}`);
  }

  /** The random fault at this point, if any, among those of the world. */
  fault(where: string, candidates: readonly FaultKind[], share: number): FaultKind | undefined {
    const kind = this.draw(where, candidates, share);
    if (kind !== undefined) this.note(kind, where);
    return kind;
  }

  /** Like `fault`, for one that may not happen in the end: `note` records that it did. */
  draw(where: string, candidates: readonly FaultKind[], share: number): FaultKind | undefined {
    if (this.isHealed) return undefined;
    const possible = candidates.filter((kind) => this.world.kinds.has(kind));
    if (possible.length === 0) return undefined;
    const random = this.random(`fault ${where}`);
    const kind = random.chance(share) ? random.pick(possible) : undefined;
    return kind !== undefined && this.#isOmitted(kind, where) ? undefined : kind;
  }

  /** Records a fault, unless this one is left out. */
  happens(kind: FaultKind, where: string): boolean {
    if (this.#isOmitted(kind, where)) return false;
    this.note(kind, where);
    return true;
  }

  note(kind: FaultKind, where: string): void {
    this.faults.push(`${kind}@${where}`);
    this.fired.set(kind, (this.fired.get(kind) ?? 0) + 1);
  }

  expect(isKept: boolean, name: InvariantName, message: string): void {
    if (isKept) return;
    const { number: invariant } = INVARIANTS[name];
    this.violations.push({ name, invariant, sequence: null, message });
  }

  /** Calls an agent on behalf of a process. */
  called<Answer>(life: Life, call: () => Answer): Answer {
    this.caller = life;
    return call();
  }

  onCrash(listener: (life: Life, point: CrashPoint) => void): void {
    this.#onCrash = listener;
  }

  beginLife(): Life {
    const number = this.lives.length;
    const life = new Life(number, this.clock, this.#offsetOf(number));
    this.lives.push(life);
    return life;
  }

  /** The time that decides about leases: the store's own, where it has a clock. */
  storeTime(now: number): number {
    return this.world.hasStoreClock && !this.#trustsCallers ? this.clock.now() : now;
  }

  /** The correct time for leases. */
  get fairTime(): number {
    return this.clock.now() + (this.world.hasStoreClock ? 0 : this.#machineOffsetMs);
  }

  /** Sets the clock of a machine forward: of one, or of the only one. */
  jump(life: Life, forwardMs: number): void {
    const noticedAfterMs = this.random(`jump of life ${life.number}`).integer(0, 1_000);
    const lives = this.world.hasStoreClock ? [life] : this.lives;
    if (!this.world.hasStoreClock) this.#machineOffsetMs += forwardMs;
    this.delayed(forwardMs + noticedAfterMs);
    for (const each of lives) each.jump(forwardMs, noticedAfterMs);
  }

  putToSleep(life: Life, durationMs: number): void {
    if (!this.happens('process-sleeps', `life ${life.number} for ${durationMs} ms`)) return;
    this.delayed(durationMs + 2 * this.world.leaseMs);
    life.sleep(durationMs);
  }

  /** Whether a process falls asleep right after it stored an intent. */
  sleepsAtWrite(life: Life, written: readonly JournalEntry[]): boolean {
    const { sleepAtNextWriteMs: durationMs } = this;
    if (durationMs === undefined || this.isHealed || !life.isAwake) return false;
    if (written.every(({ intents }) => intents.length === 0)) return false;
    this.sleepAtNextWriteMs = undefined;
    this.putToSleep(life, durationMs);
    return !life.isAwake;
  }

  /** How long requests fail because the store is unreachable; undefined while it is reachable. */
  outage(): number | undefined {
    const { outage } = this.world;
    if (outage === undefined || this.isHealed) return undefined;
    const now = this.clock.now();
    if (now < outage.fromMs || now >= outage.fromMs + outage.durationMs) return undefined;
    const isFirst = !this.fired.has('store-away');
    if (isFirst && !this.happens('store-away', `${outage.durationMs} ms`)) return undefined;
    if (isFirst) this.delayed(2 * outage.durationMs + 4_000);
    return 20;
  }

  /** The store was unreachable, and may be retried. */
  outcomeIsUnknown(error: unknown): boolean {
    return StoreUnavailableError.isInstance(error);
  }

  /** Adds time that does not count against the run. */
  delayed(durationMs: number): void {
    this.downtimeMs += durationMs;
  }

  /** Whether the process crashes here. If so it is dead already. */
  crashesAt(place: CrashPoint['place'], life: Life): boolean {
    const point = this.world.crashes[this.#crashCount];
    const { length } = this.truth.journal;
    if (point?.place !== place || length < point.entry || this.isHealed || !life.isAlive)
      return false;
    const kind = point.downtimeMs > 0 ? 'crash-downtime' : 'crash';
    this.#crashCount += 1;
    if (!this.happens(kind, `${place} ${length}`)) return false;
    this.deaths += 1;
    this.endLife(life, point.downtimeMs);
    this.#onCrash(life, point);
    return true;
  }

  /** Ends a process with its timers; its entries stay. */
  endLife(life: Life, downtimeMs: number): void {
    life.end();
    this.delayed(downtimeMs);
    if (this.world.hasFleet) this.delayed(2 * this.world.leaseMs);
    else this.truth.releaseAll(this.runId);
  }

  #offsetOf(number: number): number {
    if (!this.world.hasStoreClock) return this.#machineOffsetMs;
    const where = `life ${number}`;
    const isSkewed = this.fault(where, ['clock-skewed'], 0.8) !== undefined;
    const offsetMs = isSkewed ? this.random(`skew of ${where}`).integer(-SKEW_MS, SKEW_MS) : 0;
    // The journal has the times of its owner's clock: the clock of the next owner may be behind.
    this.delayed(2 * Math.abs(offsetMs));
    return offsetMs;
  }

  #isOmitted(kind: FaultKind, where: string): boolean {
    return this.world.omitted.faults.has(`${kind}@${where}`);
  }
}
