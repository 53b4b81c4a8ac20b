import {
  JournalMismatchError,
  OrchestratorClosedError,
  RunClaimedError,
  RunConflictError,
  RunNotFoundError,
} from '../errors.js';
import type { ReadJournal } from '../journal/read-journal.js';
import { sealedHeader } from '../journal/sealed-header.js';
import type { RunHeader, RunStore } from '../services/run-store.js';
import type { Engine, ForkedRun } from '../time-travel/fork.types.js';
import type { Durability } from './durability.js';
import { Inbox } from './inbox.js';
import { JournalWriter } from './journal-writer.js';
import { Lease } from './lease.js';
import type { Keeping, RunParts } from './live-run.js';
import { LiveRun } from './live-run.js';
import { replayedRun } from './replayed-run.js';
import type { ConnectedRun, Run } from './run.types.js';
import type { TakenUp } from './take-up.js';

/** What every run of one orchestrator is made of. */
export interface RegistryParts extends RunParts {
  readonly store: RunStore | undefined;
  readonly durability: Durability;
  /** A name for the owner of one run; never the same twice, in no process. */
  readonly newOwner: () => string;
  /** Tells whether a stored run was made under the policy at hand. */
  readonly policyFingerprint: string;
  /** Tells whether the charts are the ones it was made on. Asked for where there is a store. */
  readonly chartFingerprint: () => string;
}

/** The runs of one orchestrator that live in this process, each of them once. */
export class RunRegistry {
  readonly #parts: RegistryParts;
  readonly #live = new Map<string, LiveRun>();
  /** Runs that are being read from the store. */
  readonly #resuming = new Map<string, Promise<Run>>();
  readonly #recoveries = new Set<() => void>();
  #isClosed = false;

  constructor(parts: RegistryParts) {
    this.#parts = parts;
  }

