import {
  JournalCorruptError,
  JournalMismatchError,
  RunClaimedError,
  RunNotFoundError,
  StoreUnavailableError,
} from '../errors.js';
import type { Clock } from '../services/clock.js';
import type { ClaimableRun, RunStore } from '../model/run-store.js';
import type { Run } from './run.types.js';

/** A run that was resumed here. */
export interface Resumed {
  readonly run: Run;
  /**
   * Set when a call of the run was in flight when its process died: resolves when a call was answered, or the run has
   * ended.
   */
  readonly trial: Promise<void> | undefined;
}

export interface RecoverOptions {
  /** Creates a successor for a run that cannot be resumed under the present charts and policy. @default false */
  readonly carryOver?: boolean;
  /** Called with every run that is resumed, also with those that are resumed after `recover` has returned. */
  readonly onResumed?: (run: Run) => unknown;
}

export interface RecoveryParts {
  readonly store: Pick<RunStore, 'claimable'>;
  readonly clock: Clock;
  readonly isLive: (runId: string) => boolean;
  readonly isClosed: () => boolean;
  readonly resume: (runId: string, options: RecoverOptions) => Promise<Resumed>;
  readonly onError: (error: unknown) => void;
}

/**
 * Resumes the runs without an owner.
 *
 * A run that was taken over before and has made no progress since is a suspect: one of its calls may end the process.
 * One suspect at a time makes its calls here, those with the fewest takeovers first; the rest stay unclaimed, so that a
 * crash of this process does not count against them.
 */
export class Recovery {
  readonly #parts: RecoveryParts;
  /** Runs that cannot be resumed here: each is reported once, and tried again only when it is resumed by id. */
  readonly #refused = new Set<string>();
  /** The subset of runs that could not be carried over either. */
  readonly #refusedCarryOver = new Set<string>();
  /**
   * Runs whose claim may have succeeded although its answer was lost: this process may own them without running them.
   */
  readonly #unsure = new Set<string>();
  #suspects: ClaimableRun[] = [];
  #options: RecoverOptions = {};
  #isTrying = false;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  /** Returns the resumed runs. Waiting suspects are resumed later. */
  async recover(options: RecoverOptions): Promise<readonly Run[]> {
    this.#options = options;
    const runs: Run[] = [];
    const suspects: ClaimableRun[] = [];
    try {
      for await (const claimable of this.#claimable()) {
        if (claimable.takeovers > 0) suspects.push(claimable);
        else runs.push(...(await this.#resume(claimable)).map(({ run }) => run));
      }
    } catch (error) {
      // Runs that were already resumed are running here, so the caller gets them.
      if (runs.length === 0) throw error;
      this.#parts.onError(error);
    }
    this.#suspects = suspects.sort((left, right) => left.takeovers - right.takeovers);
    runs.push(...(await this.#tryNext()));
    return runs;
  }

  async *#claimable(): AsyncGenerator<ClaimableRun> {
    const { store, clock, isLive, isClosed } = this.#parts;
    for (const runId of this.#unsure) yield { runId, takeovers: 0 };
    for (let after: string | undefined; !isClosed();) {
      const page = await store.claimable(clock.now(), after === undefined ? {} : { after });
      for (const claimable of page) {
        if (isClosed()) return;
        if (!isLive(claimable.runId) && !this.#isRefused(claimable.runId)) yield claimable;
      }
      after = page.at(-1)?.runId;
      if (after === undefined) return;
    }
  }

  #isRefused(runId: string): boolean {
    const refused = this.#options.carryOver === true ? this.#refusedCarryOver : this.#refused;
    return refused.has(runId);
  }

  /** Resumes suspects up to the first one that has calls to make. */
  async #tryNext(): Promise<readonly Run[]> {
    if (this.#isTrying) return [];
    this.#isTrying = true;
    const runs: Run[] = [];
    for (let next = this.#suspects.shift(); next !== undefined; next = this.#suspects.shift()) {
      if (this.#parts.isClosed()) break;
      const [resumed] = await this.#resume(next);
      if (resumed === undefined) continue;
      runs.push(resumed.run);
      if (resumed.trial === undefined) continue;
      void resumed.trial.then(() => {
        this.#isTrying = false;
        return this.#tryNext();
      });
      return runs;
    }
    this.#isTrying = false;
    return runs;
  }

  /** The callback belongs to the user: its errors change nothing. */
  #tell(run: Run): void {
    try {
      const returned = this.#options.onResumed?.(run);
      if (returned instanceof Promise) returned.catch(this.#parts.onError);
    } catch (error) {
      this.#parts.onError(error);
    }
  }

  /** A run that cannot be resumed does not stop the recovery; a run that another process owns is not an error. */
  async #resume({ runId }: ClaimableRun): Promise<readonly Resumed[]> {
    this.#unsure.delete(runId);
    if (this.#parts.isLive(runId)) return [];
    try {
      const resumed = await this.#parts.resume(runId, this.#options);
      this.#tell(resumed.run);
      return [resumed];
    } catch (error) {
      if (RunClaimedError.isInstance(error) || RunNotFoundError.isInstance(error)) return [];
      if (StoreUnavailableError.isInstance(error)) this.#unsure.add(runId);
      if (JournalMismatchError.isInstance(error) || JournalCorruptError.isInstance(error)) {
        this.#refused.add(runId);
        if (this.#options.carryOver === true) this.#refusedCarryOver.add(runId);
      }
      this.#parts.onError(error);
      return [];
    }
  }
}
