import {
  JournalMismatchError,
  OrchestratorClosedError,
  RunConflictError,
  RunNotFoundError,
} from '../errors.js';
import type { Callable } from '../actors/team.types.js';
import type { ReadJournal } from '../journal/read-journal.js';
import { sealedHeader } from '../journal/sealed-header.js';
import type { RunClaim, RunHeader, RunStore } from '../model/run-store.js';
import type { Engine, ForkedRun, StartInputOfChart, StartOfRun } from './engine.js';
import { versionOf } from './engine.js';
import { CommandPoller } from './command-poller.js';
import type { Durability } from './durability.js';
import { Inbox } from './inbox.js';
import { JournalWriter } from './journal-writer.js';
import { Lease } from './lease.js';
import type { Keeping, RunParts } from './live-run.js';
import { LiveRun } from './live-run.js';
import { Ownership } from './ownership.js';
import type { RecoverOptions, Recovery, Resumed } from './recovery.js';
import { replayedRun } from './replayed-run.js';
import type { ConnectedRun, Run } from './run.types.js';
import { StoreRetry } from '../services/store-retry.js';
import type { ResumedRun } from './resume-stored.js';

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

/** The parts that all stored runs of one orchestrator share: one query serves all of them. */
interface Shared {
  readonly store: RunStore;
  readonly ownership: Ownership;
  readonly poller: CommandPoller;
}

/** The live runs of one orchestrator in this process, each of them once. */
export class RunRegistry {
  readonly #parts: RegistryParts;
  readonly #shared: Shared | undefined;
  readonly #live = new Map<string, LiveRun>();
  /** Runs that are being read from the store. */
  readonly #resuming = new Map<string, Promise<Resumed>>();
  readonly #recoveries = new Set<() => void>();
  #recovery: Recovery | undefined;
  #isClosed = false;

  constructor(parts: RegistryParts) {
    this.#parts = parts;
    this.#shared = sharedOf(parts);
  }

  /** Starts a run whose given plan, if there is one, is valid. */
  start(input: StartInputOfChart): Run {
    const { runId, goal, proposal } = input;
    this.#refuseWhenClosed();
    if (this.has(runId)) {
      throw new RunConflictError(`Run '${runId}' is already running`);
    }
    const keeping = this.#keepingOf(runId);
    const run = this.#create({ runId, goal }, keeping);
    try {
      const plan = proposal?.plan;
      keeping?.writer.open(this.#headerOf(plan == null ? { runId, goal } : { runId, goal, plan }));
      run.begin(input);
    } catch (error) {
      this.#live.delete(runId);
      throw error;
    }
    return run;
  }

  /** The live run, or the stored one; concurrent calls resume it once. */
  async resume(runId: string): Promise<Run> {
    return this.#live.get(runId) ?? (await this.#resumeOnce(runId)).run;
  }

  #resumeOnce(runId: string): Promise<Resumed> {
    const pending = this.#resuming.get(runId);
    if (pending !== undefined) return pending;
    const resuming = this.#resume(runId).finally(() => this.#resuming.delete(runId));
    this.#resuming.set(runId, resuming);
    return resuming;
  }

  /** Whether the run is live here, or is being resumed. */
  has(runId: string): boolean {
    return this.#live.has(runId) || this.#resuming.has(runId);
  }

  /** Like `resume`; a run that cannot be resumed under the present charts and policy is carried over into a new one. */
  async resumeOrCarryOver(runId: string): Promise<Run> {
    return this.#live.get(runId) ?? (await this.#resumeOrCarryOver(runId)).run;
  }

  async #resumeOrCarryOver(runId: string): Promise<Resumed> {
    try {
      return await this.#resumeOnce(runId);
    } catch (error) {
      const { store, clock } = this.#parts;
      const keeping = this.#keepingOf(runId);
      if (!JournalMismatchError.isInstance(error) || store === undefined || !keeping) throw error;
      const present = { ...this.#fingerprints(), startedAt: Math.floor(clock.now()) };
      const { carryOver } = await loadCarryOver();
      const { lease, retry } = keeping;
      return this.#resumeOnce(await carryOver(runId, { store, lease, retry, present }));
    }
  }

