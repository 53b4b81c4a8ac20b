import type { Orchestrator } from '../../orchestrator/create-orchestrator.js';
import type { Run } from '../../run/run.types.js';
import type { Clock } from '../../services/clock.js';
import { effectiveDelayMs } from '../../services/clock.js';
import type { VirtualClock } from '../../testing/virtual-clock.js';

interface LifeTimer {
  readonly callback: () => void;
  /** By the clock of the process. */
  readonly dueMs: number;
  handle: unknown;
}

/** A read of the inbox: everything in the store by then is known. */
export interface Look {
  /** Its position among all requests to the store. */
  readonly place: number;
  /** When it was sent, by the clock of the process. */
  readonly sentAtMs: number;
}

/** An entry that a process writes, however often it sends it. */
export interface Writing {
  readonly sequence: number;
  readonly token: number | undefined;
  /** When it was first sent, by the clock of the process; the entry has this time plus the journal's lead. */
  readonly sentAtMs: number;
  /** How many reads of the inbox were answered before that. */
  readonly lookCount: number;
}

/**
 * One process of a simulated world. A crash ends it with its timers and calls. While it sleeps (SIGSTOP) nothing of it
 * runs: due timers and arriving answers wait until it wakes.
 */
export class Life {
  readonly number: number;
  readonly clock: Clock;
  readonly #world: VirtualClock;
  readonly #timers = new Set<LifeTimer>();
  /** Timers and answers that came while the process slept. */
  #missed: (() => void)[] = [];
  #isAsleep = false;
  isAlive = true;
  /** How far the clock of this process is ahead of the true time. */
  offsetMs: number;
  /** How long it has slept in all. */
  sleptMs = 0;
  /** The part of its clock jumps that its timers have not followed yet. */
  unnoticedMs = 0;
  orchestrator: Orchestrator | undefined;
  run: Run | undefined;
  /** Its latest append. */
  writing: Writing | undefined;
  /** Its answered reads of the inbox. */
  readonly looks: Look[] = [];
  /** How often it has claimed the run. */
  claims = 0;
  /** When, by its clock, requests failed whose outcome it still waits for. */
  failures: { readonly method: string; readonly atMs: number }[] = [];

  constructor(number: number, world: VirtualClock, offsetMs: number) {
    this.number = number;
    this.#world = world;
    this.offsetMs = offsetMs;
    this.clock = {
      now: () => world.now() + this.offsetMs,
      setTimeout: (callback, delayMs) => this.#setTimeout(callback, effectiveDelayMs(delayMs)),
      clearTimeout: (timer) => {
        const known = timer as LifeTimer;
        if (this.#timers.delete(known)) world.clearTimeout(known.handle);
      },
    };
  }

  get isAwake(): boolean {
    return this.isAlive && !this.#isAsleep;
  }

  get timerCount(): number {
    return this.#timers.size;
  }

  /** Runs a continuation of the process: when it is due, or when the process wakes; never after its crash. */
  after(delayMs: number, callback: () => void): void {
    this.#world.setTimeout(() => this.#enter(callback), delayMs);
  }

  /** An entry is sent, for the first time or again. */
  writes(sequence: number, token: number | undefined): Writing {
    const { writing, looks } = this;
    if (writing?.sequence === sequence && writing.token === token) return writing;
    this.writing = { sequence, token, sentAtMs: this.clock.now(), lookCount: looks.length };
    return this.writing;
  }

  end(): void {
    this.isAlive = false;
    for (const { handle } of this.#timers) this.#world.clearTimeout(handle);
    this.#timers.clear();
    this.#missed = [];
  }

  /** Nothing runs for a while. */
  sleep(durationMs: number): void {
    this.#isAsleep = true;
    this.#world.setTimeout(() => {
      this.#isAsleep = false;
      this.sleptMs += durationMs;
      const missed = this.#missed;
      this.#missed = [];
      // One by one, as an event loop would.
      for (const callback of missed) this.after(0, callback);
    }, durationMs);
  }

  /** The clock is set forward. Timers follow, but not at once: a real clock compares once a second. */
  jump(forwardMs: number, noticedAfterMs: number): void {
    this.offsetMs += forwardMs;
    this.unnoticedMs += forwardMs;
    this.after(noticedAfterMs, () => {
      this.unnoticedMs -= forwardMs;
      for (const timer of this.#timers) {
        this.#world.clearTimeout(timer.handle);
        this.#arm(timer, Math.max(0, timer.dueMs - this.clock.now()));
      }
    });
  }

  #setTimeout(callback: () => void, delayMs: number): LifeTimer {
    const timer: LifeTimer = { callback, dueMs: this.clock.now() + delayMs, handle: undefined };
    if (!this.isAlive) return timer;
    this.#timers.add(timer);
    this.#arm(timer, delayMs);
    return timer;
  }

  #arm(timer: LifeTimer, delayMs: number): void {
    timer.handle = this.#world.setTimeout(() => this.#enter(() => this.#fire(timer)), delayMs);
  }

  #fire(timer: LifeTimer): void {
    if (this.#timers.delete(timer)) timer.callback();
  }

  #enter(callback: () => void): void {
    if (!this.isAlive) return;
    if (this.#isAsleep) this.#missed.push(callback);
    else callback();
  }
}