  start(runId: string, input: { readonly goal: string; readonly plan?: unknown }): Run {
    this.#refuseWhenClosed();
    if (this.has(runId)) {
      throw new RunConflictError(`Run '${runId}' is already running`);
    }
    const keeping = this.#keepingOf(runId);
    const run = this.#create({ runId, goal: input.goal }, keeping);
    try {
      keeping?.writer.open(this.#headerOf(runId, input));
      run.begin({ ...input, runId });
    } catch (error) {
      this.#live.delete(runId);
      throw error;
    }
    return run;
  }

  /** The live run, or the one in the store; however often it is asked for at once, it is taken up once. */
  resume(runId: string): Promise<Run> {
    const live = this.#live.get(runId);
    if (live !== undefined) return Promise.resolve(live);
    const pending = this.#resuming.get(runId);
    if (pending !== undefined) return pending;
    const resuming = this.#resume(runId).finally(() => this.#resuming.delete(runId));
    this.#resuming.set(runId, resuming);
    return resuming;
  }

  /** Whether the run lives here, or is about to. */
  has(runId: string): boolean {
    return this.#live.has(runId) || this.#resuming.has(runId);
  }

  /** As `resume`; a run that began on other charts or under another policy is carried over into a new one. */
  async resumeOrCarryOver(runId: string): Promise<Run> {
    try {
      return await this.resume(runId);
    } catch (error) {
      const { store, clock, policyFingerprint, chartFingerprint } = this.#parts;
      const keeping = this.#keepingOf(runId);
      if (!JournalMismatchError.isInstance(error) || store === undefined || !keeping) throw error;
      const present = {
        policyFingerprint,
        chartFingerprint: chartFingerprint(),
        startedAt: clock.now(),
      };
      const { carryOver } = await loadCarryOver();
      return this.resume(await carryOver(runId, { store, lease: keeping.lease, present }));
    }
  }

  /** A stored run as it is now; it is neither claimed nor changed. */
  async read(
    runId: string,
  ): Promise<{ readonly header: RunHeader; readonly entries: ReadJournal['entries'] }> {
    const stored = await this.#parts.store?.read(runId);
    if (stored !== undefined) {
      const { readJournal } = await loadJournal();
      return { header: stored.header, entries: readJournal(stored, runId).entries };
    }
    throw new RunNotFoundError(
      this.#parts.store === undefined ? noStore(runId) : `Run '${runId}' is not in the store`,
    );
  }

  /** Goes on with a run that was made of the journal of another one. */
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
      else run.goOn(replayed);
    } catch (error) {
      this.#live.delete(runId);
      await keeping?.lease.release();
      throw error;
    }
    return run;
  }

  /** A run of the store, whoever runs it. */
  async connect(runId: string): Promise<ConnectedRun> {
    await this.read(runId);
    const { store, clock, durability, newOwner } = this.#parts;
    if (store === undefined) throw new RunNotFoundError(noStore(runId));
    const { pollMs, answerMs } = durability;
    const { StoredRunConnection } = await loadConnection();
    return new StoredRunConnection(runId, {
      store,
      clock,
      newCommandId: newOwner,
      pollMs,
      answerMs,
    });
  }

  /** Every unfinished run in the store that belongs to nobody. */
  async recover(): Promise<readonly Run[]> {
    const runs: Run[] = [];
    for (let after: string | undefined; !this.#isClosed;) {
      const filter = after === undefined ? { ended: false } : { ended: false, after };
      const page = (await this.#parts.store?.list(filter)) ?? [];
      const last = page.at(-1);
      if (last === undefined) return runs;
      for (const { header } of page) {
        const run = this.#live.has(header.runId) ? undefined : await this.#tryResume(header.runId);
        if (run !== undefined) runs.push(run);
      }
      after = last.header.runId;
    }
    return runs;
  }

  /** Recovers now and again and again, until it is told to stop or the orchestrator is closed. */
  recoverEvery(everyMs: number): () => void {
    this.#refuseWhenClosed();
    const { clock, onError } = this.#parts;
    let isStopped = false;
    let timer: unknown;
    const recover = async (): Promise<void> => {
      await this.recover().catch(onError);
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

  /** Takes nothing up any more, and leaves what runs here to whoever takes it up next. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#recoveries) stop();
    await Promise.allSettled(this.#resuming.values());
    await Promise.all([...this.#live.values()].map((run) => run.stop(graceMs)));
  }

  #refuseWhenClosed(): void {
    if (this.#isClosed) throw new OrchestratorClosedError();
  }

  /** One run that cannot be taken up keeps nobody else from it; one that somebody else runs is as it should be. */
  async #tryResume(runId: string): Promise<Run | undefined> {
    try {
      return await this.resume(runId);
    } catch (error) {
      if (!RunClaimedError.isInstance(error)) this.#parts.onError(error);
      return undefined;
    }
  }

  async #resume(runId: string): Promise<Run> {
    this.#refuseWhenClosed();
    const { store, kernel, policyFingerprint, chartFingerprint, onError } = this.#parts;
    const keeping = this.#keepingOf(runId);
    if (store === undefined || keeping === undefined) {
      throw new RunNotFoundError(noStore(runId));
    }
    const { takeUp } = await loadTakeUp();
    const taken = await takeUp(runId, {
      store,
      lease: keeping.lease,
      kernel,
      policyFingerprint,
      chartFingerprint: chartFingerprint(),
      onError,
    });
    const run = this.#create(taken.header, keeping, await this.#carried(taken.header));
    if (taken.kind !== 'ended') keeping.writer.goOn(taken.format);
    try {
      this.#carryOn(run, taken);
    } catch (error) {
      this.#live.delete(runId);
      await keeping.lease.release();
      throw error;
    }
    return run;
  }

  /** A run that was carried over asks nobody for what the one before it has answers to. */
  async #carried({ runId, carriedFrom }: RunHeader): Promise<Partial<RunParts>> {
    if (carriedFrom === undefined) return {};
    const stored = await this.#parts.store?.read(carriedFrom);
    if (stored === undefined) return {};
    const { readJournal } = await loadJournal();
    const before = { runId: carriedFrom, entries: readJournal(stored, carriedFrom).entries };
    const { rememberingPerform } = await loadCarryOver();
    return { perform: rememberingPerform(this.#parts.perform, runId, before) };
  }

  #carryOn(run: LiveRun, taken: TakenUp): void {
    const { goal, runId, plan } = taken.header;
    switch (taken.kind) {
      case 'ended':
        run.show(taken.entries);
        return;
      case 'new': {
        const input = plan === undefined ? { goal, runId } : { goal, runId, plan };
        const { takeovers } = taken.meanwhile;
        if (takeovers === undefined) run.begin(input);
        else run.beginAfter(takeovers, input);
        return;
      }
      case 'unfinished':
        run.goOn(taken.replayed, taken.meanwhile);
    }
  }

  #keepingOf(runId: string): Keeping | undefined {
    const { store, clock, durability, newOwner, onError } = this.#parts;
    if (store === undefined) return undefined;
    const owner = newOwner();
    const { leaseMs, pollMs } = durability;
    const lease = new Lease({ store, clock, runId, owner, leaseMs, onError });
    const inbox = new Inbox({ store, clock, runId, pollMs, onError });
    return { lease, inbox, writer: new JournalWriter(store, runId, lease) };
  }

  #create(
    { runId, goal }: Pick<RunHeader, 'runId' | 'goal'>,
    keeping: Keeping | undefined,
    engine?: Partial<Engine>,
  ): LiveRun {
    const run = new LiveRun({ runId, goal }, { ...this.#parts, ...engine }, keeping, () => {
      this.#live.delete(runId);
    });
    this.#live.set(runId, run);
    return run;
  }

  #headerOf(
    runId: string,
    { goal, plan }: { readonly goal: string; readonly plan?: unknown },
  ): RunHeader {
    const { clock, policyFingerprint, chartFingerprint } = this.#parts;
    return sealedHeader({
      runId,
      goal,
      ...(plan === undefined ? {} : { plan }),
      policyFingerprint,
      chartFingerprint: chartFingerprint(),
      startedAt: clock.now(),
    });
  }
}

/* What most programs never ask for: chunks of their own in a bundle. */
const loadTakeUp = () => import('./take-up.js');
const loadJournal = () => import('../journal/read-journal.js');
const loadCarryOver = () => import('./carry-over.js');
const loadConnection = () => import('./connected-run.js');

const noStore = (runId: string): string =>
  `Run '${runId}' is not running here, and there is no store to look for it: pass \`store\` to createOrchestrator`;
