/** The listeners of each run. */
export class ListenerSet {
  readonly #listeners = new Map<string, Set<() => void>>();

  /** Returns a function that removes the listener. The same function may be added twice. */
  add(runId: string, listener: () => void): () => void {
    const entry = (): void => listener();
    const listeners = this.#listeners.get(runId) ?? new Set();
    this.#listeners.set(runId, listeners.add(entry));
    return () => {
      listeners.delete(entry);
      if (listeners.size === 0 && this.#listeners.get(runId) === listeners)
        this.#listeners.delete(runId);
    };
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Calls the listeners of all runs. */
  tellAll(): void {
    for (const runId of this.#listeners.keys()) this.tell(runId);
  }

  /** Calls listeners after the current work: a listener may use the store, or throw, without disturbing it. */
  tell(runId: string): void {
    for (const listener of this.#listeners.get(runId) ?? []) {
      Promise.resolve()
        .then(() => {
          if (this.#listeners.get(runId)?.has(listener) === true) listener();
        })
        .catch(() => undefined);
    }
  }
}
