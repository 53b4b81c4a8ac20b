import type { CallInput } from '../model/calls.js';
import type { OutputLookup, Perform } from '../actors/team.types.js';
import { RunConflictError } from '../errors.js';
import { cutMessage, toFailure } from '../failure.js';
import type { JournalEntry } from '../journal/entry.js';
import { chartEntries } from '../journal/entry.js';
import type { Fact, FactBody } from '../model/facts.js';
import type { RunRecord } from '../journal/record.js';
import type { RunReport } from '../journal/report.js';
import { isEnded, reportOf } from '../journal/report.js';
import type { World } from './driver.js';
import { Driver } from './driver.js';
import type { Kernel, KernelInput, KernelStep } from '../kernel/kernel.types.js';
import type { OpenCall } from '../kernel/replay.js';
import { unfinishedIn } from '../kernel/replay.js';
import type { Clock } from '../services/clock.js';
import type { MaybePromise, StoredCommand } from '../model/run-store.js';
import { CommandMethods } from './command-methods.js';
import { commandResultOf } from './command-result.js';
import type { CommandPoller } from './command-poller.js';
import { parseCommand } from '../model/commands.js';
import { FactStream } from './fact-stream.js';
import type { Inbox } from './inbox.js';
import type { JournalWriter } from './journal-writer.js';
import type { Lease } from './lease.js';
import { LazySurroundings } from './lazy-surroundings.js';
import { afterwards, recovered } from './maybe-promise.js';
import type { MissedEvents } from './missed-events.js';
import { interruption, keyOf, NOTHING_HAPPENED, recovery, upgraded } from './missed-events.js';
import type { ReplayedRun } from './replayed-run.js';
import { replayedRun } from './replayed-run.js';
import { RunMemory } from './run-memory.js';
import type { CommandResult, Run } from './run.types.js';
import type { StoreRetry } from '../services/store-retry.js';

/** Commands that may wait for the store at one time; further ones are refused, so that a flood costs no memory. */
const INBOX_MAX = 10_000;

/** The parts that all runs of one orchestrator share. */
export interface RunParts {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly perform: Perform;
  /** Whether a call that was in flight when its process died is made again; otherwise its try fails. */
  readonly mayRepeat: (input: CallInput) => boolean;
  readonly onError: (error: unknown) => void;
  /** Redacts a store's message for a report, for example the address of a database. */
  readonly redactText: (text: string) => string;
  /**
   * For tests: copies what would be stored. The run is then rebuilt after every entry, from the copy of its journal and
   * a copy of the resulting state. That is slow, and shows that both are complete.
   */
  readonly copyStored: (<Value>(value: Value) => Value) | undefined;
}

/** The journal and lease of a stored run. */
export interface Keeping {
  readonly writer: JournalWriter;
  readonly lease: Lease;
  readonly inbox: Inbox;
  readonly poller: CommandPoller;
  readonly retry: StoreRetry;
}

/** One run: the driver, its journal, and the public view of them. */
export class LiveRun extends CommandMethods implements Run {
  readonly runId: string;
  readonly done: Promise<RunReport>;
  readonly #parts: RunParts;
  readonly #keeping: Keeping | undefined;
  /** Called once, when nothing of the run is left running. */
  readonly #onEnd: () => void;
  readonly #driver: Driver<JournalEntry>;
  readonly #memory: RunMemory;
  readonly #facts: FactStream;
  /**
   * How far the journal is ahead of the clock: this machine's clock may be behind that of the machine that wrote it.
   */
  #aheadMs = 0;
  #isOver = false;
  #stopPolling: () => void = () => undefined;
  #hasAnswered: (() => void) | undefined;
  #resolveDone: (report: RunReport) => void = () => undefined;

  constructor(
    { runId, goal }: { readonly runId: string; readonly goal: string },
    parts: RunParts,
    keeping: Keeping | undefined,
    onEnd: () => void,
  ) {
    super();
    this.runId = runId;
    this.#parts = parts;
    this.#keeping = keeping;
    this.#onEnd = onEnd;
    this.#memory = new RunMemory(runId, goal);
    this.#facts = new FactStream(parts);
    this.done = new Promise((resolve) => {
      this.#resolveDone = resolve;
    });
    this.#driver = new Driver(parts.kernel, this.#world());
    keeping?.lease.onLost((error) => {
      void this.#driver.stop();
      this.#failed(error);
    });
  }

  begin(input: unknown, { upgrade }: Partial<MissedEvents> = {}): void {
    this.#driver.post({ kind: 'started', input });
    if (upgrade !== undefined) this.#driver.post(upgraded(upgrade));
    this.#listen();
  }

