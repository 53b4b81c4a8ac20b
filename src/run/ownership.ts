import { RunConflictError } from '../errors.js';
import type { Clock } from '../services/clock.js';
import type { MaybePromise, RunClaim, RunStore } from '../model/run-store.js';
import { afterwards } from './maybe-promise.js';

/** Renewals per lease: two may fail before another process may claim the runs. */
const RENEWALS_PER_LEASE = 3;

export interface OwnershipParts {
  readonly store: Pick<RunStore, 'renew' | 'claim' | 'owned' | 'release' | 'retire'>;
  readonly clock: Clock;
  /** A random name: one owner is one orchestrator in one process. */
  readonly owner: string;
  readonly leaseMs: number;
  /** Receives errors of failed renewals; the next one may succeed. */
  readonly onError: (error: unknown) => void;
}

/** A run that this process owns. */
export interface Holder {
  readonly token: number;
  /** Called once, when another process has claimed the run. */
  readonly lost: (error: RunConflictError) => void;
}

/**
 * The lease of one process on all runs that it owns: one renewal, whatever their number.
 *
 * The process knows by its own clock until when no other process can have claimed a run: counted from when the renewal
 * was sent, so never too long. Once that time has passed (the process slept, or the store was unreachable) the lease is
 * confirmed before any action that only an owner may take.
 */
export class Ownership {
  readonly #parts: OwnershipParts;
  readonly #holders = new Map<string, Holder>();
  #validUntilMs = Number.NEGATIVE_INFINITY;
  #timer: unknown;
  #confirming: Promise<void> | undefined;

  constructor(parts: OwnershipParts) {
    this.#parts = parts;
  }

  get owner(): string {
    return this.#parts.owner;
  }

  /** No other process can have claimed a run that this one owns. */
  get isValid(): boolean {
    return this.#parts.clock.now() < this.#validUntilMs;
  }

  /** Makes sure that there is a lease for a run that is about to be claimed. */
  refresh(): MaybePromise<void> {
    const { clock, leaseMs } = this.#parts;
    const leftMs = this.#validUntilMs - clock.now();
    return leftMs > leaseMs - leaseMs / RENEWALS_PER_LEASE ? undefined : this.#renew();
  }

  /** Claims a run. Undefined when another process owns it, or there is nothing to claim. */
  claim(runId: string): MaybePromise<RunClaim | undefined> {
    const { store, clock, owner } = this.#parts;
    return afterwards(this.refresh(), () => store.claim(runId, owner, clock.now()));
  }

  hold(runId: string, holder: Holder): void {
    this.#holders.set(runId, holder);
    if (this.#holders.size === 1) this.#renewLater();
  }

  /** Removes a run. The last one ends the renewals. */
  drop(runId: string): void {
    this.#holders.delete(runId);
    if (this.#holders.size === 0) this.#parts.clock.clearTimeout(this.#timer);
  }

  /** Renews a lease that may have ended. Listeners of runs that another process has claimed since are called first. */
  confirm(): MaybePromise<void> {
    if (this.isValid) return undefined;
    if (this.#confirming !== undefined) return this.#confirming;
    const renewed = this.#renew();
    if (renewed === undefined) return undefined;
    this.#confirming = renewed.finally(() => {
      this.#confirming = undefined;
    });
    return this.#confirming;
  }

  /** Releases a run, so that another process need not wait for the end of the lease. */
  async release(runId: string, token: number): Promise<void> {
    try {
      await this.#parts.store.release(runId, token);
    } catch (error) {
      this.#parts.onError(error);
    }
  }

  /** Ends the lease: all runs of this process can be claimed at once. */
  async retire(): Promise<void> {
    if (this.#validUntilMs === Number.NEGATIVE_INFINITY) return;
    try {
      await this.#parts.store.retire(this.#parts.owner);
    } catch (error) {
      this.#parts.onError(error);
    }
  }

  #renew(): Promise<void> | undefined {
    const { store, clock, owner, leaseMs } = this.#parts;
    const sentAtMs = clock.now();
    const hasLapsed = sentAtMs >= this.#validUntilMs;
    // The answer does not include a run that was claimed while it was on its way.
    const held = hasLapsed ? [...this.#holders] : [];
    const renewed = afterwards(store.renew(owner, leaseMs, sentAtMs), () =>
      afterwards(this.#findLost(held), () => {
        this.#validUntilMs = sentAtMs + leaseMs;
      }),
    );
    return renewed instanceof Promise ? renewed : undefined;
  }

  #findLost(held: readonly (readonly [string, Holder])[]): MaybePromise<void> {
    if (held.length === 0) return undefined;
    return afterwards(this.#parts.store.owned(this.#parts.owner), (owned) => {
      const tokens = new Map(owned.map(({ runId, token }) => [runId, token]));
      for (const [runId, holder] of held) {
        const isHeld = this.#holders.get(runId) === holder;
        if (!isHeld || tokens.get(runId) === holder.token) continue;
        this.drop(runId);
        holder.lost(new RunConflictError(`Run '${runId}' was claimed by another process`));
      }
    });
  }

  #renewLater(): void {
    const { clock, leaseMs, onError } = this.#parts;
    const renew = async (): Promise<void> => {
      try {
        await this.#renew();
      } catch (error) {
        onError(error);
      }
      if (this.#holders.size > 0) this.#renewLater();
    };
    clock.clearTimeout(this.#timer);
    this.#timer = clock.setTimeout(() => void renew(), leaseMs / RENEWALS_PER_LEASE);
  }
}