  /** A stored run as it is now, without claiming or changing it. */
  async read(
    runId: string,
  ): Promise<{ readonly header: RunHeader; readonly entries: ReadJournal['entries'] }> {
    const stored = await this.#parts.store?.read(runId);
    if (stored !== undefined) {
      const [{ readJournal }] = await Promise.all([loadJournal(), this.#parts.kernel.prepare()]);
      return { header: stored.header, entries: readJournal(stored, runId).entries };
    }
    throw new RunNotFoundError(
      this.#parts.store === undefined ? noStore(runId) : `Run '${runId}' is not in the store`,
    );
  }

  /** Continues a run that was forked from the journal of another one. */
  async adopt({ header, entries, ended, engine }: ForkedRun): Promise<Run> {
    const { runId } = header;
    this.#refuseWhenClosed();
    if (this.has(runId)) {
      throw new RunConflictError(`Run '${runId}' is already running`);
    }
    const keeping = this.#keepingOf(runId);
    const replayed = replayedRun(engine.kernel, entries);
    const run = this.#create(header, keeping, engine);
    try {
      keeping?.writer.open(
        sealedHeader({ ...header, chartFingerprint: engine.chartFingerprint() }),
      );
      await keeping?.writer.append(entries, {
        hasEnded: ended,
        save: () => engine.kernel.save(replayed.state),
      });
      if (ended) run.show(entries);
      else run.continueFrom(replayed);
    } catch (error) {
      this.#live.delete(runId);
      await keeping?.lease.release();
      throw error;
    }
    return run;
  }

  /** Makes this process the owner of a run that it does not run; undefined when another process owns it. */
  async claim(runId: string): Promise<RunClaim | undefined> {
    return this.#shared?.ownership.claim(runId);
  }

  /** Connects to a stored run in any process. */
  async connect(runId: string): Promise<ConnectedRun> {
    const { store, clock, durability, newOwner, onError, redactText } = this.#parts;
    if (store === undefined) throw new RunNotFoundError(noStore(runId));
    if ((await store.read(runId, Number.MAX_SAFE_INTEGER)) === undefined)
      throw new RunNotFoundError(`Run '${runId}' is not in the store`);
    const { pollMs, answerMs } = durability;
    const { StoredRunConnection } = await loadConnection();
    const retry = new StoreRetry({ clock, windowMs: answerMs, onError });
    const parts = { store, clock, newCommandId: newOwner, pollMs, answerMs, retry, redactText };
    return new StoredRunConnection(runId, parts);
  }

  /** Resumes every unfinished stored run without an owner. */
  async recover(options: RecoverOptions = {}): Promise<readonly Run[]> {
    if (this.#shared === undefined) return [];
    const { Recovery } = await loadRecovery();
    this.#recovery ??= new Recovery({
      store: this.#shared.store,
      clock: this.#parts.clock,
      isLive: (runId) => this.has(runId),
      isClosed: () => this.#isClosed,
      resume: (runId, { carryOver = false }) =>
        carryOver ? this.#resumeOrCarryOver(runId) : this.#resumeOnce(runId),
      onError: this.#parts.onError,
    });
    return this.#recovery.recover(options);
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
    await Promise.allSettled(this.#resuming.values());
    await Promise.all([...this.#live.values()].map((run) => run.stop(graceMs)));
    await this.#shared?.ownership.retire();
  }

  #refuseWhenClosed(): void {
    if (this.#isClosed) throw new OrchestratorClosedError();
  }

  async #resume(runId: string): Promise<Resumed> {
    this.#refuseWhenClosed();
    const { store, kernel, onError } = this.#parts;
    const keeping = this.#keepingOf(runId);
    if (store === undefined || keeping === undefined) {
      throw new RunNotFoundError(noStore(runId));
    }
    const [{ resumeStored }] = await Promise.all([loadResume(), kernel.prepare()]);
    const taken = await resumeStored(runId, {
      store,
      lease: keeping.lease,
      kernel,
      version: versionOf(this.#parts),
      onError,
    });
    const run = this.#create(taken.header, keeping, await this.#carried(taken.header));
    if (taken.kind !== 'ended') keeping.writer.continueFrom(taken.format, taken.missed.isTakeover);
    try {
      const trial = this.#continueRun(run, taken) ? run.answered() : undefined;
      return { run, trial };
    } catch (error) {
      this.#live.delete(runId);
      await keeping.lease.release();
      throw error;
    }
  }

  /** A carried-over run makes no call that its predecessor has an answer to. */
  async #carried({ runId, carriedFrom }: RunHeader): Promise<Partial<RunParts> | undefined> {
    if (carriedFrom === undefined) return undefined;
    const stored = await this.#parts.store?.read(carriedFrom);
    if (stored === undefined) return undefined;
    const { readJournal } = await loadJournal();
    const before = { runId: carriedFrom, entries: readJournal(stored, carriedFrom).entries };
    const { rememberingPerform } = await loadCarryOver();
    return { perform: rememberingPerform(this.#parts.perform, runId, before) };
  }

  /** Returns whether a call of the run was in flight when its process died. */
  #continueRun(run: LiveRun, taken: ResumedRun): boolean {
    switch (taken.kind) {
      case 'ended':
        run.show(taken.entries);
        return false;
      case 'new':
        run.begin(this.#parts.startInput(taken.header), taken.missed);
        return false;
      case 'unfinished':
        return run.continueFrom(taken.replayed, taken.missed);
    }
  }

  #keepingOf(runId: string): Keeping | undefined {
    if (this.#shared === undefined) return undefined;
    const { store, ownership, poller } = this.#shared;
    const { clock, durability, onError } = this.#parts;
    const lease = new Lease(ownership, runId);
    const retry = new StoreRetry({ clock, windowMs: durability.storeRetryMs, onError });
    const writer = new JournalWriter({ store, runId, lease, retry });
    return { lease, inbox: new Inbox({ store, runId }), poller, retry, writer };
  }

  #create(
    { runId, goal }: Pick<RunHeader, 'runId' | 'goal'>,
    keeping: Keeping | undefined,
    engine?: Partial<Engine>,
  ): LiveRun {
    // Thousands of runs may wait, so their shared parts are kept once.
    const parts = engine === undefined ? this.#parts : { ...this.#parts, ...engine };
    const run = new LiveRun({ runId, goal }, parts, keeping, () => {
      this.#live.delete(runId);
    });
    this.#live.set(runId, run);
    return run;
  }

  #headerOf(start: StartOfRun): RunHeader {
    const startedAt = Math.floor(this.#parts.clock.now());
    return sealedHeader({ ...start, ...this.#fingerprints(), startedAt });
  }

  #fingerprints(): Pick<RunHeader, 'chartFingerprint' | 'policyFingerprint'> {
    const { policyFingerprint, chartFingerprint } = this.#parts;
    return { chartFingerprint: chartFingerprint(), policyFingerprint };
  }
}

const sharedOf = ({ store, clock, durability, newOwner, onError }: RegistryParts) => {
  if (store === undefined) return undefined;
  const { leaseMs, pollMs } = durability;
  const owner = newOwner();
  const ownership = new Ownership({ store, clock, owner, leaseMs, onError });
  return { store, ownership, poller: new CommandPoller({ store, clock, owner, pollMs, onError }) };
};

/* Parts that most programs never use: separate chunks in a bundle. */
const loadResume = () => import('./resume-stored.js');
const loadRecovery = () => import('./recovery.js');
const loadJournal = () => import('../journal/read-journal.js');
const loadCarryOver = () => import('./carry-over.js');
const loadConnection = () => import('./connected-run.js');

/** Loads all of these now, because a virtual clock does not wait for a module. */
export const loadOnDemandParts = (): Promise<unknown> =>
  Promise.all([loadResume(), loadRecovery(), loadJournal(), loadCarryOver(), loadConnection()]);

const noStore = (runId: string): string =>
  `Run '${runId}' is not running here, and there is no store to look for it: pass \`store\` to createOrchestrator`;
