import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore } from '../../src/services/run-store.js';
import type { VirtualClock } from '../../src/services/virtual-clock.js';

/** A store whose every answer takes its time. */
export const slowStore = (
  clock: VirtualClock,
  delayMs: number,
  inner: RunStore = memoryStore(),
  onAppended: () => void = () => undefined,
): RunStore => ({
  create: async (header) => {
    await clock.sleep(delayMs);
    await inner.create(header);
  },
  append: async (runId, expectedSequence, entries, options) => {
    await clock.sleep(delayMs);
    await inner.append(runId, expectedSequence, entries, options);
    onAppended();
  },
  read: async (runId) => {
    await clock.sleep(delayMs);
    return inner.read(runId);
  },
  list: async (filter) => {
    await clock.sleep(delayMs);
    return inner.list(filter);
  },
  claim: async (runId, owner, leaseMs, now) => {
    await clock.sleep(delayMs);
    return inner.claim(runId, owner, leaseMs, now);
  },
  release: async (runId, token) => {
    await clock.sleep(delayMs);
    await inner.release(runId, token);
  },
  post: async (runId, command) => {
    await clock.sleep(delayMs);
    await inner.post(runId, command);
  },
  inbox: async (runId) => {
    await clock.sleep(delayMs);
    return inner.inbox(runId);
  },
  delete: async (runId) => {
    await clock.sleep(delayMs);
    await inner.delete(runId);
  },
});

/** A store that is full after some entries. It throws, or rejects when it is slow. */
export const fullStore = (capacity: number, inner: RunStore = memoryStore()): RunStore => ({
  ...inner,
  append: (runId, expectedSequence, entries, options) => {
    if (expectedSequence >= capacity) {
      throw Object.assign(new Error('No space left on device'), { code: 'ENOSPC' });
    }
    return inner.append(runId, expectedSequence, entries, options);
  },
});
