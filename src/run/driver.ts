import type {
  Effect,
  Kernel,
  KernelInput,
  KernelState,
  KernelStep,
} from '../kernel/kernel.types.js';
import type { OpenCall, OpenTimer, Unfinished } from '../kernel/replay.js';

/** The driver's interface to its surroundings. Every effect goes through here. */
export interface World<Entry> {
  now(): number;
  setTimeout(callback: () => void, delayMs: number): unknown;
  clearTimeout(handle: unknown): void;
  /** Appends the entry of one step; returns a promise when that takes time. */
  append(input: KernelInput, step: KernelStep, at: number): Entry | Promise<Entry>;
  /** Makes a call. The outcome comes back as an event. */
  call(input: unknown, controller: AbortController): Promise<unknown>;
  /** Called after an entry is durable and before its effects start. */
  appended(entry: Entry, step: KernelStep): void;
  /** The journal could not be written: the run must stop. */
  failed(error: unknown): void;
  /** Delivers waiting commands before a deadline expires. Never fails. */
  look(): void | Promise<void>;
  /** Returns a promise to wait for when the event loop was blocked for long. */
  turn(): Promise<void> | undefined;
}

/** Called when an input is durable, or was dropped because the run has ended. */
export type Settled = (step: KernelStep | undefined) => void;

interface Posted {
  /** Undefined once all missed events are handled and calls are made again. */
  readonly input: KernelInput | undefined;
  readonly settled: Settled | undefined;
  /** When the event happened; undefined when no deadline comes before it. */
  readonly receivedAtMs: number | undefined;
}

interface Timer {
  readonly generation: number;
  readonly handle: unknown;
  readonly dueAtMs: number;
}

interface RunningCall {
  readonly generation: number;
  readonly controller: AbortController;
}

/** The place in the mailbox from which on calls are made again. */
const RELEASE: Posted = { input: undefined, settled: undefined, receivedAtMs: undefined };

/**
 * Drives one run: takes the next event, lets the kernel decide, appends the entry, and only then performs the effects.
 * One event at a time, however long the store takes; with an in-memory store all of it is synchronous.
 */
export class Driver<Entry> {
  readonly #kernel: Kernel;
  readonly #world: World<Entry>;
  readonly #mailbox: Posted[] = [];
  readonly #timers = new Map<string, Timer>();
  readonly #calls = new Map<string, RunningCall>();
  #state: KernelState;
  /** Calls that wait until all missed events are handled; undefined when none wait. */
  #held: OpenCall[] | undefined;
  /** Calls that were not made because the run is draining. */
  readonly #heldBack: OpenCall[] = [];
  #isBusy = false;
  #isDraining = false;
  #isOver = false;
  /** Called when nothing is in flight. */
  #onIdle: (() => void) | undefined;

  constructor(kernel: Kernel, world: World<Entry>) {
    this.#kernel = kernel;
    this.#world = world;
    this.#state = kernel.initialState;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get waiting(): number {
    return this.#mailbox.length;
  }

  /** Calls that are in flight according to the journal but were never made. */
  get heldBack(): readonly OpenCall[] {
    return [...this.#heldBack, ...(this.#held ?? [])].filter((call) => this.#isOpen(call));
  }

  /**
   * Accepts an event that happens now. Timers that are due by now come first: a deadline has passed by the clock even if
   * its timer fires late, after the machine slept, while an agent blocks the event loop, or because the entry that
   * starts the timer is still being written.
   */
  receive(input: KernelInput, settled?: Settled): void {
    this.#accept({ input, settled, receivedAtMs: this.#world.now() });
  }

  /** Accepts an event that is durable already, or that nothing must precede. */
  post(input: KernelInput, settled?: Settled): void {
    this.#accept({ input, settled, receivedAtMs: undefined });
  }

  #accept(posted: Posted): void {
    if (this.#isOver) {
      posted.settled?.(undefined);
      return;
    }
    this.#mailbox.push(posted);
    if (!this.#isBusy) this.#work();
  }

  /**
   * Continues with a state that was rebuilt from a journal. Missed events come first: the given events, then the
   * waiting commands, then the due timers, in the order of their deadlines. Calls that are still open afterwards are
   * made last, so that no call is made for work whose time is over.
   */
  take(
    state: KernelState,
    { calls, timers }: Unfinished,
    missed: readonly KernelInput[] = [],
  ): void {
    this.#state = state;
    this.#held = [...calls];
    const now = this.#world.now();
    for (const timer of timers) this.#arm(timer);
    for (const input of missed) this.post(input);
    this.#afterLook(() => {
      this.#postDueBy(now);
      this.#mailbox.push(RELEASE);
      if (!this.#isBusy) this.#work();
    });
  }

