import { deepFrozen } from '../deep-frozen.js';
import { SlowSubscriberError } from '../errors.js';
import type { Fact } from '../model/facts.js';
import type { Clock } from '../services/clock.js';

/** How many facts a subscriber may be behind. */
const BEHIND_MAX = 10_000;

interface Subscriber {
  readonly listener: (fact: Fact) => unknown;
  /** The place of the next fact it is told. */
  position: number;
  /** How many facts it may be behind: those it found when it subscribed are no fault of its own. */
  readonly behindMax: number;
  /** It has returned a promise for the fact before, and is not told the next one until that settles. */
  isBusy: boolean;
}

export interface FactStreamParts {
  readonly clock: Pick<Clock, 'turn'>;
  /** Told of errors of subscribers. Never throws. */
  readonly onError: (error: unknown) => void;
}

/**
 * All facts of one run, told to every subscriber in order and from the first. Subscribers are told after the run has
 * done its own work, each at its own pace: one that is slow, or waits, delays neither the run nor the others. The
 * journal keeps the same objects, so facts are frozen before they are handed out.
 */
export class FactStream {
  readonly #facts: Fact[] = [];
  readonly #subscribers = new Set<Subscriber>();
  readonly #waiting = new Set<() => void>();
  readonly #parts: FactStreamParts;
  /** Telling what there is, until every subscriber knows it or is busy. */
  #telling: Promise<void> | undefined;
  #hasEnded = false;

  constructor(parts: FactStreamParts) {
    this.#parts = parts;
  }

  get length(): number {
    return this.#facts.length;
  }

  /** Adds facts that were told before the process died: they are told to new subscribers only. */
  restore(facts: readonly Fact[]): void {
    for (const fact of facts) this.#facts.push(fact);
  }

  add(facts: readonly Fact[]): void {
    for (const fact of facts) this.#facts.push(fact);
    this.#tellSoon();
    this.#wake();
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  /** Resolves when every subscriber has been told everything, or is busy with something it was told. */
  told(): Promise<void> {
    return this.#telling ?? Promise.resolve();
  }

  /** Tells the facts so far at once, and later ones as they come. Returns a function that stops it. */
  subscribe(listener: (fact: Fact) => unknown): () => void {
    const behindMax = BEHIND_MAX + this.#facts.length;
    const subscriber: Subscriber = { listener, position: 0, behindMax, isBusy: false };
    this.#subscribers.add(subscriber);
    this.#catchUp(subscriber);
    return () => {
      this.#subscribers.delete(subscriber);
    };
  }

  /** The facts as a stream that ends with the run, or when its reader leaves. */
  stream(): AsyncIterableIterator<Fact> {
    let position = 0;
    let isLeft = false;
    const waits = new Set<() => void>();
    const next = async (): Promise<IteratorResult<Fact, undefined>> => {
      for (;;) {
        const fact = isLeft ? undefined : this.#facts[position];
        if (fact !== undefined) {
          position += 1;
          return { done: false, value: deepFrozen(fact) };
        }
        if (isLeft || this.#hasEnded) return { done: true, value: undefined };
        await new Promise<void>((resolve) => {
          waits.add(resolve);
          this.#waiting.add(resolve);
        });
        waits.clear();
      }
    };
    const leave = async (): Promise<IteratorResult<Fact, undefined>> => {
      isLeft = true;
      for (const resolve of waits) {
        this.#waiting.delete(resolve);
        resolve();
      }
      return { done: true, value: undefined };
    };
    return {
      next,
      return: leave,
      [Symbol.asyncIterator]: () => ({ next, return: leave }) as never,
    };
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /** After the run's own work: its next call is made before subscribers hear of the last one. */
  #tellSoon(): void {
    if (this.#telling !== undefined || this.#subscribers.size === 0) return;
    this.#telling = Promise.resolve().then(() => this.#tellAll());
  }

  async #tellAll(): Promise<void> {
    for (let isAnyBehind = true; isAnyBehind;) {
      isAnyBehind = false;
      for (const subscriber of this.#subscribers) {
        if (!this.#tellNext(subscriber)) continue;
        isAnyBehind = true;
        const turn = this.#parts.clock.turn?.();
        if (turn !== undefined) await turn;
      }
    }
    this.#telling = undefined;
  }

  #catchUp(subscriber: Subscriber): void {
    while (this.#tellNext(subscriber));
  }

  /** One fact; false when there is none, or the subscriber is not ready for it. */
  #tellNext(subscriber: Subscriber): boolean {
    const fact = this.#facts[subscriber.position];
    if (fact === undefined || !this.#subscribers.has(subscriber)) return false;
    if (subscriber.isBusy) {
      this.#dropIfTooSlow(subscriber);
      return false;
    }
    subscriber.position += 1;
    try {
      const returned = subscriber.listener(deepFrozen(fact));
      if (returned instanceof Promise) this.#waitFor(subscriber, returned);
    } catch (error) {
      this.#parts.onError(error);
    }
    return true;
  }

  #waitFor(subscriber: Subscriber, returned: Promise<unknown>): void {
    subscriber.isBusy = true;
    void returned.catch(this.#parts.onError).then(() => {
      subscriber.isBusy = false;
      this.#tellSoon();
    });
  }

  #dropIfTooSlow(subscriber: Subscriber): void {
    if (this.#facts.length - subscriber.position <= subscriber.behindMax) return;
    this.#subscribers.delete(subscriber);
    this.#parts.onError(new SlowSubscriberError(BEHIND_MAX));
  }
}
