import { AgentCallError } from '../errors.js';
import type { Fact } from '../model/facts.js';
import type { ErrorContext, OnError } from './live-run.types.js';

/** Codes of calls that were never made. */
const REFUSED: readonly string[] = ['breaker-open', 'budget-exhausted', 'run-ended'];

/** Tells `onError` about every failed try of a run, with the original error where one was thrown. */
export class FailedTries {
  readonly #runId: string;
  readonly #onError: OnError;
  /** What the tries threw that are not in the journal yet, by their key. */
  readonly #thrownByKey = new Map<string, unknown>();

  constructor(runId: string, onError: OnError) {
    this.#runId = runId;
    this.#onError = onError;
  }

  keep(key: string, thrown: unknown): void {
    this.#thrownByKey.set(key, thrown);
  }

  /** Called with facts that are durable. */
  report(facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.type !== 'agent.failed' || REFUSED.includes(fact.code)) continue;
      const { key, agent, role, stepId, code, reason } = fact;
      const context: ErrorContext = { runId: this.#runId, stepId, agent, role, key, code };
      const isThrown = this.#thrownByKey.has(key);
      const error = isThrown ? this.#thrownByKey.get(key) : new AgentCallError(reason, code);
      this.#thrownByKey.delete(key);
      this.#onError(error, context);
    }
  }
}
