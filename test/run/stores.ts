import { memoryStore } from '../../src/services/memory-store.js';
import type { MaybePromise, RunStore } from '../../src/model/run-store.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';

/** A store that answers every call after a delay. It does not notify of changes. */
export const slowStore = (
  clock: VirtualClock,
  delayMs: number,
  inner: RunStore = memoryStore(),
  onAppended: () => void = () => undefined,
): RunStore => {
  const slowly =
    <Parameters extends readonly unknown[], Result>(
      method: (...parameters: Parameters) => MaybePromise<Result>,
    ) =>
    async (...parameters: Parameters): Promise<Result> => {
      await clock.sleep(delayMs);
      return method(...parameters);
    };
  return {
    create: slowly(inner.create),
    append: async (...parameters) => {
      await slowly(inner.append)(...parameters);
      onAppended();
    },
    read: slowly(inner.read),
    list: slowly(inner.list),
    renew: slowly(inner.renew),
    claim: slowly(inner.claim),
    owned: slowly(inner.owned),
    claimable: slowly(inner.claimable),
    release: slowly(inner.release),
    retire: slowly(inner.retire),
    post: slowly(inner.post),
    inbox: slowly(inner.inbox),
    delete: slowly(inner.delete),
  };
};

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
