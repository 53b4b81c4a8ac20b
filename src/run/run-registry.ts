import { OrchestratorClosedError, RunConflictError, RunNotFoundError } from '../errors.js';
import type { Callable } from '../actors/team.types.js';
import type { JournalEntry } from '../journal/entry.js';
import type { MaybePromise, RunClaim, RunHeader, RunStore } from '../model/run-store.js';
import type { Engine, ForkedRun, StartInputOfChart, StartOfRun } from './engine.js';
import type { Durability } from './durability.js';
import type { RunParts } from './live-run.types.js';
import { LiveRun } from './live-run.js';
import { afterwards } from './maybe-promise.js';
import type { RecoverOptions } from './recovery.js';
import type { Run } from './run.types.js';
import type * as StoredRunsModule from './stored-runs.js';

type StoredRuns = StoredRunsModule.StoredRuns;

/** The parts of every run of one orchestrator. */
export interface RegistryParts extends RunParts {
  readonly store: RunStore | undefined;
  readonly durability: Durability;
  /** A random id for an owner or a command, unique across processes. */
  readonly newOwner: () => string;
  readonly policyFingerprint: string;
  /** Called only with a store. */
  readonly chartFingerprint: () => string;
  readonly team: Pick<Callable, 'agents'>;
  readonly startInput: Engine['startInput'];
}

/** The live runs of one orchestrator in this process, each of them once. */
export class RunRegistry {
  readonly #parts: RegistryParts;
  readonly #live = new Map<string, LiveRun>();
  readonly #recoveries = new Set<() => void>();
  /** Undefined without a store, and until its code is loaded. */
  #stored: StoredRuns | undefined;
  #isClosed = false;

  constructor(parts: RegistryParts) {
    this.#parts = parts;
  }

  /** Starts a run whose given plan, if there is one, is valid. With a store it begins when the code for it is loaded. */
  start(input: StartInputOfChart): Run {
    this.#refuseWhenClosed();
    const isTaken = this.has(input.runId);
    const run = isTaken ? this.#newRun(input) : this.#create(input);
    const { store } = this.#parts;
    if (isTaken) run.giveUp(new RunConflictError(`Run '${input.runId}' is already running`));
    else if (store === undefined) run.begin(input);
    else {
      const begun = afterwards(this.#storedRuns(store), (stored) => stored.begin(run, input));
      if (begun instanceof Promise) run.beginsAfter(begun);
    }
    return run;
  }

  /** The live run, or the stored one. */
  async resume(runId: string): Promise<Run> {
    return this.#live.get(runId) ?? (await this.#storeFor(runId)).resume(runId);
  }

  /** Whether the run is live here, or is being resumed. */
  has(runId: string): boolean {
    return this.#live.has(runId) || this.#stored?.isResuming(runId) === true;
  }

  /** Like `resume`; a run that cannot be resumed under the present charts and policy is carried over into a new one. */
  async resumeOrCarryOver(runId: string): Promise<Run> {
    return this.#live.get(runId) ?? (await this.#storeFor(runId)).resumeOrCarryOver(runId);
  }

  /** A stored run as it is now, without claiming or changing it. */
  async read(
    runId: string,
  ): Promise<{ readonly header: RunHeader; readonly entries: readonly JournalEntry[] }> {
    return (await this.#storeFor(runId)).read(runId);
  }

  /** Continues a run that was forked from the journal of another one. */
  async adopt(forked: ForkedRun): Promise<Run> {
    return (await this.#storeFor(forked.header.runId)).adopt(forked);
  }

  /** Makes this process the owner of a run that it does not run; undefined when another process owns it. */
  async claim(runId: string): Promise<RunClaim | undefined> {
    return (await this.#storeFor(runId)).claim(runId);
  }

  /** The live run, or a connection to the stored one in any process. */
  async connect(runId: string): Promise<Run> {
    return this.#live.get(runId) ?? (await this.#storeFor(runId)).connect(runId);
  }

  /** Resumes every unfinished stored run without an owner. */
  async recover(options: RecoverOptions = {}): Promise<readonly Run[]> {
    const { store } = this.#parts;
    return store === undefined ? [] : (await this.#storedRuns(store)).recover(options);
  }

  /** Recovers immediately, then `everyMs` after each pass completes, until it is stopped or the orchestrator is closed. */
  recoverEvery(everyMs: number, options: RecoverOptions = {}): () => void {
    this.#refuseWhenClosed();
    const { clock, onError } = this.#parts;
    let isStopped = false;
    let timer: unknown;
    const recover = async (): Promise<void> => {
      await this.recover(options).catch(onError);
      if (!isStopped) timer = clock.setTimeout(() => void recover(), everyMs);
    };
    const stop = (): void => {
      isStopped = true;
      clock.clearTimeout(timer);
      this.#recoveries.delete(stop);
    };
    this.#recoveries.add(stop);
    void recover();
    return stop;
  }

  /** Stops accepting runs, and releases the runs of this process. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#recoveries) stop();
    await this.#stored?.settled();
    await Promise.all([...this.#live.values()].map((run) => run.stop(graceMs)));
    await this.#stored?.retire();
  }

  #refuseWhenClosed(): void {
    if (this.#isClosed) throw new OrchestratorClosedError();
  }

  async #storeFor(runId: string): Promise<StoredRuns> {
    const { store } = this.#parts;
    if (store !== undefined) return this.#storedRuns(store);
    throw new RunNotFoundError(
      `Run '${runId}' is not running here, and there is no store to look for it: pass \`store\` to createOrchestrator`,
    );
  }

  #storedRuns(store: RunStore): MaybePromise<StoredRuns> {
    return (
      this.#stored ??
      afterwards(
        loadStoredRuns(),
        ({ StoredRuns }) =>
          (this.#stored ??= new StoredRuns({
            ...this.#parts,
            store,
            live: (runId) => this.#live.get(runId),
            create: (start, engine) => this.#create(start, engine),
            forget: (run) => this.#forget(run),
            isClosed: () => this.#isClosed,
            refuseWhenClosed: () => {
              this.#refuseWhenClosed();
            },
          })),
      )
    );
  }

  #create(start: StartOfRun, engine?: Partial<Engine>): LiveRun {
    const run = this.#newRun(start, engine);
    this.#live.set(run.runId, run);
    return run;
  }

  #newRun(start: StartOfRun, engine?: Partial<Engine>): LiveRun {
    // Thousands of runs may wait, so their shared parts are kept once.
    const parts = engine === undefined ? this.#parts : { ...this.#parts, ...engine };
    const run: LiveRun = new LiveRun(start, parts, () => {
      this.#forget(run);
    });
    return run;
  }

  #forget(run: LiveRun): void {
    if (this.#live.get(run.runId) === run) this.#live.delete(run.runId);
  }
}

/** Once it is loaded, a run in an in-memory store begins synchronously. */
let loaded: typeof StoredRunsModule | undefined;

/** A page without a store does without this code, so it is a separate chunk in a bundle. */
export const loadStoredRuns = (): MaybePromise<typeof StoredRunsModule> =>
  loaded ?? import('./stored-runs.js').then((module) => (loaded = module));
