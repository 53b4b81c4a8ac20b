import type { RunConflictError } from '../errors.js';
import type { MaybePromise, RunClaim } from '../model/run-store.js';
import { afterwards } from './maybe-promise.js';
import type { Ownership } from './ownership.js';

/** The claim of a run that was created with an owner. */
const FIRST_CLAIM: RunClaim = { token: 1, isTakeover: false };

/** The right of this process to write to one run. */
export class Lease {
  readonly #ownership: Ownership;
  readonly #runId: string;
  #claim: RunClaim | undefined;
  #onLost: (error: RunConflictError) => void = () => undefined;
  #isOver = false;

  constructor(ownership: Ownership, runId: string) {
    this.#ownership = ownership;
    this.#runId = runId;
  }

  get token(): number | undefined {
    return this.#claim?.token;
  }

  /** No other process can have claimed the run since this one did. */
  get isValid(): boolean {
    return this.#claim === undefined || this.#ownership.isValid;
  }

  /** Renews a lease that may have ended. The listener of a lost run is called before this returns. */
  confirm(): MaybePromise<void> {
    return this.#ownership.confirm();
  }

  /** Claims the run. Undefined when another process owns it, or there is nothing to claim. */
  take(): MaybePromise<RunClaim | undefined> {
    return afterwards(this.#ownership.claim(this.#runId), (claim) => {
      if (claim !== undefined) this.#hold(claim);
      return claim;
    });
  }

  /** Owns a run that `create` makes for this process. */
  begin(create: (owner: string) => MaybePromise<void>): MaybePromise<void> {
    return afterwards(this.#ownership.refresh(), () =>
      afterwards(create(this.#ownership.owner), () => this.#hold(FIRST_CLAIM)),
    );
  }

  #hold(claim: RunClaim): void {
    this.#claim = claim;
    if (this.#isOver) return;
    const lost = (error: RunConflictError): void => this.#onLost(error);
    this.#ownership.hold(this.#runId, { token: claim.token, lost });
  }

  /** Calls the listener when another process has claimed the run. */
  onLost(listener: (error: RunConflictError) => void): void {
    this.#onLost = listener;
  }

  /** Stops holding the run. An ended run needs nothing else: no process can claim it. */
  stop(): void {
    this.#isOver = true;
    this.#ownership.drop(this.#runId);
  }

  /** Releases the run, so that another process need not wait for the end of the lease. */
  async release(): Promise<void> {
    this.stop();
    if (this.#claim !== undefined) {
      await this.#ownership.release(this.#runId, this.#claim.token);
    }
  }
}
