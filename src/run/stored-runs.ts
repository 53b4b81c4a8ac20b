import { JournalMismatchError, RunConflictError, RunNotFoundError } from '../errors.js';
import type { JournalEntry } from '../journal/entry.js';
import { readJournal } from '../journal/read-journal.js';
import { sealedHeader } from '../journal/sealed-header.js';
import type { RunClaim, RunHeader, RunStore } from '../model/run-store.js';
import { StoreRetry } from '../services/store-retry.js';
import { carryOver, rememberingPerform } from './carry-over.js';
import { CommandPoller } from './command-poller.js';
import { StoredRunConnection } from './connected-run.js';
import type { Engine, ForkedRun, StartInputOfChart, StartOfRun } from './engine.js';
import { startOf, versionOf } from './engine.js';
import { Inbox } from './inbox.js';
import { JournalWriter } from './journal-writer.js';
import { Lease } from './lease.js';
import type { LiveRun } from './live-run.js';
import { CLOSED } from './live-run.js';
import type { Keeping, RunParts } from './live-run.types.js';
import { unfinishedWork, upgraded } from './missed-events.js';
import { Ownership } from './ownership.js';
import type { RecoverOptions, Resumed } from './recovery.js';
import { Recovery } from './recovery.js';
import { replayedRun } from './replayed-run.js';
import type { ResumedRun } from './resume-stored.js';
import { resumeStored } from './resume-stored.js';
import type { RegistryParts } from './run-registry.js';
import type { Run } from './run.types.js';

/** The parts of an orchestrator with a store. */
export interface StoredRunsParts extends RegistryParts {
  readonly store: RunStore;
  /** The live run of this process with this id. */
  readonly live: (runId: string) => LiveRun | undefined;
  /** Adds a live run; it is removed when it ends. */
  readonly create: (start: StartOfRun, engine?: Partial<Engine>) => LiveRun;
  /** Removes a live run that could not begin. */
  readonly forget: (run: LiveRun) => void;
  readonly isClosed: () => boolean;
  /** Throws when the orchestrator is closed. */
  readonly refuseWhenClosed: () => void;
}

/** The runs of one orchestrator in its store. Loaded when there is a store: most pages have none. */
export class StoredRuns {
  readonly #parts: StoredRunsParts;
  readonly #ownership: Ownership;
  readonly #poller: CommandPoller;
  readonly #recovery: Recovery;
  /** Runs that are being read from the store. */
  readonly #resuming = new Map<string, Promise<Resumed>>();
  /** Connections that follow a run. */
  readonly #following = new Set<StoredRunConnection>();

