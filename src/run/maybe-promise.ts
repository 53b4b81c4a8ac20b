import type { MaybePromise } from '../model/run-store.js';

/**
 * Continues with a value: synchronously when it is there, later when it is a promise. In-memory stores need no waiting.
 */
export const afterwards = <Value, Next>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> => (value instanceof Promise ? value.then(next) : next(value));

/** Continues with the error when something throws or rejects. */
export const recovered = <Value>(
  attempt: () => MaybePromise<Value>,
  recover: (error: unknown) => MaybePromise<Value>,
): MaybePromise<Value> => {
  let value: MaybePromise<Value>;
  try {
    value = attempt();
  } catch (error) {
    return recover(error);
  }
  return value instanceof Promise ? value.catch(recover) : value;
};