  /** Resumes where a journal ends. Returns whether a call was in flight at a takeover. */
  continueFrom(
    { entries, state }: ReplayedRun,
    { isTakeover, upgrade, heldBack }: MissedEvents = NOTHING_HAPPENED,
  ): boolean {
    this.#remember(entries);
    const lastAt = entries.at(-1)?.at ?? 0;
    this.#aheadMs = Math.max(0, lastAt - this.#parts.clock.now());
    const steps = chartEntries(entries);
    const timeOf = (stepNumber: number): number => steps[stepNumber]?.at ?? lastAt;
    const { calls, timers } = unfinishedIn(state, timeOf);
    const mayMake = (call: OpenCall): boolean =>
      this.#mayRepeat(call) || heldBack.includes(keyOf(call));
    const interrupted = calls.filter((call) => !mayMake(call));
    // A process that died with a call of this run in flight may have died of that call.
    const isSuspect = isTakeover && calls.length > 0;
    const missed = [
      ...(upgrade === undefined ? [] : [upgraded(upgrade)]),
      // Handled first: a run that was recovered too often must make no call.
      ...(isSuspect ? [recovery(entries)] : []),
      ...interrupted.map((call) => interruption(call)),
    ];
    this.#listen();
    this.#driver.take(state, { calls: calls.filter(mayMake), timers }, missed);
    return isSuspect;
  }

