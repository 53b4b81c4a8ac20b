import { StoreUnavailableError } from '../../errors.js';
import type { MaybePromise } from '../../services/run-store.js';
import { STORE_FAULTS } from './fault-kinds.js';
import type { Life, Stage } from './stage.js';

/** A write in this many has something happen to it, where the world has such faults. */
const SHARE = 0.08;

/**
 * A write as it goes on a good or a bad day: at once, after a while, not at all, or at once and nobody hears of it.
 * `write` is given back what it gives: a promise that never settles when the process died of it.
 */
export const writeToStore = (
  stage: Stage,
  life: Life,
  sequence: number,
  write: () => MaybePromise<void>,
): MaybePromise<void> => {
  const where = `write ${sequence} of life ${life.number}`;
  const fault = stage.fault(where, STORE_FAULTS, SHARE);
  if (fault === undefined) return write();
  if (fault === 'store-slow')
    return writeLater(stage, life, stage.random(where).integer(1, 5_000), write);
  const written = fault === 'store-fails-late' ? write() : undefined;
  // It died of it: there is nobody left to be told.
  if (!life.isAlive) return written;
  life.hasLostStore = true;
  throw new StoreUnavailableError('The store of this world is away');
};

/** The time it takes is nobody's fault but the store's: no deadline of the run is held against it. */
const writeLater = (
  stage: Stage,
  life: Life,
  delayMs: number,
  write: () => MaybePromise<void>,
): Promise<void> => {
  stage.downtimeMs += delayMs;
  return new Promise((resolve) => {
    const timer = stage.clock.setTimeout(() => {
      life.timers.delete(timer);
      resolve(write());
    }, delayMs);
    life.timers.add(timer);
  });
};
