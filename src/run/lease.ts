import { RunConflictError } from '../errors.js';
import type { Clock } from '../services/clock.js';
import type { MaybePromise, RunClaim, RunStore } from '../services/run-store.js';
import { afterwards } from './maybe-promise.js';

/** A lease is renewed this often while it lasts: two renewals may fail before anybody else may take the run. */
const RENEWALS_PER_LEASE = 3;

export interface LeaseParts {
  readonly store: Pick<RunStore, 'claim' | 'release'>;
  readonly clock: Clock;
  readonly runId: string;
  /** A random name: one owner is one driver of one run. */
  readonly owner: string;
  readonly leaseMs: number;
  /** Told of renewals that failed; the run goes on, and the next one may succeed. */
  readonly onError: (error: unknown) => void;
}

/** The right of one driver to write to one run, kept up while the run lives. */
export class Lease {
  readonly #parts: LeaseParts;
  #claim: RunClaim | undefined;
  #timer: unknown;
  #onLost: (error: RunConflictError) => void = () => undefined;
  #isOver = false;

  constructor(parts: LeaseParts) {
    this.#parts = parts;
  }

  get token(): number | undefined {
    return this.#claim?.token;
  }

  /** Claims the run. Undefined when somebody else has it, or there is nothing to claim. */
  take(): MaybePromise<RunClaim | undefined> {
    const { store, clock, runId, owner, leaseMs } = this.#parts;
    return afterwards(store.claim(runId, owner, leaseMs, clock.now()), (claim) => {
      this.#claim = claim;
      if (claim !== undefined && !this.#isOver) this.#renewLater();
      return claim;
    });
  }

  /** Whom to tell when somebody else has taken the run. */
  onLost(listener: (error: RunConflictError) => void): void {
    this.#onLost = listener;
  }

  /** Renews no more. An ended run needs no more than that: nobody can claim it. */
  stop(): void {
    this.#isOver = true;
    this.#parts.clock.clearTimeout(this.#timer);
  }

  /** Gives the run back, so that whoever wants it need not wait for the end of the lease. */
  async release(): Promise<void> {
    this.stop();
    if (this.#claim === undefined) return;
    try {
      await this.#parts.store.release(this.#parts.runId, this.#claim.token);
    } catch (error) {
      this.#parts.onError(error);
    }
  }

  #renewLater(): void {
    const { clock, leaseMs } = this.#parts;
    this.#timer = clock.setTimeout(() => {
      void this.#renew();
    }, leaseMs / RENEWALS_PER_LEASE);
  }

  async #renew(): Promise<void> {
    const { store, clock, runId, owner, leaseMs, onError } = this.#parts;
    try {
      const claim = await store.claim(runId, owner, leaseMs, clock.now());
      if (this.#isOver) return;
      if (claim?.token !== this.#claim?.token) {
        this.#onLost(new RunConflictError(`Run '${runId}' is claimed by somebody else`));
        return;
      }
    } catch (error) {
      onError(error);
    }
    if (!this.#isOver) this.#renewLater();
  }
}
