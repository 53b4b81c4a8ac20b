import type { CalledRun } from '../model/called-run.js';
import { NO_LABELS } from '../model/called-run.js';
import type { CallInput } from '../model/calls.js';
import type { JsonValue } from '../canonical-json.js';
import { deepFrozen } from '../deep-frozen.js';
import type { OutputLookup } from '../actors/team.types.js';
import { OrchestratorClosedError, RunConflictError, StoreUnavailableError } from '../errors.js';
import { cutMessage, toFailure } from '../failure.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Fact, FactBody } from '../model/facts.js';
import type { RunRecord } from '../journal/record.js';
import type { RunReport } from '../journal/report.js';
import { isEnded, reportOf } from '../journal/report.js';
import type { World } from './driver.js';
import { Driver } from './driver.js';
import type { KernelInput, KernelStep } from '../kernel/kernel.types.js';
import type { OpenCall } from '../kernel/replay.js';
import type { MaybePromise, StoredCommand } from '../model/run-store.js';
import { CommandMethods } from './command-methods.js';
import { commandResultOf } from './command-result.js';
import { parseCommand } from '../model/commands.js';
import type { StartOfRun } from './engine.js';
import { FactStream } from './fact-stream.js';
import { FailedTries } from './failed-tries.js';
import { LazySurroundings } from './lazy-surroundings.js';
import { afterwards, recovered } from './maybe-promise.js';
import type { Keeping, RunParts, UnfinishedWork } from './live-run.types.js';
import type { ReplayedRun } from './replayed-run.js';
import { RunMemory } from './run-memory.js';
import type { CommandResult, FactsOptions, Run } from './run.types.js';

/** Commands that may wait for the store at one time; further ones are refused, so that a flood costs no memory. */
const INBOX_MAX = 10_000;

/** Why a process stops driving or following a run. */
export const CLOSED = 'stopped: the orchestrator was closed';

/** One run: the driver, its journal, and the public view of them. */
export class LiveRun extends CommandMethods implements Run {
  readonly runId: string;
  readonly started: Promise<void>;
  readonly done: Promise<RunReport>;
  readonly #parts: RunParts;
  readonly #called: CalledRun;
  /** Undefined without a store. */
  #keeping: Keeping | undefined;
  /** Called once, when nothing of the run is left running. */
  readonly #onEnd: () => void;
  readonly #driver: Driver<JournalEntry>;
  readonly #memory: RunMemory;
  readonly #facts: FactStream;
  readonly #failedTries: FailedTries;
  /**
   * How far the journal is ahead of the clock: this machine's clock may be behind that of the machine that wrote it.
   */
  #aheadMs = 0;
  #isOver = false;
  /** Resolves when the run has begun; undefined afterwards. */
  #beginning: Promise<void> | undefined;
  #stopPolling: () => void = () => undefined;
  #hasAnswered: (() => void) | undefined;
  #resolveStarted: () => void = () => undefined;
  #rejectStarted: (error: unknown) => void = () => undefined;
  #resolveDone: (report: RunReport) => void = () => undefined;

  constructor(
    { runId, goal, input = null, labels = NO_LABELS }: StartOfRun,
    parts: RunParts,
    onEnd: () => void,
  ) {
    super();
    this.runId = runId;
    this.#parts = parts;
    this.#onEnd = onEnd;
    this.#called = deepFrozen({ runId, labels, input: input as JsonValue });
    this.#memory = new RunMemory({ runId, goal, labels });
    this.#facts = new FactStream(parts);
    this.#failedTries = new FailedTries(runId, parts.onError);
    this.started = new Promise((resolve, reject) => {
      this.#resolveStarted = resolve;
      this.#rejectStarted = reject;
    });
    // `done` reports the same error, so a caller may ignore this one.
    this.started.catch(() => undefined);
    this.done = new Promise((resolve) => {
      this.#resolveDone = resolve;
    });
    this.#driver = new Driver(parts.kernel, this.#world());
  }

  /** Keeps the run in a store, from its first entry on. */
  keepIn(keeping: Keeping): void {
    this.#keeping = keeping;
    keeping.lease.onLost((error) => {
      void this.#driver.stop();
      this.#failed(error);
    });
  }

  begin(input: unknown, missed: readonly KernelInput[] = []): void {
    this.#driver.post({ kind: 'started', input });
    for (const event of missed) this.#driver.post(event);
    this.#listen();
  }

  /** The run begins when this resolves. Commands and `stop` wait for it. */
  beginsAfter(ready: Promise<void>): void {
    this.#beginning = ready
      .catch((error: unknown) => {
        this.refuse(error);
      })
      .finally(() => {
        this.#beginning = undefined;
      });
  }

  /** Ends a run that could not begin. */
  refuse(error: unknown): void {
    void this.#driver.stop();
    this.#failed(error);
  }

