import { StoreUnavailableError } from '../../../errors.js';
import { toFailure } from '../../../failure.js';

/**
 * The page of an owner, according to its Web Lock. Undefined when its lease decides: the browser has no Web Locks, or
 * the owner is in this page.
 */
export type PageOfOwner = 'open' | 'gone' | undefined;

interface HeldLock {
  readonly entered: Promise<void>;
  readonly release: () => void;
}

/** The names of all locks that this page has held. */
const namesOfThisPage = new Set<string>();

/**
 * One Web Lock per owner, held while its page is open. The browser releases it when the page is closed, reloaded or
 * killed, so that the next page need not wait for the end of a lease. A hidden page keeps its lock, although the browser
 * delays its timers, and so its renewals, for longer than a lease.
 *
 * An owner gets its lock before its first run, and names are random. So the owner of a run that has no lock is gone, and
 * does not come back.
 */
export class OwnerLocks {
  readonly #prefix: string;
  readonly #held = new Map<string, HeldLock>();

  constructor(databaseName: string) {
    this.#prefix = `planwright ${databaseName} `;
  }

  /** Returns when the owner has its lock. */
  async enter(owner: string): Promise<void> {
    const locks = webLocks();
    if (locks === undefined) return;
    const name = this.#prefix + owner;
    const held = this.#held.get(name) ?? requested(locks, name);
    this.#held.set(name, held);
    try {
      await held.entered;
    } catch (error) {
      this.#held.delete(name);
      throw lockError(error);
    }
  }

  leave(owner: string): void {
    const name = this.#prefix + owner;
    this.#held.get(name)?.release();
    this.#held.delete(name);
  }

  /** Where the owners are now. */
  async look(): Promise<(owner: string | null) => PageOfOwner> {
    const locks = webLocks();
    if (locks === undefined) return () => undefined;
    const { held = [] } = await locks.query().catch((error: unknown) => {
      throw lockError(error);
    });
    const names = new Set(held.map(({ name }) => name));
    return (owner) => {
      if (owner === null) return undefined;
      const name = this.#prefix + owner;
      if (namesOfThisPage.has(name)) return undefined;
      return names.has(name) ? 'open' : 'gone';
    };
  }

  close(): void {
    for (const { release } of this.#held.values()) release();
    this.#held.clear();
  }
}

const requested = (locks: LockManager, name: string): HeldLock => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const entered = new Promise<void>((resolve, reject) => {
    const hold = (): Promise<void> => {
      namesOfThisPage.add(name);
      resolve();
      return released;
    };
    // Two store objects of one page may have the same owner: the second does not wait for the first.
    locks.request(name, { ifAvailable: true }, hold).catch(reject);
  });
  return { entered, release: () => release() };
};

/** A page that is being closed refuses requests. */
const lockError = (error: unknown): StoreUnavailableError =>
  new StoreUnavailableError(`Web Locks cannot be used: ${toFailure(error).message}`, {
    cause: error,
  });

/** Only https and localhost have them. */
const webLocks = (): LockManager | undefined =>
  (globalThis as { readonly navigator?: { readonly locks?: LockManager } }).navigator?.locks;