  /** Replaces the state with an equal one that was rebuilt from the journal. */
  replaceState(state: KernelState): void {
    this.#state = state;
  }

  /** Starts nothing new from now on. Resolves when no call is in flight and all events are durable. */
  drain(): Promise<void> {
    this.#isDraining = true;
    return this.#whenIdle();
  }

  /** Stops: aborts calls and drops timers. Resolves when the entry being written is durable. */
  stop(): Promise<void> {
    this.#close();
    return this.#whenIdle();
  }

  get #isIdle(): boolean {
    return !this.#isBusy && this.#mailbox.length === 0 && this.#calls.size === 0;
  }

  #whenIdle(): Promise<void> {
    if (this.#isIdle) return Promise.resolve();
    return new Promise((resolve) => {
      const previous = this.#onIdle;
      this.#onIdle = () => {
        previous?.();
        resolve();
      };
    });
  }

  #work(): void {
    this.#isBusy = true;
    for (let next = this.#mailbox.shift(); next !== undefined; next = this.#mailbox.shift()) {
      if (next.input === undefined) {
        this.#release();
        continue;
      }
      if (this.#isOver || this.#isStale(next.input)) {
        next.settled?.(undefined);
        continue;
      }
      if (this.#isPutOff(next)) return;
      const pending = this.#take(next.input, next.settled);
      if (pending === undefined) continue;
      void pending.then(() => {
        this.#work();
      });
      return;
    }
    this.#isBusy = false;
    if (this.#onIdle !== undefined && this.#isIdle) this.#onIdle();
  }

  /** Whether something comes first: deadlines that had passed when the event came, or other work of the process. */
  #isPutOff(next: Posted): boolean {
    const { receivedAtMs: byMs } = next;
    const isDue = byMs !== undefined && this.#isAnythingDueBefore(byMs);
    const turn = isDue ? undefined : this.#world.turn();
    if (!isDue && turn === undefined) return false;
    this.#mailbox.unshift(next);
    void turn?.then(() => {
      this.#work();
    });
    if (isDue) {
      this.#afterLook(() => {
        this.#postDueBy(byMs);
        this.#work();
      });
    }
    return true;
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const call of held) this.#startCall(call);
  }

  /** One event: step, append, act. Undefined when it completed synchronously. */
  #take(input: KernelInput, settled: Settled | undefined): Promise<void> | undefined {
    const at = this.#world.now();
    const step = this.#kernel.step(this.#state, input);
    try {
      const appended = this.#world.append(input, step, at);
      if (appended instanceof Promise) {
        return appended.then(
          (entry) => {
            this.#act(entry, step, at, settled);
          },
          (error: unknown) => {
            this.#fail(error, settled);
          },
        );
      }
      this.#act(appended, step, at, settled);
    } catch (error) {
      this.#fail(error, settled);
    }
    return undefined;
  }

  #act(entry: Entry, step: KernelStep, at: number, settled: Settled | undefined): void {
    this.#state = step.state;
    if (step.status !== 'active') this.#close();
    this.#world.appended(entry, step);
    this.#perform(step.effects, at);
    settled?.(step);
  }

  #fail(error: unknown, settled: Settled | undefined): void {
    this.#close();
    settled?.(undefined);
    this.#world.failed(error);
  }

  /** Afterwards nothing is running: every call is aborted, every timer is gone. */
  #close(): void {
    this.#isOver = true;
    for (const { handle } of this.#timers.values()) this.#world.clearTimeout(handle);
    for (const { controller } of this.#calls.values()) controller.abort();
    this.#timers.clear();
    this.#calls.clear();
  }

  #isStale(input: KernelInput): boolean {
    switch (input.kind) {
      case 'answered':
      case 'broken':
        return this.#state.calls.get(input.address)?.generation !== input.generation;
      case 'elapsed':
        return this.#state.timers.get(input.timer)?.generation !== input.generation;
      case 'started':
      case 'commanded':
        return false;
    }
  }

  /** Performs the effects of a step at a given time. */
  #perform(effects: readonly Effect[], at: number): void {
    for (const effect of effects) {
      if (this.#isOver) return;
      switch (effect.kind) {
        case 'startCall':
          this.#startCall(effect);
          break;
        case 'stopCall':
          this.#stopCall(effect.address, effect.generation);
          break;
        case 'armTimer':
          this.#armTimer(effect, at);
          break;
        case 'cancelTimer':
          this.#cancelTimer(effect.timer, effect.generation);
          break;
      }
    }
  }

  #startCall(call: OpenCall): void {
    const { address, generation, input } = call;
    // A call that was stopped within its own step is never made.
    if (!this.#isOpen(call)) return;
    // The intent is durable: the next owner makes the call.
    if (this.#isDraining) this.#heldBack.push(call);
    if (this.#isOver || this.#isDraining) return;
    if (this.#held !== undefined) {
      this.#held.push(call);
      return;
    }
    const controller = new AbortController();
    this.#calls.set(address, { generation, controller });
    this.#world.call(input, controller).then(
      (output) => {
        this.#settleCall(address, generation, { kind: 'answered', address, generation, output });
      },
      (error: unknown) => {
        this.#settleCall(address, generation, { kind: 'broken', address, generation, error });
      },
    );
  }

  #isOpen({ address, generation }: OpenCall): boolean {
    return this.#state.calls.get(address)?.generation === generation;
  }

  #settleCall(address: string, generation: number, input: KernelInput): void {
    if (this.#calls.get(address)?.generation !== generation) return;
    this.#calls.delete(address);
    this.receive(input);
  }

  #isAnythingDueBefore(at: number): boolean {
    for (const { dueAtMs } of this.#timers.values()) if (dueAtMs < at) return true;
    return false;
  }

  #postDueBy(at: number): void {
    const due = [...this.#timers].filter(([, { dueAtMs }]) => dueAtMs <= at);
    due.sort(([, left], [, right]) => left.dueAtMs - right.dueAtMs);
    for (const [key, { generation, handle }] of due) {
      this.#world.clearTimeout(handle);
      this.#elapsed(key, generation);
    }
  }

  /** Reads the inbox before a deadline expires, so that a command that was durable by then counts. */
  #afterLook(next: () => void): void {
    const looked = this.#world.look();
    if (looked === undefined) next();
    else void looked.then(next);
  }

  #stopCall(address: string, generation: number): void {
    const call = this.#calls.get(address);
    if (call?.generation !== generation) return;
    this.#calls.delete(address);
    call.controller.abort();
  }

  /**
   * Counted from the step's time, not from when it was durable: the deadline is the same for every reader of the
   * journal.
   */
  #armTimer(
    { timer, generation, delayMs }: Extract<Effect, { kind: 'armTimer' }>,
    at: number,
  ): void {
    if (this.#state.timers.get(timer)?.generation !== generation) return;
    this.#arm({ timer, generation, dueAtMs: at + delayMs });
  }

  #arm({ timer, generation, dueAtMs }: OpenTimer): void {
    const handle = this.#world.setTimeout(
      () => {
        this.#afterLook(() => {
          this.#elapsed(timer, generation);
        });
      },
      Math.max(0, dueAtMs - this.#world.now()),
    );
    this.#timers.set(timer, { generation, handle, dueAtMs });
  }

  /**
   * Posts a deadline that has passed: after everything that is durable, and before events that were received later and
   * still wait.
   */
  #elapsed(timer: string, generation: number): void {
    const armed = this.#timers.get(timer);
    if (armed?.generation !== generation) return;
    this.#timers.delete(timer);
    const { dueAtMs } = armed;
    const isLater = ({ receivedAtMs }: Posted): boolean =>
      receivedAtMs !== undefined && receivedAtMs > dueAtMs;
    const waiting = this.#mailbox.splice(0);
    this.#mailbox.push(...waiting.filter((posted) => !isLater(posted)));
    this.post({ kind: 'elapsed', timer, generation });
    this.#mailbox.push(...waiting.filter(isLater));
  }

  #cancelTimer(key: string, generation: number): void {
    const timer = this.#timers.get(key);
    if (timer?.generation !== generation) return;
    this.#timers.delete(key);
    this.#world.clearTimeout(timer.handle);
  }
}
