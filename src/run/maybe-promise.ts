import type { MaybePromise } from '../services/run-store.js';

/** Goes on with a value: at once when it is there, later when it is a promise. Stores in memory stay free of waiting. */
export const afterwards = <Value, Next>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> => (value instanceof Promise ? value.then(next) : next(value));