  constructor(parts: StoredRunsParts) {
    const { store, clock, durability, newOwner, onError, isClosed } = parts;
    const { leaseMs, pollMs } = durability;
    const owner = newOwner();
    this.#parts = parts;
    // One query serves all runs of this process.
    this.#ownership = new Ownership({ store, clock, owner, leaseMs, onError });
    this.#poller = new CommandPoller({ store, clock, owner, pollMs, onError });
    this.#recovery = new Recovery({
      store,
      clock,
      isLive: (runId) => this.#isLive(runId),
      isClosed,
      resume: (runId, { carryOver: isCarriedOver = false }) =>
        isCarriedOver ? this.#resumeOrCarryOver(runId) : this.#resumeOnce(runId),
      onError,
    });
  }

  /** Whether the run is being read from the store. */
  isResuming(runId: string): boolean {
    return this.#resuming.has(runId);
  }

  /** Begins a new run. */
  begin(run: LiveRun, input: StartInputOfChart): void {
    const keeping = this.#keepingOf(input.runId);
    const start = startOf({ ...input, plan: input.proposal?.plan ?? undefined });
    const startedAt = Math.floor(this.#parts.clock.now());
    run.keepIn(keeping);
    keeping.writer.open(sealedHeader({ ...start, ...this.#fingerprints(), startedAt }));
    run.begin(input);
  }

  /** Resumes a stored run; concurrent calls resume it once. */
  async resume(runId: string): Promise<Run> {
    return (await this.#resumeOnce(runId)).run;
  }

  /** Like `resume`; a run that cannot be resumed under the present charts and policy is carried over into a new one. */
  async resumeOrCarryOver(runId: string): Promise<Run> {
    return (await this.#resumeOrCarryOver(runId)).run;
  }

  /** A stored run as it is now, without claiming or changing it. */
  async read(
    runId: string,
  ): Promise<{ readonly header: RunHeader; readonly entries: readonly JournalEntry[] }> {
    const { store, kernel } = this.#parts;
    const stored = await store.read(runId);
    if (stored === undefined) throw new RunNotFoundError(`Run '${runId}' is not in the store`);
    await kernel.prepare();
    return { header: stored.header, entries: readJournal(stored, runId).entries };
  }

  /** Continues a run that was forked from the journal of another one. */
  async adopt({ header, entries, ended, engine }: ForkedRun): Promise<Run> {
    const { runId } = header;
    this.#parts.refuseWhenClosed();
    if (this.#isLive(runId)) throw new RunConflictError(`Run '${runId}' is already running`);
    const keeping = this.#keepingOf(runId);
    const replayed = replayedRun(engine.kernel, entries);
    const run = this.#parts.create(header, engine);
    run.keepIn(keeping);
    try {
      keeping.writer.open(sealedHeader({ ...header, chartFingerprint: engine.chartFingerprint() }));
      await keeping.writer.append(entries, {
        hasEnded: ended,
        save: () => engine.kernel.save(replayed.state),
      });
      if (ended) run.show(entries);
      else run.continueFrom(replayed, unfinishedWork(replayed, engine));
    } catch (error) {
      await this.#forget(run, keeping);
      throw error;
    }
    return run;
  }

  /** Makes this process the owner of a run that it does not run; undefined when another process owns it. */
  async claim(runId: string): Promise<RunClaim | undefined> {
    return this.#ownership.claim(runId);
  }

  /** Connects to a stored run in any process. */
  async connect(runId: string): Promise<Run> {
    const { store, clock, durability, newOwner, onError, redactText } = this.#parts;
    this.#parts.refuseWhenClosed();
    const stored = await store.read(runId);
    if (stored === undefined) throw new RunNotFoundError(`Run '${runId}' is not in the store`);
    const { pollMs, answerMs } = durability;
    const retry = new StoreRetry({ clock, windowMs: answerMs, onError });
    const onFollowing = (connection: StoredRunConnection, isFollowing: boolean): void => {
      if (isFollowing) this.#following.add(connection);
      else this.#following.delete(connection);
    };
    return new StoredRunConnection(stored, runId, {
      ...{ store, clock, newCommandId: newOwner, pollMs, answerMs, retry },
      ...{ onError, redactText, onFollowing },
    });
  }

  /** Resumes every unfinished stored run without an owner. */
  recover(options: RecoverOptions): Promise<readonly Run[]> {
    return this.#recovery.recover(options);
  }

  /** Resolves when no run is being resumed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#resuming.values());
  }

  /** Ends the lease of this process: its runs can be claimed at once. */
  retire(): Promise<void> {
    for (const connection of this.#following) connection.detach(CLOSED);
    return this.#ownership.retire();
  }

  #isLive(runId: string): boolean {
    return this.isResuming(runId) || this.#parts.live(runId) !== undefined;
  }

  #resumeOnce(runId: string): Promise<Resumed> {
    const pending = this.#resuming.get(runId);
    if (pending !== undefined) return pending;
    const resuming = this.#resume(runId).finally(() => this.#resuming.delete(runId));
    this.#resuming.set(runId, resuming);
    return resuming;
  }

  async #resumeOrCarryOver(runId: string): Promise<Resumed> {
    try {
      return await this.#resumeOnce(runId);
    } catch (error) {
      if (!JournalMismatchError.isInstance(error)) throw error;
      const { store, clock } = this.#parts;
      const { lease, retry } = this.#keepingOf(runId);
      const present = { ...this.#fingerprints(), startedAt: Math.floor(clock.now()) };
      return this.#resumeOnce(await carryOver(runId, { store, lease, retry, present }));
    }
  }

  async #resume(runId: string): Promise<Resumed> {
    const { store, kernel, onError, refuseWhenClosed, create } = this.#parts;
    refuseWhenClosed();
    const keeping = this.#keepingOf(runId);
    await kernel.prepare();
    const version = versionOf(this.#parts);
    const { lease } = keeping;
    const taken = await resumeStored(runId, { store, lease, kernel, version, onError });
    const run = create(taken.header, await this.#carried(taken.header));
    run.keepIn(keeping);
    if (taken.kind !== 'ended') {
      const entries = taken.kind === 'new' ? [] : taken.replayed.entries;
      keeping.writer.continueFrom(taken.format, taken.missed.isTakeover, entries);
    }
    try {
      const trial = this.#continueRun(run, taken) ? run.answered() : undefined;
      return { run, trial };
    } catch (error) {
      await this.#forget(run, keeping);
      throw error;
    }
  }

  /** A carried-over run makes no call that its predecessor has an answer to. */
  async #carried({ runId, carriedFrom }: RunHeader): Promise<Partial<RunParts> | undefined> {
    if (carriedFrom === undefined) return undefined;
    const stored = await this.#parts.store.read(carriedFrom);
    if (stored === undefined) return undefined;
    const before = { runId: carriedFrom, entries: readJournal(stored, carriedFrom).entries };
    return { perform: rememberingPerform(this.#parts.perform, runId, before) };
  }

  /** Returns whether a call of the run was in flight when its process died. */
  #continueRun(run: LiveRun, taken: ResumedRun): boolean {
    switch (taken.kind) {
      case 'ended':
        run.show(taken.entries);
        return false;
      case 'new':
        run.begin(this.#parts.startInput(taken.header), upgraded(taken.missed.upgrade));
        return false;
      case 'unfinished': {
        const work = unfinishedWork(taken.replayed, this.#parts, taken.missed);
        run.continueFrom(taken.replayed, work);
        return work.isSuspect;
      }
    }
  }

  #keepingOf(runId: string): Keeping {
    const { store, clock, durability, onError } = this.#parts;
    const lease = new Lease(this.#ownership, runId);
    const retry = new StoreRetry({ clock, windowMs: durability.storeRetryMs, onError });
    const writer = new JournalWriter({ store, runId, lease, retry });
    return { lease, inbox: new Inbox({ store, runId }), poller: this.#poller, retry, writer };
  }

  async #forget(run: LiveRun, { lease }: Keeping): Promise<void> {
    this.#parts.forget(run);
    await lease.release();
  }

  #fingerprints(): Pick<RunHeader, 'chartFingerprint' | 'policyFingerprint'> {
    const { policyFingerprint, chartFingerprint } = this.#parts;
    return { chartFingerprint: chartFingerprint(), policyFingerprint };
  }
}