  /** Resolves when a call has been answered, or the run is over. */
  answered(): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      this.#hasAnswered = resolve;
    });
  }

  /** Receives commands from other processes, as long as the run lives. */
  #listen(): void {
    if (this.#isOver || this.#keeping === undefined) return;
    const { inbox, poller } = this.#keeping;
    inbox.open((command) => {
      const input = this.#commandIn(command);
      if (input !== undefined) this.#driver.post(input);
    });
    this.#stopPolling = poller.add(this.runId, () => {
      void recovered(() => inbox.look(), this.#parts.onError);
    });
  }

  #commandIn({ id, command }: StoredCommand): KernelInput | undefined {
    const parsed = parseCommand(command);
    if (parsed.ok) return { kind: 'commanded', event: parsed.command, commandId: id };
    this.#keeping?.writer.discard(id, parsed.reason);
    return undefined;
  }

  #mayRepeat({ input }: OpenCall): boolean {
    return this.#parts.mayRepeat(input as CallInput);
  }

  /** Shows a run that ended on any charts, from its facts alone. */
  show(entries: readonly JournalEntry[]): void {
    this.#remember(entries);
    void this.#driver.stop();
    this.#end(this.#memory.record());
  }

  /**
   * Releases the run for its next owner: nothing new starts, calls in flight get `graceMs` to finish, and the run is
   * released. Without a store this ends the run.
   */
  async stop(graceMs: number): Promise<void> {
    await this.#within(graceMs, this.#driver.drain());
    const stopped = this.#driver.stop();
    const isQuiet = await this.#within(graceMs, stopped);
    if (this.#isOver) return;
    if (isQuiet) await this.#within(graceMs, this.#tellHeldBack());
    await this.#keeping?.lease.release();
    this.#endBy('stopped: the orchestrator was closed');
  }

  /** Records which calls were never made, so that the next owner does not treat them as interrupted. */
  async #tellHeldBack(): Promise<void> {
    const { token } = this.#keeping?.lease ?? {};
    const keys = this.#driver.heldBack.flatMap((call) =>
      this.#mayRepeat(call) ? [] : [keyOf(call)],
    );
    if (token === undefined || keys.length === 0) return;
    const entry = this.#memory.heldBack(keys, token, this.#now());
    try {
      await this.#keeping?.writer.append([entry], { hasEnded: false, save: undefined });
      this.#memory.keep(entry);
    } catch (error) {
      this.#parts.onError(error);
    }
  }

  /** True when the work finished in time. */
  #within(graceMs: number, work: Promise<void>): Promise<boolean> {
    const { clock } = this.#parts;
    return new Promise((resolve) => {
      const timer = clock.setTimeout(() => {
        resolve(false);
      }, graceMs);
      void work.then(() => {
        clock.clearTimeout(timer);
        resolve(true);
      });
    });
  }

  #remember(entries: readonly JournalEntry[]): void {
    for (const entry of entries) {
      this.#memory.keep(entry);
      this.#facts.restore(entry.facts);
    }
  }

  #now(): number {
    return this.#parts.clock.now() + this.#aheadMs;
  }

  subscribe(listener: (fact: Fact) => unknown): () => void {
    return this.#facts.subscribe(listener);
  }

  facts(): AsyncIterable<Fact> {
    return this.#facts.stream();
  }

  record(): RunRecord {
    return this.#memory.record();
  }

  journal(): readonly JournalEntry[] {
    return this.#memory.frozenEntries();
  }

  protected async command(candidate: unknown): Promise<CommandResult> {
    const parsed = parseCommand(candidate);
    if (!parsed.ok) return { accepted: false, reason: parsed.reason };
    if (!this.#isOver && this.#keeping?.lease.isValid === false) await this.#confirmOwner();
    if (this.#driver.isOver) return { accepted: false, reason: 'run-ended' };
    if (this.#keeping?.retry.isStalled === true) return STORE_AWAY;
    if (this.#driver.waiting >= INBOX_MAX) return { accepted: false, reason: 'inbox-full' };
    return new Promise((resolve) => {
      const input = { kind: 'commanded', event: parsed.command } as const;
      this.#driver.receive(input, (step) => {
        resolve(step === undefined ? NOT_TAKEN : commandResultOf(step.emitted as FactBody[]));
      });
    });
  }

  /**
   * Asks the store whether this process still owns the run, and retries while the store is unreachable. A run with
   * another owner is stopped.
   */
  async #confirmOwner(): Promise<void> {
    if (this.#keeping === undefined) return;
    const { lease, retry } = this.#keeping;
    try {
      await retry.run(() => lease.confirm());
    } catch (error) {
      void this.#driver.stop();
      this.#failed(error);
    }
  }

  #world(): World<JournalEntry> {
    const { clock, perform } = this.#parts;
    const memory = this.#memory;
    const outputs: OutputLookup = Object.assign((key: string) => memory.output(key), {
      isPartial: (key: string) => memory.isPartial(key),
    });
    const confirm = (): Promise<void> | undefined =>
      this.#keeping?.lease.isValid === false ? this.#confirmOwner() : undefined;
    return {
      now: () => this.#now(),
      setTimeout: (callback, delayMs) => clock.setTimeout(callback, delayMs),
      clearTimeout: (handle) => {
        clock.clearTimeout(handle);
      },
      append: (input, step, at) => this.#append(input, step, at),
      call: (input, controller) =>
        perform(input as CallInput, new LazySurroundings(controller, outputs, confirm)),
      appended: (entry, step) => {
        this.#appended(entry, step);
      },
      failed: (error) => {
        this.#failed(error);
      },
      look: () => this.#look(),
      turn: () => clock.turn?.(),
    };
  }

  /**
   * No deadline expires before the inbox was read. When the store stays unreachable, the run is given up instead, but
   * not before the following write would have had its time as well.
   */
  #look(): void | Promise<void> {
    if (this.#keeping === undefined) return undefined;
    const { inbox, retry } = this.#keeping;
    const look = (): MaybePromise<void> => retry.run(() => inbox.look());
    return recovered(look, () =>
      recovered(look, (error) => {
        void this.#driver.stop();
        this.#failed(error);
      }),
    );
  }

  #append(input: KernelInput, step: KernelStep, at: number): MaybePromise<JournalEntry> {
    const entry = this.#memory.entryOf(input, step, at);
    if (this.#keeping === undefined) return entry;
    const standing = {
      hasEnded: step.status !== 'active',
      save: () => this.#parts.kernel.save(step.state),
    };
    return afterwards(this.#keeping.writer.append([entry], standing), () => entry);
  }

  #appended(entry: JournalEntry, step: KernelStep): void {
    // The entry became durable after the run was given up: the next owner finds it.
    if (this.#isOver) return;
    this.#memory.keep(entry);
    const { copyStored, kernel } = this.#parts;
    if (copyStored !== undefined) {
      const { state } = replayedRun(kernel, copyStored(this.#memory.entries));
      this.#driver.replaceState(kernel.restore(copyStored(kernel.save(state))));
    }
    this.#facts.add(entry.facts);
    if (entry.event.kind === 'answered') this.#hasAnswered?.();
    if (step.status === 'error') this.#parts.onError(step.error);
    if (step.status !== 'active') this.#end(this.#memory.record());
  }

  /** The journal is no longer writable: the store failed, or another owner took over. */
  #failed(error: unknown): void {
    if (this.#isOver) return;
    const { name, message: said } = toFailure(error, Infinity);
    const message = cutMessage(this.#parts.redactText(said));
    const isTakenOver = RunConflictError.isInstance(error) && this.#keeping?.writer.isOpen === true;
    this.#parts.onError(error);
    if (!isTakenOver) void this.#keeping?.lease.release();
    this.#endBy(isTakenOver ? `taken-over: ${message}` : `store-unavailable: ${name}: ${message}`);
  }

  #endBy(reason: string): void {
    this.#end(this.#memory.recordEndedBy(reason, this.#now()));
  }

  #end(record: RunRecord): void {
    this.#isOver = true;
    this.#stopPolling();
    this.#keeping?.lease.stop();
    this.#keeping?.inbox.close();
    this.#keeping?.retry.stop();
    this.#hasAnswered?.();
    this.#facts.end();
    this.#onEnd();
    if (!isEnded(record)) return;
    const report = reportOf(record);
    void this.#facts.told().then(() => this.#resolveDone(report));
  }
}

/** The command was not accepted, and will not be. */
const NOT_TAKEN: CommandResult = { accepted: false, reason: 'run-ended' };

const STORE_AWAY: CommandResult = {
  accepted: false,
  reason: 'store-unavailable: the store cannot be reached at present; try again later',
};
