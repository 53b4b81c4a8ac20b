import { deepFrozen } from '../deep-frozen.js';
import { SlowSubscriberError } from '../errors.js';
import type { Fact } from '../model/facts.js';
import type { Clock } from '../services/clock.js';
import type { FactsOptions } from './run.types.js';

/** How many facts a subscriber may lag behind. */
const BEHIND_MAX = 10_000;

interface Subscriber {
  readonly listener: (fact: Fact) => unknown;
  /** The index of its next fact. */
  position: number;
  /** How many facts it may lag behind; those before its subscription do not count. */
  readonly behindMax: number;
  /** It returned a promise for the previous fact, and gets the next one when that settles. */
  isBusy: boolean;
}

export interface FactStreamParts {
  readonly clock: Pick<Clock, 'turn'>;
  /** Receives errors of subscribers. Never throws. */
  readonly onError: (error: unknown) => void;
}

/**
 * All facts of one run, delivered to every subscriber in order and from the first. Subscribers are called after the
 * run's own work, each at its own pace: a slow one delays neither the run nor other subscribers. The journal keeps the
 * same objects, so facts are frozen before they are delivered.
 */
export class FactStream {
  readonly #facts: Fact[] = [];
  readonly #subscribers = new Set<Subscriber>();
  readonly #waiting = new Set<() => void>();
  readonly #parts: FactStreamParts;
  /** Delivers facts until every subscriber has all of them or is busy. */
  #telling: Promise<void> | undefined;
  #hasEnded = false;

  constructor(parts: FactStreamParts) {
    this.#parts = parts;
  }

  get length(): number {
    return this.#facts.length;
  }

  /** Adds facts from before a resume: only new subscribers get them. */
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

  /** Resolves when every subscriber has all facts, or is busy with one. */
  told(): Promise<void> {
    return this.#telling ?? Promise.resolve();
  }

  /** Delivers the facts so far at once, and later ones as they happen. Returns a function that stops it. */
  subscribe(listener: (fact: Fact) => unknown): () => void {
    const behindMax = BEHIND_MAX + this.#facts.length;
    const subscriber: Subscriber = { listener, position: 0, behindMax, isBusy: false };
    this.#subscribers.add(subscriber);
    this.#catchUp(subscriber);
    return () => {
      this.#subscribers.delete(subscriber);
    };
  }

  /** The facts as a stream that ends with the run, or when its reader stops. From the first, or after a given one. */
  stream({ after = 0 }: FactsOptions = {}): AsyncIterableIterator<Fact> {
    // Facts are numbered from 1 without gaps.
    let position = Math.max(0, Math.floor(after) || 0);
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

  /** After the run's own work: its next call is made before subscribers receive the last fact. */
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

  /** Delivers one fact; false when there is none, or the subscriber is busy. */
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
