import { deepFrozen } from '../actors/deep-frozen.js';
import type { Fact } from '../journal/facts.js';

/**
 * All facts of one run, handed to everybody who listens, in order and from the first. The journal keeps the very same
 * objects, so they are frozen before anybody is handed one.
 */
export class FactStream {
  readonly #facts: Fact[] = [];
  readonly #listeners = new Set<(fact: Fact) => unknown>();
  readonly #waiting = new Set<() => void>();
  readonly #onListenerError: (error: unknown) => void;
  #hasEnded = false;

  constructor(onListenerError: (error: unknown) => void) {
    this.#onListenerError = onListenerError;
  }

  get length(): number {
    return this.#facts.length;
  }

  /** Adds without telling anybody: facts that were told before the process died. */
  restore(facts: readonly Fact[]): void {
    for (const fact of facts) this.#facts.push(fact);
  }

  add(facts: readonly Fact[]): void {
    for (const fact of facts) {
      this.#facts.push(fact);
      // A copy: whoever subscribes while a fact is told is told of it by subscribing.
      for (const listener of [...this.#listeners]) {
        if (this.#listeners.has(listener)) this.#tell(listener, fact);
      }
    }
    this.#wake();
  }

  end(): void {
    this.#hasEnded = true;
    this.#listeners.clear();
    this.#wake();
  }

  subscribe(listener: (fact: Fact) => unknown): () => void {
    for (const fact of this.#facts.slice()) this.#tell(listener, fact);
    // One subscription is one entry, even when the same function subscribes twice.
    const entry = (fact: Fact): unknown => listener(fact);
    if (!this.#hasEnded) this.#listeners.add(entry);
    return () => {
      this.#listeners.delete(entry);
    };
  }

  async *stream(): AsyncGenerator<Fact, void, undefined> {
    for (let position = 0; ; position += 1) {
      while (position >= this.#facts.length) {
        if (this.#hasEnded) return;
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
      }
      const fact = this.#facts[position];
      if (fact !== undefined) yield deepFrozen(fact);
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /** A listener is the user's: whatever it does, the run goes on. */
  #tell(listener: (fact: Fact) => unknown, fact: Fact): void {
    try {
      const returned = listener(deepFrozen(fact));
      if (returned instanceof Promise) returned.catch((error: unknown) => this.#report(error));
    } catch (error) {
      this.#report(error);
    }
  }

  /** The last resort of the user is the user's too. */
  #report(error: unknown): void {
    try {
      this.#onListenerError(error);
    } catch {
      // There is nobody left to tell, and the run goes on.
    }
  }
}
