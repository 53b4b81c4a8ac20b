import { memoryStore } from '../src/services/stores/index.js';
import type { RunStore } from '../src/services/stores/index.js';

/** The bytes that a store got: header, entries and states, as JSON in UTF-8. */
export interface Written {
  readonly bytes: number;
  /** The number of stored states. */
  readonly states: number;
}

export const countingStore = (): { readonly store: RunStore; readonly written: () => Written } => {
  const inner = memoryStore();
  let bytes = 0;
  let states = 0;
  const count = (value: unknown): void => {
    if (value !== undefined) bytes += Buffer.byteLength(JSON.stringify(value));
  };
  const store: RunStore = {
    ...inner,
    create: (header, owner) => {
      count(header);
      return inner.create(header, owner);
    },
    append: (runId, expectedSequence, entries, options) => {
      entries.forEach(count);
      count(options?.state);
      if (options?.state !== undefined) states += 1;
      return inner.append(runId, expectedSequence, entries, options);
    },
  };
  return { store, written: () => ({ bytes, states }) };
};