  /** Resumes where a journal ends. */
  continueFrom({ entries, state }: ReplayedRun, { missed, ...unfinished }: UnfinishedWork): void {
    this.#remember(entries);
    this.#resolveStarted();
    this.#aheadMs = Math.max(0, (entries.at(-1)?.at ?? 0) - this.#parts.clock.now());
    this.#listen();
    this.#driver.take(state, unfinished, missed);
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
    this.#resolveStarted();
    void this.#driver.stop();
    this.#end(this.#memory.record());
  }

  /**
   * Releases the run for its next owner: nothing new starts, calls in flight get `graceMs` to finish, and the run is
   * released. Without a store this ends the run, because it cannot go on.
   */
  async stop(graceMs: number): Promise<void> {
    if (this.#beginning !== undefined) await this.#beginning;
    await this.#within(graceMs, this.#driver.drain());
    const stopped = this.#driver.stop();
    const isQuiet = await this.#within(graceMs, stopped);
    if (this.#isOver) return;
    if (isQuiet) await this.#within(graceMs, this.#tellHeldBack());
    await this.#keeping?.lease.release();
    if (this.#keeping === undefined) this.#endBy(CLOSED);
    else this.#detachBy(CLOSED);
  }

  /** Records which calls were never made, so that the next owner does not treat them as interrupted. */
  async #tellHeldBack(): Promise<void> {
    const { token } = this.#keeping?.lease ?? {};
    const keys = this.#driver.heldBack.flatMap((call) =>
      this.#mayRepeat(call) ? [] : [(call.input as CallInput).key],
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

  facts(options?: FactsOptions): AsyncIterable<Fact> {
    return this.#facts.stream(options);
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
    if (this.#beginning !== undefined) await this.#beginning;
    if (!this.#isOver && this.#keeping?.lease.isValid === false) await this.#confirmOwner();
    if (this.#driver.isOver) return this.#notTaken();
    if (this.#keeping?.retry.isStalled === true) return STORE_AWAY;
    if (this.#driver.waiting >= INBOX_MAX) return { accepted: false, reason: 'inbox-full' };
    return new Promise((resolve) => {
      const input = { kind: 'commanded', event: parsed.command } as const;
      this.#driver.receive(input, (step) => {
        resolve(
          step === undefined ? this.#notTaken() : commandResultOf(step.emitted as FactBody[]),
        );
      });
    });
  }

  /** The run does not accept commands here, and will not. */
  #notTaken(): CommandResult {
    const { status } = this.#memory.record();
    const isOpen = this.#keeping !== undefined && (status === 'running' || status === 'detached');
    return { accepted: false, reason: isOpen ? 'detached' : 'run-ended' };
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
        perform(
          input as CallInput,
          new LazySurroundings(this.#called, controller, outputs, confirm, (thrown) => {
            this.#failedTries.keep((input as CallInput).key, thrown);
          }),
        ),
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
    this.#resolveStarted();
    const { rebuilt, kernel } = this.#parts;
    if (rebuilt !== undefined) this.#driver.replaceState(rebuilt(kernel, this.#memory.entries));
    this.#facts.add(entry.facts);
    if (entry.event.kind === 'answered') this.#hasAnswered?.();
    this.#failedTries.report(entry.facts);
    if (step.status === 'error') this.#parts.onError(step.error);
    if (step.status !== 'active') this.#end(this.#memory.record());
  }

  /** The journal is no longer writable: the store failed, or another owner took over. */
  #failed(error: unknown): void {
    if (this.#isOver) return;
    const { name, message: said } = toFailure(error, Infinity);
    const message = cutMessage(this.#parts.redactText(said));
    const cause = this.#causeOf(error);
    this.#parts.onError(error);
    this.#rejectStarted(error);
    if (cause !== 'taken-over') void this.#keeping?.lease.release();
    const reason = `${cause}: ${cause === 'taken-over' ? '' : `${name}: `}${message}`;
    if (cause === 'not-started') this.#endBy(reason);
    else this.#detachBy(reason);
  }

  /** A journal that could not be created has no run, unless the store's answer was lost. */
  #causeOf(error: unknown): 'not-started' | 'taken-over' | 'store-unavailable' {
    const hasJournal = this.#keeping?.writer.isOpen === true;
    if (hasJournal && RunConflictError.isInstance(error)) return 'taken-over';
    return hasJournal || StoreUnavailableError.isInstance(error)
      ? 'store-unavailable'
      : 'not-started';
  }

  /** The run goes on elsewhere. */
  #detachBy(reason: string): void {
    this.#end(this.#memory.detachedBy(reason, this.#now()));
  }

  #endBy(reason: string): void {
    this.#end(this.#memory.recordEndedBy(reason, this.#now()));
  }

  #end(record: RunRecord): void {
    this.#isOver = true;
    // Without effect when the run has started.
    this.#rejectStarted(new OrchestratorClosedError());
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

const STORE_AWAY: CommandResult = {
  accepted: false,
  reason: 'store-unavailable: the store cannot be reached at present; try again later',
};
